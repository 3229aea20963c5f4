/** Throughput of the server runtimes: one large file to a sink that discards it, and to the local service. */
import { type Bar, bars } from "./chart.ts";
import { type Client, curl, tusJsClient, upcut } from "./clients.ts";
import type { Bench } from "./part.ts";
import { atMost, type Section, shown, type Table, type Verdict } from "./report.ts";
import { interleave, type Measured, ratioOf, spreadOf } from "./rounds.ts";
import { type Sink, startService, startSink } from "./sinks.ts";
import { GiB, MiB, sized, type Video } from "./videos.ts";

export async function throughput({ quick, videos }: Bench): Promise<Section> {
  const video = await videos.of(quick ? 128 * MiB : GiB);
  const rounds = quick ? 3 : 7;
  const tus = [tusJsClient("node"), tusJsClient("bun"), tusJsClient("deno")];
  const ours = [upcut("node"), upcut("bun"), upcut("deno")];
  const discarded = await measureAt(startSink, [curl("PUT"), ...ours, ...tus], video, rounds);
  const served = await measureAt(
    startService,
    [curl("PUT"), curl("PATCH"), ...ours, upcut("node", { method: "direct" }), tusJsClient("node")],
    video,
    quick ? 1 : 5,
  );
  return {
    title: "Throughput",
    how:
      `${sized(video.size)} from the page cache, ${rounds} rounds. Seconds run from the call to its end, in a process of ` +
      "its own; CPU seconds and peak memory are those of the whole process, its start included. Upcut's time includes " +
      "asking for the location. Node runs the built module as npm installs it, Bun and Deno the sources. tus-js-client " +
      "has its defaults. Every client sent the same file once more, untimed, to be hashed on arrival. " +
      "On the local service the resumable uploads pass its tus server, so they stand beside curl with one PATCH.",
    tables: [tableOf(discarded, "curl -T", video), tableOf(served, "curl -T, as one PATCH", video)],
    verdicts: [
      ...verdicts(discarded, "curl -T", "discard sink"),
      ...verdicts(served, "curl -T, as one PATCH", "local service"),
    ],
    charts: {
      "throughput.svg": bars(
        `${sized(video.size)} to a discard sink: time as a multiple of curl's`,
        discarded.map((each) => barOf(each, find(discarded, "curl -T"))),
        " ×",
      ),
    },
  };
}

async function measureAt(
  start: (options?: { checked?: boolean }) => Promise<Sink>,
  clients: readonly Client[],
  video: Video,
  rounds: number,
): Promise<Measured[]> {
  await checkHashes(await start({ checked: true }), clients, video);
  const sink = await start();
  console.log(`${sized(video.size)} to the ${sink.name}`);
  const measured = await interleave(
    clients.map((client) => ({
      name: client.name,
      async run() {
        const { id, figures } = await client.upload(sink, video.path, video.size);
        await sink.expectBytes(id, video.size);
        return figures;
      },
    })),
    rounds,
  );
  await sink.close();
  return measured;
}

/** Each client once, to a sink that hashes. */
async function checkHashes(sink: Sink, clients: readonly Client[], video: Video): Promise<void> {
  for (const client of clients) {
    const { id } = await client.upload(sink, video.path, video.size);
    const arrived = await sink.sha256(id);
    if (arrived !== video.sha256)
      throw new Error(`${client.name}: what arrived at the ${sink.name} isn't the video`);
    await sink.expectBytes(id, video.size);
  }
  await sink.close();
}

function find(all: readonly Measured[], name: string): Measured {
  const found = all.find((each) => each.name === name);
  if (found === undefined) throw new Error(`nothing was measured of ${name}`);
  return found;
}

function tableOf(all: readonly Measured[], base: string, video: Video): Table {
  const perGiB = GiB / video.size;
  return {
    columns: ["", `× ${base}`, "s", "CPU-s per GiB", "peak MiB"],
    rows: all.map((each) => [
      each.name,
      shown(ratioOf(each, find(all, base), "seconds")),
      shown(spreadOf(each, "seconds")),
      (spreadOf(each, "cpu").median * perGiB).toFixed(2),
      spreadOf(each, "peak").median.toFixed(0),
    ]),
  };
}

const LIMITS: Record<string, number> = { "Upcut in Node": 1.25, "Upcut in Bun": 1.05, "Upcut in Deno": 1.25 };

function verdicts(all: readonly Measured[], base: string, where: string): Verdict[] {
  const compared = Object.entries(LIMITS).map(([name, limit]) =>
    atMost(
      `${name}, time to the ${where}`,
      ratioOf(find(all, name), find(all, base), "seconds"),
      limit,
      ` × ${base}`,
    ),
  );
  const ahead = ratioOf(find(all, "tus-js-client in Node"), find(all, "Upcut in Node"), "seconds");
  const cpu = Object.keys(LIMITS).map((name): Verdict => {
    const peer = all.find((each) => each.name === name.replace("Upcut", "tus-js-client"));
    const [own, theirs] = [spreadOf(find(all, name), "cpu").median, peer && spreadOf(peer, "cpu").median];
    return {
      what: `${name}, CPU seconds to the ${where}`,
      target: "below tus-js-client's",
      measured: theirs === undefined ? "" : `${(own / theirs).toFixed(2)} ×`,
      met: theirs !== undefined && own < theirs,
    };
  });
  return [
    ...compared,
    {
      what: `Throughput in Node to the ${where}`,
      target: "≥ 1.6 × tus-js-client",
      measured: `${shown(ahead)} ×`,
      met: ahead.median >= 1.6,
    },
    ...cpu.filter(({ measured }) => measured !== ""),
  ];
}

function barOf(each: Measured, base: Measured): Bar {
  const { median: value, ...range } = ratioOf(each, base, "seconds");
  return { label: each.name, value, ...range, ours: each.name.startsWith("Upcut") };
}

/** Throughput of the server runtimes: one large file to a sink that discards it, and to the local service. */
import { bars } from "./chart.ts";
import { type Client, curl, RUNTIMES, titles, tusJsClient, upcut } from "./clients.ts";
import { atMostTimes, type Bench, type Section, shown, tableBeside, type Verdict } from "./report.ts";
import { find, interleave, type Measured, ratioOf, spreadOf } from "./rounds.ts";
import { expectVideo, type Sink, startService, startSink } from "./sinks.ts";
import { GiB, MiB, sized, type Video } from "./videos.ts";

const CURL = "curl -T";
const CURL_PATCH = "curl -T, as one PATCH";
/** Most time, as a multiple of curl's. */
const LIMITS = { node: 1.25, bun: 1.05, deno: 1.25 };

export async function throughput({ quick, videos }: Bench): Promise<Section> {
  const video = await videos.of(quick ? 128 * MiB : GiB);
  const rounds = quick ? 3 : 7;
  const ours = RUNTIMES.map((runtime) => upcut(runtime));
  const theirs = RUNTIMES.map((runtime) => tusJsClient(runtime));
  const discarded = await measureAt(startSink, [curl("PUT"), ...ours, ...theirs], video, rounds);
  const some = [
    curl("PUT"),
    curl("PATCH"),
    ...ours,
    upcut("node", { method: "direct" }),
    tusJsClient("node"),
  ];
  const served = await measureAt(startService, some, video, quick ? 1 : 5);
  const more = {
    "CPU-s per GiB": (each: Measured) => (spreadOf(each, "cpu").median * (GiB / video.size)).toFixed(2),
    "peak MiB": (each: Measured) => spreadOf(each, "peak").median.toFixed(0),
  };
  return {
    title: "Throughput",
    how:
      `${sized(video.size)} from the page cache, ${rounds} rounds. Seconds run from the call to its end, in a process of ` +
      "its own; CPU seconds and peak memory are those of the whole process, its start included. Upcut's time includes " +
      "asking for the location. Node runs the built module as npm installs it, Bun and Deno the sources. tus-js-client " +
      "has its defaults. Every client sent the same file once more, untimed, to be hashed on arrival. " +
      "On the local service the resumable uploads pass its tus server, so they stand beside curl with one PATCH.",
    tables: [tableBeside("", discarded, CURL, more), tableBeside("", served, CURL_PATCH, more)],
    verdicts: [
      ...verdicts(discarded, CURL, "discard sink"),
      ...verdicts(served, CURL_PATCH, "local service"),
    ],
    charts: {
      "throughput.svg": bars(
        `${sized(video.size)} to a discard sink: time as a multiple of curl's`,
        discarded.map(({ name }) => name),
        discarded.map((each) => ratioOf(each, find(discarded, CURL), "seconds")),
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
  const checking = await start({ checked: true });
  for (const client of clients) {
    const { id } = await client.upload(checking, video.path, video.size);
    await expectVideo(checking, id, video);
  }
  await checking.close();
  const sink = await start();
  console.log(`${sized(video.size)} to the ${sink.name}`);
  const candidates = clients.map(({ name, upload }) => ({
    name,
    async run() {
      const { id, figures } = await upload(sink, video.path, video.size);
      await sink.expectBytes(id, video.size);
      return figures;
    },
  }));
  const measured = await interleave(candidates, rounds);
  await sink.close();
  return measured;
}

function verdicts(all: readonly Measured[], base: string, where: string): Verdict[] {
  const times = RUNTIMES.map((runtime) => {
    const name = `Upcut in ${titles[runtime]}`;
    return atMostTimes(`${name}, time to the ${where}`, all, [name, base], LIMITS[runtime]);
  });
  const ahead = ratioOf(find(all, "tus-js-client in Node"), find(all, "Upcut in Node"), "seconds");
  const cpu = RUNTIMES.flatMap((runtime): Verdict[] => {
    const name = `Upcut in ${titles[runtime]}`;
    const peer = all.find((each) => each.name === `tus-js-client in ${titles[runtime]}`);
    if (peer === undefined) return [];
    const ratio = spreadOf(find(all, name), "cpu").median / spreadOf(peer, "cpu").median;
    const [what, target] = [`${name}, CPU seconds to the ${where}`, "below tus-js-client's"];
    return [{ what, target, measured: `${ratio.toFixed(2)} ×`, met: ratio < 1 }];
  });
  return [
    ...times,
    {
      what: `Throughput in Node to the ${where}`,
      target: "≥ 1.6 × tus-js-client",
      measured: `${shown(ahead)} ×`,
      met: ahead.median >= 1.6,
    },
    ...cpu,
  ];
}

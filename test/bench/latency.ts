/** A long line: 80 ms there and back, 200 Mbit/s, with the location known. */
import { curl, type Plan, RUNTIMES, type Runtime, runPlan, titles, type Uploaded } from "./clients.ts";
import { copying } from "./copying.ts";
import { atMostTimes, type Bench, type Section, tableBeside, verdict } from "./report.ts";
import { type Candidate, find, interleave, type Measured, spread, spreadOf } from "./rounds.ts";
import {
  BYTES_PER_SECOND,
  type DiscardSink,
  expectVideo,
  type Location,
  RTT,
  startLine,
  startSink,
} from "./sinks.ts";
import { KiB, MiB, sized, type Video } from "./videos.ts";

const CURL = "curl -T";

export async function latency({ quick, videos }: Bench): Promise<Section> {
  const sink = await startSink({ checked: true });
  const line = await startLine(sink.baseUrl);
  const locate = async (): Promise<Location> => {
    const { url, tusEndpoint, asset } = await sink.locate();
    const through = (address: string) => address.replace(sink.baseUrl, line.origin);
    return { url: through(url), tusEndpoint: through(tusEndpoint), asset };
  };
  const far: DiscardSink = { ...sink, locate };
  const sizes = quick ? [10 * KiB, MiB, 10 * MiB] : [10 * KiB, MiB, 100 * MiB];
  const found: { size: number; all: Measured[] }[] = [];
  const connections: Record<string, number> = {};
  for (const size of sizes) {
    console.log(sized(size));
    const candidates = candidatesFor(far, await videos.of(size), connections);
    found.push({
      size,
      all: await interleave(candidates, quick ? 2 : size > MiB ? 3 : 7, quick ? undefined : CURL),
    });
  }
  const copied = await copying(far, videos, quick);
  await line.close();
  await sink.close();

  const ours = Object.entries(connections).filter(([name]) => name.startsWith("Upcut"));
  const most = Math.max(...ours.map(([, count]) => count));
  return {
    title: "A long line",
    how:
      `Through a line of ${RTT} ms there and back and ${(BYTES_PER_SECOND * 8) / 1e6} Mbit/s, made by a process that delays ` +
      "and paces both directions and the opening of connections (no loss, no slow start). The location is known " +
      `beforehand. ${checkLine(found)} tus-js-client can send the file with the creating request, which saves a round trip; ` +
      "Upcut doesn't: there are services that take it and, after an interruption, store something else than was sent. " +
      "Every upload is hashed on arrival. A video at an address is read over another such line.",
    tables: [
      ...found.map(({ size, all }) =>
        tableBeside(sized(size), all, CURL, { connections: ({ name }) => `${connections[name] ?? ""}` }),
      ),
      copied,
    ],
    verdicts: [
      ...found.toReversed().flatMap(({ size, all }) =>
        (size > MiB ? RUNTIMES : (["node"] as const)).map((runtime) => {
          const what = `${nameOf(runtime)}, ${sized(size)} over a long line`;
          return atMostTimes(what, all, [nameOf(runtime), CURL], size > MiB ? 1.1 : 1.15);
        }),
      ),
      verdict("Connections of one upload", "1", `${most}`, most === 1),
    ],
  };
}

/** A large video is sent by all; what differs for a small one is the start. */
function candidatesFor(sink: DiscardSink, video: Video, connections: Record<string, number>): Candidate[] {
  const run =
    (runtime: Runtime, client: Plan["client"], more: Partial<Plan> = {}) =>
    async () => {
      const location = await sink.locate();
      return await runPlan(runtime, sink, { client, location, from: [{ path: video.path }], ...more });
    };
  const runs: Record<string, () => Promise<Uploaded>> = {
    [CURL]: () => curl("PUT").upload(sink, video.path, video.size),
    [nameOf("node")]: run("node", "upcut"),
    ...(video.size > MiB && {
      [nameOf("bun")]: run("bun", "upcut"),
      [nameOf("deno")]: run("deno", "upcut"),
      "Upcut in Node, a part of 8 MiB at a time": run("node", "upcut", { options: { chunkSize: 8 * MiB } }),
      "Upcut in Node, eight parts at a time": run("node", "upcut", { options: { chunkSize: 64 * MiB } }),
    }),
    "Upcut in Node, direct": run("node", "upcut", { method: "direct" }),
    "tus-js-client in Node": run("node", "tus-js-client"),
    "the same, with the creating request": run("node", "tus-js-client", {
      options: { uploadDataDuringCreation: true },
    }),
  };
  return Object.entries(runs).map(([name, upload]) => ({
    name,
    async run() {
      const { id, figures } = await upload();
      await expectVideo(sink, id, video);
      connections[name] = Math.max(connections[name] ?? 0, (await sink.received(id)).connections);
      return { seconds: figures.seconds };
    },
  }));
}

function nameOf(runtime: Runtime): string {
  return `Upcut in ${titles[runtime]}`;
}

/** Whether the line is what it claims to be: curl needs one round trip to connect, one to be answered, and the bytes' time. */
function checkLine(found: readonly { size: number; all: Measured[] }[]): string {
  const off = found.map(({ size, all }) => {
    const expected = (2 * RTT) / 1000 + size / BYTES_PER_SECOND;
    return spreadOf(find(all, CURL), "seconds").median / expected;
  });
  const { least, most } = spread(off);
  if (least < 0.97)
    throw new Error(`the line is faster than it claims: curl needs ${least.toFixed(2)} of its time`);
  return `curl takes ${least.toFixed(2)} to ${most.toFixed(2)} times what such a line takes by calculation.`;
}

/** Peak memory of the server runtimes: files from small to far larger than memory, streams, and videos at addresses. */
import { type Plan, type Runtime, runScript, titles } from "./clients.ts";
import type { Bench } from "./part.ts";
import { atMost, type Section, shown, type Table } from "./report.ts";
import { type Spread, spread } from "./rounds.ts";
import { type DiscardSink, startSink } from "./sinks.ts";
import { startVideoHost } from "./video-host.ts";
import { GiB, MiB, sized, type Video } from "./videos.ts";

const LIMITS: Record<Runtime, number> = { node: 110, bun: 40, deno: 110 };
const RUNTIMES = Object.keys(LIMITS) as Runtime[];
/** Streams hold what the service has not acknowledged. */
const CHUNK = 8;

export async function memory({ quick, videos }: Bench): Promise<Section> {
  const rounds = quick ? 1 : 3;
  const [small, large] = [await videos.of(MiB), await videos.of(quick ? 128 * MiB : GiB)];
  const sizes = quick ? [GiB] : [4 * GiB, 16 * GiB];
  const sparse = await Promise.all(sizes.map((size) => videos.sparse(size)));
  const sinks = { plain: await startSink(), checked: await startSink({ checked: true }) };
  const host = await startVideoHost(videos.folder);
  const peaks: Record<string, Record<Runtime, Spread>> = {};

  const measurePeaks = async (
    what: string,
    from: Plan["from"][number],
    video: Video,
    times = rounds,
    script: "upcut" | "reader" = "upcut",
  ) => {
    console.log(what);
    const values: Record<Runtime, number[]> = { node: [], bun: [], deno: [] };
    for (let round = 0; round < times; round++) {
      for (const runtime of RUNTIMES) {
        // A sparse file has no hash of its own to check; its bytes are counted.
        const peak = await peakOf(
          runtime,
          video.sha256 === "" ? sinks.plain : sinks.checked,
          from,
          video,
          script,
        );
        console.log(`  ${titles[runtime]}: ${peak.toFixed(0)} MiB`);
        values[runtime].push(peak);
      }
    }
    peaks[what] = { node: spread(values.node), bun: spread(values.bun), deno: spread(values.deno) };
    return peaks[what];
  };

  const files: Spread[][] = [];
  for (const video of [small, large]) {
    const each = await measurePeaks(`a file of ${sized(video.size)}`, { path: video.path }, video);
    files.push(RUNTIMES.map((runtime) => each[runtime]));
  }
  for (const [index, size] of sizes.entries()) {
    const path = sparse[index] ?? "";
    const each = await measurePeaks(
      `a file of ${sized(size)}, sparse`,
      { path },
      { path, size, sha256: "" },
      1,
    );
    files.push(RUNTIMES.map((runtime) => each[runtime]));
  }
  const url = host.addressOf(large.path);
  const read = `reading ${sized(large.size)} at an address and dropping it`;
  const floor = await measurePeaks(read, { url }, large, rounds, "reader");
  const grown: Record<string, Spread> = {};
  for (const [title, from] of Object.entries({
    "a stream of unknown length": { stream: url },
    "a video at an address": { url },
  })) {
    const peak = await measurePeaks(`${title}, ${sized(large.size)}`, from, large);
    for (const runtime of RUNTIMES) {
      const { median, least, most } = peak[runtime];
      const base = floor[runtime].median;
      grown[`${title} in ${titles[runtime]}`] = {
        median: median - base,
        least: least - base,
        most: most - base,
      };
    }
  }
  host.close();
  await sinks.plain.close();
  await sinks.checked.close();

  return {
    title: "Peak memory",
    how: `Most memory of the whole process, in MiB, ${rounds} rounds; sizes from 4 GiB on once, as sparse files. A runtime's fetch alone takes what its garbage collector lets it: streams and videos at addresses stand beside a script that has loaded core and drops what it reads.`,
    tables: [tableOf(peaks)],
    verdicts: [
      ...RUNTIMES.map((runtime, index) => {
        const all = files.map((each) => each[index]?.most ?? Number.NaN);
        return atMost(
          `Peak memory in ${titles[runtime]}, files of any size`,
          spread(all),
          LIMITS[runtime],
          " MiB",
          0,
        );
      }),
      ...Object.entries(grown).map(([what, more]) =>
        atMost(`Memory of ${what} above reading alone`, more, 2 * CHUNK, " MiB", 0),
      ),
    ],
    charts: {},
  };
}

async function peakOf(
  runtime: Runtime,
  sink: DiscardSink,
  from: Plan["from"][number],
  video: Video,
  script: "upcut" | "reader",
): Promise<number> {
  const { baseUrl, token } = sink;
  const { id, figures } = await runScript(runtime, script, {
    baseUrl,
    token,
    from: [from],
    built: runtime === "node",
  });
  if (script === "reader") return figures.peak ?? Number.NaN;
  await sink.expectBytes(id, video.size);
  const arrived = await sink.sha256(id);
  if (video.sha256 !== "" && arrived !== video.sha256)
    throw new Error(`what arrived from ${runtime} isn't the video`);
  return figures.peak ?? Number.NaN;
}

function tableOf(peaks: Record<string, Record<Runtime, Spread>>): Table {
  return {
    columns: ["", ...RUNTIMES.map((runtime) => titles[runtime])],
    rows: Object.entries(peaks).map(([what, each]) => [
      what,
      ...RUNTIMES.map((runtime) => shown(each[runtime], 0)),
    ]),
  };
}

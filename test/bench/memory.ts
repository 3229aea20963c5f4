/** Peak memory of the server runtimes: files from small to far larger than memory, streams, and videos at addresses. */
import { serveVideo } from "../support/hosts/video-server.ts";
import { type Plan, RUNTIMES, type Runtime, runPlan, type Source, titles } from "./clients.ts";
import { atMost, type Bench, type Section, shown } from "./report.ts";
import { type Spread, spread } from "./rounds.ts";
import { expectVideo, startSink } from "./sinks.ts";
import { GiB, MiB, sized, type Video } from "./videos.ts";

const LIMITS = { node: 110, bun: 40, deno: 110 };
/** Streams hold what the service has not acknowledged. */
const CHUNK = 8;

type Peaks = Record<Runtime, Spread>;

export async function memory({ quick, videos }: Bench): Promise<Section> {
  const rounds = quick ? 1 : 3;
  const large = await videos.of(quick ? 128 * MiB : GiB);
  const sink = await startSink();
  const host = await serveVideo(large.size);
  const { url } = host;
  const table = new Map<string, Peaks>();

  const measure = async (what: string, from: Source, video: Video, client: Plan["client"] = "upcut") => {
    console.log(what);
    // A sparse file has no hash of its own to check; its bytes are counted, once.
    await sink.check(video.sha256 !== "");
    const values = { node: [] as number[], bun: [] as number[], deno: [] as number[] };
    for (let round = 0; round < (video.sha256 === "" ? 1 : rounds); round++)
      for (const runtime of RUNTIMES) {
        const { id, figures } = await runPlan(runtime, sink, { client, from: [from] });
        if (client !== "reader") await expectVideo(sink, id, video);
        console.log(`  ${titles[runtime]}: ${figures.peak?.toFixed(0)} MiB`);
        values[runtime].push(figures.peak ?? Number.NaN);
      }
    const peaks = { node: spread(values.node), bun: spread(values.bun), deno: spread(values.deno) };
    table.set(what, peaks);
    return peaks;
  };

  const files: Peaks[] = [];
  for (const video of [await videos.of(MiB), large])
    files.push(await measure(`a file of ${sized(video.size)}`, { path: video.path }, video));
  for (const size of quick ? [GiB] : [4 * GiB, 16 * GiB]) {
    const video = await videos.sparse(size);
    files.push(await measure(`a file of ${sized(size)}, sparse`, { path: video.path }, video));
  }
  const reading = `reading ${sized(large.size)} at an address and dropping it`;
  const floor = await measure(reading, { url }, large, "reader");
  const stream = "a stream of unknown length";
  const address = "a video at an address";
  const more = {
    [stream]: await measure(`${stream}, ${sized(large.size)}`, { stream: url }, large),
    [address]: await measure(`${address}, ${sized(large.size)}`, { url }, large),
  };
  await host.close();
  await sink.close();

  return {
    title: "Peak memory",
    how: `Most memory of the whole process, in MiB, ${rounds} rounds; sizes from 4 GiB on once, as sparse files. A runtime's fetch alone takes what its garbage collector lets it: streams and videos at addresses stand beside a script that has loaded core and drops what it reads.`,
    tables: [
      {
        columns: ["", ...RUNTIMES.map((runtime) => titles[runtime])],
        rows: [...table].map(([what, peaks]) => [what, ...RUNTIMES.map((each) => shown(peaks[each], 0))]),
      },
    ],
    verdicts: [
      ...RUNTIMES.map((runtime) => {
        const what = `Peak memory in ${titles[runtime]}, files of any size`;
        return atMost(what, spread(files.map((each) => each[runtime].most)), LIMITS[runtime], " MiB", 0);
      }),
      ...Object.entries(more).flatMap(([title, peaks]) =>
        RUNTIMES.map((runtime) => {
          const [base, { median, least, most }] = [floor[runtime].median, peaks[runtime]];
          const above = { median: median - base, least: least - base, most: most - base };
          const what = `Memory of ${title} in ${titles[runtime]} above reading alone`;
          return atMost(what, above, 2 * CHUNK, " MiB", 0);
        }),
      ),
    ],
  };
}

/** Many uploads at a time from one process, beside one of as many bytes. Over a line `many.ts` and `latency.ts` tell. */
import { curlAll, runPlan } from "./clients.ts";
import { atMost, shown, type Verdict } from "./report.ts";
import { interleave, ratioOf, spreadOf } from "./rounds.ts";
import { type DiscardSink, expectVideo } from "./sinks.ts";
import { KiB, MiB, sized, type Video, type Videos } from "./videos.ts";

export const AT_A_TIME = 20;

export async function manyUploads(
  sink: DiscardSink,
  videos: Videos,
  quick: boolean,
): Promise<{ rows: string[][]; verdicts: Verdict[] }> {
  const warmUp = await videos.of(64 * KiB);
  const several = await differing((quick ? 8 : 200) * MiB, videos.sparse);
  const one = await videos.sparse(several.reduce((bytes, { size }) => bytes + size, 0));
  await sink.check(false);
  const size = sized(one.size);
  const base = `curl -T: one of ${size}`;
  const measured = await interleave(
    [
      { name: `one upload of ${size}`, run: () => upload(sink, [one], warmUp) },
      { name: `${AT_A_TIME} at a time`, run: () => upload(sink, several, warmUp) },
      { name: base, run: () => curlAll(sink, [one]) },
      { name: `curl -T: ${AT_A_TIME} at a time`, run: () => curlAll(sink, several) },
    ],
    quick ? 3 : 7,
    quick ? undefined : base,
  );
  await sink.check(true);
  // Each second one beside the one before it.
  const ratios = measured.map((each, at) => ratioOf(each, measured[at - (at % 2)] ?? each, "seconds"));
  const own = ratios[1] ?? { median: Number.NaN, least: Number.NaN, most: Number.NaN };
  return {
    rows: measured.map((each, at) => [each.name, shown(spreadOf(each, "seconds")), shown(ratios[at] ?? own)]),
    verdicts: [atMost(`${AT_A_TIME} uploads at a time from Node, time`, own, 1.1, " × one of as many bytes")],
  };
}

/** Of different sizes, since the same content would be the same upload. */
async function differing(size: number, make: (size: number) => Promise<Video>): Promise<Video[]> {
  const made: Video[] = [];
  for (let index = 0; index < AT_A_TIME; index++) made.push(await make(size + index * KiB));
  return made;
}

/** Core in one Node process; what arrives is counted, and hashed where the video has a hash. */
async function upload(sink: DiscardSink, videos: readonly Video[], warmUp: Video) {
  const { ids, figures } = await runPlan("node", sink, {
    client: "upcut",
    warmUp: [{ path: warmUp.path }],
    from: videos.map(({ path }) => ({ path })),
  });
  for (const [index, video] of videos.entries()) await expectVideo(sink, ids[index] ?? "", video);
  return { seconds: figures.seconds };
}

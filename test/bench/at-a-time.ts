/** Many uploads at a time from one process, beside one of as many bytes. */
import { curlAll, runPlan } from "./clients.ts";
import { atMost, shown, type Verdict } from "./report.ts";
import { interleave, type Measured, ratioOf, spreadOf } from "./rounds.ts";
import { type DiscardSink, expectVideo, startLine } from "./sinks.ts";
import { KiB, MiB, sized, type Video, type Videos } from "./videos.ts";

export const AT_A_TIME = 20;

/** To the sink at once, and over a line that carries 200 Mbit/s. */
export async function manyUploads(
  sink: DiscardSink,
  videos: Videos,
  quick: boolean,
): Promise<{ rows: string[][]; verdicts: Verdict[] }> {
  const warmUp = await videos.of(64 * KiB);
  const large = await several((quick ? 8 : 200) * MiB, videos.sparse);
  const oneLarge = await videos.sparse(sum(large));
  await sink.check(false);
  const near = await interleave(
    [
      { name: "one upload", run: () => upload(sink, [oneLarge], warmUp) },
      { name: `${AT_A_TIME} at a time`, run: () => upload(sink, large, warmUp) },
      { name: "curl -T: one", run: () => curlAll(sink, [oneLarge]) },
      { name: `curl -T: ${AT_A_TIME} at a time`, run: () => curlAll(sink, large) },
    ],
    quick ? 3 : 7,
  );
  await sink.check(true);

  const line = await startLine(sink.baseUrl);
  const beyond: DiscardSink = { ...sink, baseUrl: line.origin };
  const small = await several((quick ? 1 : 5) * MiB, videos.of);
  const oneSmall = await videos.of(sum(small));
  const far = await interleave(
    [
      { name: "one upload, over the line", run: () => upload(beyond, [oneSmall], warmUp) },
      { name: `${AT_A_TIME} at a time, over the line`, run: () => upload(beyond, small, warmUp) },
    ],
    3,
  );
  await line.close();

  const pairs = [...pairsOf(near, oneLarge.size), ...pairsOf(far, oneSmall.size)];
  const target = `${AT_A_TIME} uploads at a time from Node, time`;
  return {
    rows: pairs.map(({ name, seconds, ratio }) => [name, shown(seconds), shown(ratio)]),
    verdicts: pairs.flatMap(({ ratio }, at) => {
      if (at !== 1 && at !== 5) return [];
      return [atMost(at === 1 ? target : `${target} over the line`, ratio, 1.1, " × one of as many bytes")];
    }),
  };
}

/** Of different sizes, since the same content would be the same upload. */
async function several(size: number, make: (size: number) => Promise<Video>): Promise<Video[]> {
  const made: Video[] = [];
  for (let index = 0; index < AT_A_TIME; index++) made.push(await make(size + index * KiB));
  return made;
}

function sum(videos: readonly Video[]): number {
  return videos.reduce((bytes, { size }) => bytes + size, 0);
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

/** Each pair is one upload, of so many bytes, and as many bytes in many. */
function pairsOf(measured: readonly Measured[], size: number) {
  return measured.map((each, index) => ({
    name: index % 2 === 0 ? `${each.name} of ${sized(size)}` : each.name,
    seconds: spreadOf(each, "seconds"),
    ratio: ratioOf(each, measured[index - (index % 2)] ?? each, "seconds"),
  }));
}

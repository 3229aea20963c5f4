/** Many uploads at a time from one process, beside one of as many bytes. */
import { curlAll, runScript } from "./clients.ts";
import { startLine } from "./long-line.ts";
import { atMost, shown, type Verdict } from "./report.ts";
import { interleave, type Measured, ratioOf, spreadOf } from "./rounds.ts";
import type { DiscardSink } from "./sinks.ts";
import { KiB, MiB, sized, type Video, type Videos } from "./videos.ts";

export const AT_A_TIME = 20;

/** To the sink at once, and over a line that carries 200 Mbit/s. */
export async function manyUploads(
  sink: DiscardSink,
  videos: Videos,
  quick: boolean,
): Promise<{ rows: string[][]; verdicts: Verdict[] }> {
  const warmUp = await videos.of(64 * KiB);
  const sparse = async (size: number): Promise<Video> => ({
    path: await videos.sparse(size),
    size,
    sha256: "",
  });
  const large = await several((quick ? 8 : 200) * MiB, sparse);
  const oneLarge = await sparse(sum(large));
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

  const target = `${AT_A_TIME} uploads at a time from Node, time`;
  return {
    rows: [...rowsOf(near, oneLarge), ...rowsOf(far, oneSmall)],
    verdicts: [
      atMost(target, together(near, 0), 1.1, " × one of as many bytes"),
      atMost(`${target} over the line`, together(far, 0), 1.1, " × one of as many bytes"),
    ],
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
async function upload(
  sink: DiscardSink,
  from: readonly Video[],
  warmUp: Video,
): Promise<{ seconds: number }> {
  const { ids, figures } = await runScript("node", "upcut", {
    baseUrl: sink.baseUrl,
    token: sink.token,
    warmUp: [{ path: warmUp.path }],
    from: from.map(({ path }) => ({ path })),
    built: true,
  });
  for (const [index, id] of ids.entries()) {
    const { size, sha256 } = from[index] ?? { size: 0, sha256: "" };
    await sink.expectBytes(id, size);
    if (sha256 !== "" && (await sink.sha256(id)) !== sha256) throw new Error("what arrived isn't the video");
  }
  return { seconds: figures.seconds ?? Number.NaN };
}

/** Each pair is one upload and as many bytes in many. */
function rowsOf(measured: readonly Measured[], one: Video): string[][] {
  return measured.map((each, index) => [
    index % 2 === 0 ? `${each.name} of ${sized(one.size)}` : each.name,
    shown(spreadOf(each, "seconds")),
    shown(together(measured, index - (index % 2), index)),
  ]);
}

function together(measured: readonly Measured[], one: number, many = one + 1) {
  const [base, each] = [measured[one], measured[many]];
  if (base === undefined || each === undefined) throw new Error("nothing was measured");
  return ratioOf(each, base, "seconds");
}

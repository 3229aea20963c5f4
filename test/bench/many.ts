/** Many small videos by one call over a long line: how the throughput grows with their number at a time. */
import { runPlan } from "./clients.ts";
import { type Bench, type Section, shown, verdict } from "./report.ts";
import { find, interleave, type Measured, ratioOf, spreadOf } from "./rounds.ts";
import { BYTES_PER_SECOND, type DiscardSink, RTT, startLine, startSink } from "./sinks.ts";
import { KiB, MiB, sized } from "./videos.ts";

const [SMALL, LARGE] = [100 * KiB, 2 * MiB];
const AT_A_TIME = [1, 2, 4, 8, 16, 32, 64];
/** Seconds that a run takes at least where the line is the limit. */
const LEAST_SECONDS = 8;
const MBIT = 1e6 / 8;
/** Mbit/s of the line. */
const LIMIT = BYTES_PER_SECOND / MBIT;

export async function many({ quick }: Bench): Promise<Section> {
  const sink = await startSink();
  const line = await startLine(sink.baseUrl);
  const measure = (size: number) => {
    console.log(sized(size));
    const candidates = AT_A_TIME.map((concurrency) => {
      const mostOfLine = Math.ceil((LEAST_SECONDS * BYTES_PER_SECOND) / size);
      const count = quick ? 2 * concurrency : Math.min(mostOfLine, 30 * concurrency);
      return { name: `${concurrency}`, run: () => upload(sink, line.origin, { count, size, concurrency }) };
    });
    return interleave(candidates, quick ? 1 : 3);
  };
  const [small, large] = [await measure(SMALL), await measure(LARGE)];
  await line.close();
  await sink.close();

  const four = ratioOf(find(small, "4"), find(small, "1"), "Mbit/s");
  const full = spreadOf(find(large, "16"), "Mbit/s");
  return {
    title: "Many at a time",
    how:
      "Small videos from memory by one call of uploadAll in Node, by how many of them run at a time, over the line of " +
      `${RTT} ms there and back and ${LIMIT} Mbit/s: requests for locations go over it as well. 100 KiB go directly in two ` +
      "round trips, 2 MiB resumably in three. Every byte is counted on arrival.",
    tables: [tableOf(SMALL, small), tableOf(LARGE, large)],
    // Where the line is not the limit, four take a quarter of the time; where it is, it is full.
    verdicts: [
      verdict(
        `uploadAll of ${sized(SMALL)} over a long line, four at a time`,
        "≥ 3.5 × one at a time",
        `${shown(four)} × one at a time`,
        four.median >= 3.5,
      ),
      verdict(
        `uploadAll of ${sized(LARGE)} over a long line, 16 at a time`,
        "≥ 90 % of the line",
        `${ofLine(full.median)} of the line`,
        full.median >= 0.9 * LIMIT,
      ),
    ],
  };
}

function ofLine(speed: number): string {
  return `${Math.round((100 * speed) / LIMIT)} %`;
}

function tableOf(size: number, all: readonly Measured[]) {
  return {
    columns: [`${sized(size)}, at a time`, "videos per s", "Mbit/s", "× one at a time", "of the line"],
    rows: all.map((each) => [
      each.name,
      shown(spreadOf(each, "videos per s"), 1),
      shown(spreadOf(each, "Mbit/s"), 1),
      shown(ratioOf(each, find(all, "1"), "Mbit/s"), 1),
      ofLine(spreadOf(each, "Mbit/s").median),
    ]),
  };
}

interface Run {
  count: number;
  size: number;
  concurrency: number;
}

async function upload(sink: DiscardSink, baseUrl: string, { count, size, concurrency }: Run) {
  const { ids, figures } = await runPlan(
    "node",
    { baseUrl, token: sink.token },
    {
      client: "many",
      warmUp: [{ name: "warm-up", count: 1, size, concurrency: 1 }],
      from: [{ name: "video", count, size, concurrency }],
    },
  );
  if (new Set(ids).size !== count) throw new Error(`${ids.length} of ${count} videos were uploaded`);
  for (const id of ids) await sink.expectBytes(id, size);
  return { "videos per s": count / figures.seconds, "Mbit/s": (count * size) / figures.seconds / MBIT };
}

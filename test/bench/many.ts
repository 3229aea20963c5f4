/** Many small videos by one call over a long line: how the throughput grows with their number at a time. */
import { join } from "node:path";
import { lines } from "./chart.ts";
import { BYTES_PER_SECOND, RTT, startLine } from "./long-line.ts";
import { measure } from "./measure.ts";
import type { Bench } from "./part.ts";
import { type Section, shown, type Verdict } from "./report.ts";
import { type Candidate, interleave, type Measured, ratioOf, spreadOf } from "./rounds.ts";
import { type DiscardSink, ROOT, startSink } from "./sinks.ts";
import { KiB, MiB, sized } from "./videos.ts";

const SIZES = [100 * KiB, 2 * MiB] as const;
const AT_A_TIME = [1, 2, 4, 8, 16, 32, 64] as const;
/** Seconds that a run takes at least where the line is the limit. */
const LEAST_SECONDS = 8;
const MBIT = 1e6 / 8;

export async function many({ quick }: Bench): Promise<Section> {
  const sink = await startSink();
  const line = await startLine(sink.baseUrl);
  const found = new Map<number, Measured[]>();
  for (const size of SIZES) {
    console.log(sized(size));
    const candidates = AT_A_TIME.map((atATime): Candidate => {
      const mostOfLine = Math.ceil((LEAST_SECONDS * BYTES_PER_SECOND) / size);
      const count = quick ? 2 * atATime : Math.min(mostOfLine, 30 * atATime);
      return { name: `${atATime}`, run: () => upload(sink, line.origin, { count, size, atATime }) };
    });
    found.set(size, await interleave(candidates, quick ? 1 : 3));
  }
  await line.close();
  await sink.close();

  const limit = BYTES_PER_SECOND / MBIT;
  return {
    title: "Many at a time",
    how:
      "Small videos from memory by one call of uploadAll in Node, by how many of them run at a time, over the line of " +
      `${RTT} ms there and back and ${limit} Mbit/s: requests for locations go over it as well. 100 KiB go directly in two ` +
      "round trips, 2 MiB resumably in three. Every byte is counted on arrival.",
    tables: SIZES.map((size) => {
      const all = found.get(size) ?? [];
      return {
        columns: [`${sized(size)}, at a time`, "videos per s", "Mbit/s", "× one at a time", "of the line"],
        rows: all.map((each) => [
          each.name,
          shown(spreadOf(each, "videos per s"), 1),
          shown(spreadOf(each, "Mbit/s"), 1),
          shown(ratioOf(each, all[0] ?? each, "Mbit/s"), 1),
          `${Math.round((100 * spreadOf(each, "Mbit/s").median) / limit)} %`,
        ]),
      };
    }),
    verdicts: verdictsOf(found, limit),
    charts: {
      "many.svg": lines(
        `Many small videos over ${RTT} ms and ${limit} Mbit/s`,
        [
          ...[...found].map(([size, all]) => ({
            label: `videos of ${sized(size)}`,
            points: all.map((each) => [Number(each.name), spreadOf(each, "Mbit/s").median] as const),
            ours: true,
          })),
          { label: "the line", points: AT_A_TIME.map((atATime) => [atATime, limit] as const) },
        ],
        { x: (atATime) => `${atATime}`, y: "Mbit/s, by the number of videos at a time" },
      ),
    },
  };
}

interface Run {
  count: number;
  size: number;
  atATime: number;
}

async function upload(sink: DiscardSink, origin: string, { count, size, atATime }: Run) {
  const script = join(ROOT, "test/bench/clients/many.mjs");
  const plan = { baseUrl: origin, token: sink.token, count, size, concurrency: atATime };
  const { output } = await measure(["node", script, JSON.stringify(plan)]);
  const { milliseconds, ids } = JSON.parse(output) as { milliseconds: number; ids: string[] };
  if (new Set(ids).size !== count) throw new Error(`${ids.length} of ${count} videos were uploaded`);
  for (const id of ids) await sink.expectBytes(id, size);
  const seconds = milliseconds / 1000;
  return { "videos per s": count / seconds, "Mbit/s": (count * size) / seconds / MBIT };
}

/** Where the line is not the limit, four take a quarter of the time; where it is, it is full. */
function verdictsOf(found: ReadonlyMap<number, Measured[]>, limit: number): Verdict[] {
  const [small = [], large = []] = SIZES.map((size) => found.get(size));
  const at = (all: readonly Measured[], atATime: number) => {
    const each = all.find(({ name }) => name === `${atATime}`);
    if (each === undefined) throw new Error("nothing was measured");
    return each;
  };
  const four = ratioOf(at(small, 4), at(small, 1), "Mbit/s");
  const full = spreadOf(at(large, 16), "Mbit/s");
  return [
    {
      what: `uploadAll of ${sized(SIZES[0])} over a long line, four at a time`,
      target: "≥ 3.5 × one at a time",
      measured: `${shown(four)} × one at a time`,
      met: four.median >= 3.5,
    },
    {
      what: `uploadAll of ${sized(SIZES[1])} over a long line, 16 at a time`,
      target: "≥ 90 % of the line",
      measured: `${Math.round((100 * full.median) / limit)} % of the line`,
      met: full.median >= 0.9 * limit,
    },
  ];
}

/** Time per byte, from small files to large ones. */
import { curl, RUNTIMES, tusJsClient, upcut } from "./clients.ts";
import { sendInTurn } from "./measure-at.ts";
import { type Bench, type Section, verdict } from "./report.ts";
import { spread, spreadOf } from "./rounds.ts";
import { startSink } from "./sinks.ts";
import { GiB, KiB, MiB, sized } from "./videos.ts";

/** Growth of time per byte that still counts as flat. */
const FLAT = 1.1;

export async function growth({ quick, videos }: Bench): Promise<Section> {
  const sizes = quick ? [10 * MiB, 100 * MiB] : [10 * MiB, 40 * MiB, 160 * MiB, 640 * MiB, 2 * GiB, 4 * GiB];
  const { path: warmUp } = await videos.of(64 * KiB);
  const ours = RUNTIMES.map((runtime) => upcut(runtime, { warmUp }));
  const clients = [curl("PUT"), ...ours, tusJsClient("node", { warmUp })];
  const sink = await startSink();
  /** Seconds per GiB by client, in the order of sizes. */
  const found = new Map(clients.map(({ name }) => [name, [] as number[]]));
  for (const size of sizes) {
    console.log(sized(size));
    const video = await videos.sparse(size);
    const measured = await sendInTurn(sink, clients, video, quick ? 2 : size > GiB ? 3 : 5);
    for (const each of measured) found.get(each.name)?.push(spreadOf(each, "seconds").median / (size / GiB));
  }
  await sink.close();
  return {
    title: "Growth",
    how:
      `Seconds per GiB to the discard sink, from ${sized(sizes[0] ?? 0)} to ${sized(sizes.at(-1) ?? 0)} (sparse files). ` +
      "Each process, but curl's, has uploaded 64 KiB before, so that what it does once is done.",
    tables: [
      {
        columns: ["", ...sizes.map(sized)],
        rows: [...found].map(([name, values]) => [name, ...values.map((value) => value.toFixed(2))]),
      },
    ],
    verdicts: ours.map(({ name }) => {
      const values = found.get(name) ?? [];
      const ratio = (values.at(-1) ?? Number.NaN) / spread(values).least;
      const target = `≤ ${FLAT} × the least of all sizes`;
      const what = `${name}, time per byte of the largest file`;
      return verdict(what, target, `${ratio.toFixed(2)} ×`, ratio <= FLAT);
    }),
  };
}

/** Time per byte, from small files to large ones. */
import { lines } from "./chart.ts";
import { type Client, curl, tusJsClient, upcut } from "./clients.ts";
import type { Bench } from "./part.ts";
import type { Section } from "./report.ts";
import { interleave, spread, spreadOf } from "./rounds.ts";
import { startSink } from "./sinks.ts";
import { GiB, KiB, MiB, sized, type Video } from "./videos.ts";

/** Growth of time per byte that still counts as flat. */
const FLAT = 1.1;

export async function growth({ quick, videos }: Bench): Promise<Section> {
  const sizes = quick ? [10 * MiB, 100 * MiB] : [10 * MiB, 40 * MiB, 160 * MiB, 640 * MiB, 2 * GiB, 4 * GiB];
  const { path: warmUp } = await videos.of(64 * KiB);
  const clients: readonly Client[] = [
    curl("PUT"),
    upcut("node", { warmUp }),
    upcut("bun", { warmUp }),
    upcut("deno", { warmUp }),
    tusJsClient("node", { warmUp }),
  ];
  const sink = await startSink();
  /** Seconds per GiB by client, in the order of sizes. */
  const found = new Map(clients.map(({ name }) => [name, [] as number[]]));
  for (const size of sizes) {
    console.log(sized(size));
    const video: Video = { path: await videos.sparse(size), size, sha256: "" };
    const measured = await interleave(
      clients.map(({ name, upload }) => ({
        name,
        async run() {
          const { id, figures } = await upload(sink, video.path, size);
          await sink.expectBytes(id, size);
          return { "s per GiB": (figures.seconds ?? Number.NaN) / (size / GiB) };
        },
      })),
      quick ? 2 : size > GiB ? 3 : 5,
    );
    for (const each of measured) found.get(each.name)?.push(spreadOf(each, "s per GiB").median);
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
    verdicts: [...found]
      .filter(([name]) => name.startsWith("Upcut"))
      .map(([name, values]) => {
        const [least, last] = [spread(values).least, values.at(-1) ?? Number.NaN];
        return {
          what: `${name}, time per byte of the largest file`,
          target: `≤ ${FLAT} × the least of all sizes`,
          measured: `${(last / least).toFixed(2)} ×`,
          met: last / least <= FLAT,
        };
      }),
    charts: {
      "growth.svg": lines(
        "Time per byte, by the size of the file",
        [...found].map(([label, values]) => ({
          label,
          points: values.map((value, index) => [sizes[index] ?? 0, value] as const),
          ours: label.startsWith("Upcut"),
        })),
        { x: sized, y: "seconds per GiB" },
      ),
    },
  };
}

/** A long line: 80 ms there and back, 200 Mbit/s, with the location known. */
import { curl, type Plan, type Runtime, runScript, titles, type Uploaded } from "./clients.ts";
import { copying } from "./copying.ts";
import { BYTES_PER_SECOND, RTT, startLine } from "./long-line.ts";
import type { Bench } from "./part.ts";
import { atMost, type Section, shown, type Table, type Verdict } from "./report.ts";
import { type Candidate, interleave, type Measured, ratioOf, spread, spreadOf } from "./rounds.ts";
import { type DiscardSink, type Location, startSink } from "./sinks.ts";
import { KiB, MiB, sized, type Video } from "./videos.ts";

export async function latency({ quick, videos }: Bench): Promise<Section> {
  const sink = await startSink();
  const line = await startLine(sink.baseUrl);
  /** A location behind the line. */
  const locate = async (): Promise<Location> => {
    const { url, tusEndpoint, asset } = await sink.locate();
    const through = (address: string) => address.replace(sink.baseUrl, line.origin);
    return { url: through(url), tusEndpoint: through(tusEndpoint), asset };
  };
  const far: DiscardSink = { ...sink, locate };
  const sizes = quick ? [10 * KiB, MiB, 10 * MiB] : [10 * KiB, MiB, 100 * MiB];
  const found = new Map<number, Measured[]>();
  const connections: Record<string, number> = {};
  await sink.check(true);
  for (const size of sizes) {
    const video = await videos.of(size);
    console.log(sized(size));
    const candidates = candidatesFor(far, video, connections, size > MiB);
    found.set(size, await interleave(candidates, quick ? 2 : size > MiB ? 3 : 7));
  }
  const copied = await copying(far, videos, quick);
  await line.close();
  await sink.close();

  const largest = sizes.at(-1) ?? 0;
  const verdicts: Verdict[] = (["node", "bun", "deno"] as const).map((runtime) => {
    const [base, ours] = [find(found.get(largest), "curl -T"), find(found.get(largest), nameOf(runtime))];
    return atMost(
      `${ours.name}, ${sized(largest)} over a long line`,
      ratioOf(ours, base, "seconds"),
      1.1,
      " × curl -T",
    );
  });
  for (const size of sizes.slice(0, -1)) {
    const [base, ours] = [find(found.get(size), "curl -T"), find(found.get(size), nameOf("node"))];
    verdicts.push(
      atMost(
        `${ours.name}, ${sized(size)} over a long line`,
        ratioOf(ours, base, "seconds"),
        1.15,
        " × curl -T",
      ),
    );
  }
  const most = Math.max(
    ...Object.entries(connections).map(([name, count]) => (name.startsWith("Upcut") ? count : 0)),
  );
  return {
    title: "A long line",
    how:
      `Through a line of ${RTT} ms there and back and ${(BYTES_PER_SECOND * 8) / 1e6} Mbit/s, made by a process that delays ` +
      "and paces both directions and the opening of connections (no loss, no slow start). The location is known " +
      `beforehand. ${checkLine(found)} tus-js-client can send the file with the creating request, which saves a round trip; ` +
      "Upcut doesn't: there are services that take it and, after an interruption, store something else than was sent. " +
      "Every upload is hashed on arrival. A video at an address is read over another such line.",
    tables: [
      ...sizes.map((size): Table => {
        const all = found.get(size) ?? [];
        const base = find(all, "curl -T");
        return {
          columns: [sized(size), "× curl -T", "s", "connections"],
          rows: all.map((each) => [
            each.name,
            shown(ratioOf(each, base, "seconds")),
            shown(spreadOf(each, "seconds")),
            `${connections[each.name] ?? ""}`,
          ]),
        };
      }),
      copied,
    ],
    verdicts: [
      ...verdicts,
      { what: "Connections of one upload", target: "1", measured: `${most}`, met: most === 1 },
    ],
    charts: {},
  };
}

function candidatesFor(
  sink: DiscardSink,
  video: Video,
  connections: Record<string, number>,
  everywhere: boolean,
): Candidate[] {
  const script = async (runtime: Runtime, name: string, more: Partial<Plan>) => {
    const { baseUrl, token } = sink;
    const location = await sink.locate();
    const from = [{ path: video.path }];
    return await runScript(runtime, name, {
      baseUrl,
      token,
      location,
      from,
      built: runtime === "node",
      ...more,
    });
  };
  const runs: Record<string, () => Promise<Uploaded>> = {
    "curl -T": () => curl("PUT").upload(sink, video.path, video.size),
    [nameOf("node")]: () => script("node", "upcut", {}),
    ...(everywhere && {
      [nameOf("bun")]: () => script("bun", "upcut", {}),
      [nameOf("deno")]: () => script("deno", "upcut", {}),
    }),
    ...(everywhere && {
      "Upcut in Node, a part of 8 MiB at a time": () =>
        script("node", "upcut", { options: { chunkSize: 8 * MiB } }),
      "Upcut in Node, eight parts at a time": () =>
        script("node", "upcut", { options: { chunkSize: 64 * MiB } }),
    }),
    "Upcut in Node, direct": () => script("node", "upcut", { method: "direct" }),
    "tus-js-client in Node": () => script("node", "tus-js-client", {}),
    "the same, with the creating request": () =>
      script("node", "tus-js-client", { options: { uploadDataDuringCreation: true } }),
  };
  return Object.entries(runs).map(([name, run]) => ({
    name,
    async run() {
      const { id, figures } = await run();
      const received = await sink.received(id);
      if (received.sha256 !== video.sha256) throw new Error(`${name}: what arrived isn't the video`);
      connections[name] = Math.max(connections[name] ?? 0, received.connections);
      return { seconds: figures.seconds ?? Number.NaN };
    },
  }));
}

function nameOf(runtime: Runtime): string {
  return `Upcut in ${titles[runtime]}`;
}

function find(all: readonly Measured[] = [], name: string): Measured {
  const found = all.find((each) => each.name === name);
  if (found === undefined) throw new Error(`nothing was measured of ${name}`);
  return found;
}

/** Whether the line is what it claims to be: curl needs one round trip to connect, one to be answered, and the bytes' time. */
function checkLine(found: Map<number, Measured[]>): string {
  const off = [...found].map(([size, all]) => {
    const expected = (2 * RTT) / 1000 + size / BYTES_PER_SECOND;
    return spreadOf(find(all, "curl -T"), "seconds").median / expected;
  });
  const { least, most } = spread(off);
  if (least < 0.97)
    throw new Error(`the line is faster than it claims: curl needs ${least.toFixed(2)} of its time`);
  return `curl takes ${least.toFixed(2)} to ${most.toFixed(2)} times what such a line takes by calculation.`;
}

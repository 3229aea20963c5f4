/** The clients that run in a process of their own, and the commands that start them. */
import { join } from "node:path";
import { runtimes } from "../runtimes/commands.ts";
import { measure } from "./measure.ts";
import type { Figures } from "./rounds.ts";
import type { Location, Sink } from "./sinks.ts";
import type { Video } from "./videos.ts";

export const titles = { node: "Node", bun: "Bun", deno: "Deno" } as const;
export type Runtime = keyof typeof titles;
export const RUNTIMES = Object.keys(titles) as Runtime[];

/** One client with its settings. */
export interface Client {
  name: string;
  upload(sink: Sink, path: string, size: number): Promise<Uploaded>;
}

/** What an upload took; `seconds` from the call to its end, the rest of the whole process. */
export interface Uploaded {
  id: string;
  ids?: string[];
  figures: Figures & { seconds: number };
}

const QUIETLY = ["-sSf", "-o", "/dev/null", "-H", "Expect:"];
const OF_TUS = ["Tus-Resumable: 1.0.0", "Upload-Offset: 0", "Content-Type: application/offset+octet-stream"];

/** curl, with a PUT to the direct location or a PATCH to a created upload. */
export function curl(method: "PUT" | "PATCH"): Client {
  return {
    name: method === "PUT" ? "curl -T" : "curl -T, as one PATCH",
    async upload(sink, path, size) {
      const location = await sink.locate();
      const url = method === "PUT" ? location.url : await sink.create(location, size);
      const headers = method === "PUT" ? ["Content-Type: video/mp4"] : OF_TUS;
      const how = ["-X", method, ...headers.flatMap((header) => ["-H", header]), "-w", "%{time_total}"];
      const { cpu, peak, output } = await measure(["curl", ...QUIETLY, ...how, "-T", path, url]);
      return { id: location.asset.id, figures: { seconds: Number(output), cpu, peak } };
    },
  };
}

/** curl with a PUT for each video, all at once in one process. */
export async function curlAll(sink: Sink, videos: readonly Video[]): Promise<{ seconds: number }> {
  const transfers: string[] = [];
  for (const { path } of videos) {
    const { url } = await sink.locate();
    transfers.push(...(transfers.length > 0 ? ["--next"] : []), ...QUIETLY);
    transfers.push("-w", "%{time_total}\\n", "-T", path, url);
  }
  const { output } = await measure(["curl", "--parallel", "--parallel-immediate", ...transfers]);
  return { seconds: Math.max(...output.trim().split("\n").map(Number)) };
}

/** What `clients/process.mjs` is told. */
export interface Plan {
  client: "upcut" | "many" | "loop" | "reader" | "tus-js-client";
  /** What is uploaded, all at once: files on disk, videos at addresses, answers read as streams; or many, some at a time. */
  from: Source[];
  /** tus-js-client needs one. */
  location?: Location;
  /** Uploaded first, untimed, so that what a process does once is done. */
  warmUp?: Source[];
  method?: "resumable" | "direct";
  options?: Record<string, unknown>;
}

export type Source =
  | { path: string }
  | { url: string }
  | { stream: string }
  | { folder: string; concurrency: number }
  | { name: string; count: number; size: number; concurrency: number };

/** Core, as an npm user gets it in Node, and from the sources in Bun and Deno. */
export function upcut(
  runtime: Runtime,
  { method = "resumable" }: { method?: "resumable" | "direct" } = {},
): Client {
  return {
    name: `Upcut in ${titles[runtime]}${method === "direct" ? ", direct" : ""}`,
    upload: (sink, path) => runPlan(runtime, sink, { client: "upcut", from: [{ path }], method }),
  };
}

export function tusJsClient(runtime: Runtime): Client {
  return {
    name: `tus-js-client in ${titles[runtime]}`,
    upload: async (sink, path) =>
      await runPlan(runtime, sink, {
        client: "tus-js-client",
        from: [{ path }],
        location: await sink.locate(),
      }),
  };
}

/** Carries out a plan in a process of its own; `whole` are the seconds of that. */
export async function runPlan(
  runtime: Runtime,
  { baseUrl, token }: Pick<Sink, "baseUrl" | "token">,
  plan: Plan,
): Promise<Required<Uploaded> & { figures: { whole: number } }> {
  const [program, ...args] = runtime === "node" ? ["node"] : runtimes()[runtime];
  const script = join(import.meta.dirname, "clients/process.mjs");
  const told = JSON.stringify({ ...plan, baseUrl, token, built: runtime === "node" });
  const { seconds: whole, cpu, peak, output } = await measure([program ?? "", ...args, script, told]);
  const { milliseconds, ids } = JSON.parse(output) as { milliseconds: number; ids: string[] };
  return { id: ids[0] ?? "", ids, figures: { seconds: milliseconds / 1000, whole, cpu, peak } };
}

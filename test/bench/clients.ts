/** The clients that run in a process of their own, and the commands that start them. */
import { join } from "node:path";
import { findRuntime } from "../runtimes/find-runtime.ts";
import { measure } from "./measure.ts";
import type { Figures } from "./rounds.ts";
import { type Location, ROOT, type Sink } from "./sinks.ts";
import type { Video } from "./videos.ts";

export type Runtime = "node" | "bun" | "deno";

/** One client with its settings. */
export interface Client {
  name: string;
  /** Uploads a file once. */
  upload(sink: Sink, path: string, size: number): Promise<Uploaded>;
}

/** What an upload took; `seconds` from the call to its end, the rest of the whole process. */
export interface Uploaded {
  id: string;
  figures: Figures;
}

/** curl, with a PUT to the direct location or a PATCH to a created upload. */
export function curl(method: "PUT" | "PATCH"): Client {
  return {
    name: method === "PUT" ? "curl -T" : "curl -T, as one PATCH",
    async upload(sink, path, size) {
      const location = await sink.locate();
      const id = location.asset.id;
      const url = method === "PUT" ? location.url : await sink.create(location, size);
      const tus = ["-X", "PATCH", "-H", "Tus-Resumable: 1.0.0", "-H", "Upload-Offset: 0", "-H", OFFSET_TYPE];
      const headers = method === "PUT" ? ["-H", "Content-Type: video/mp4"] : tus;
      // Without waiting for "100 Continue", as no other client here waits.
      const command = ["curl", "-sSf", "-o", "/dev/null", "-H", "Expect:", ...headers];
      const { cpu, peak, output } = await measure([...command, "-T", path, "-w", "%{time_total}", url]);
      return { id, figures: { seconds: Number(output), cpu, peak } };
    },
  };
}

/** curl with a PUT for each video, all at once in one process. */
export async function curlAll(sink: Sink, videos: readonly Video[]): Promise<{ seconds: number }> {
  const transfers: string[] = [];
  for (const { path } of videos) {
    const { url } = await sink.locate();
    transfers.push(...(transfers.length > 0 ? ["--next"] : []), "-sSf", "-o", "/dev/null", "-H", "Expect:");
    transfers.push("-w", "%{time_total}\\n", "-T", path, url);
  }
  const { output } = await measure(["curl", "--parallel", "--parallel-immediate", ...transfers]);
  return { seconds: Math.max(...output.trim().split("\n").map(Number)) };
}

const OFFSET_TYPE = "Content-Type: application/offset+octet-stream";

/** What a script in `clients/` is told. */
export interface Plan {
  baseUrl: string;
  token: string;
  /** What is uploaded, all at once: files on disk, videos at addresses, or answers read as streams. */
  from: { path?: string; url?: string; stream?: string }[];
  location?: Location;
  /** Uploaded first, untimed, so that what a process does once is done; tus-js-client needs a location for it. */
  warmUp?: { path: string; location?: Location }[];
  method?: "resumable" | "direct";
  built?: boolean;
  options?: Record<string, unknown>;
}

/** Core, as an npm user gets it in Node, and from the sources in Bun and Deno. */
export function upcut(
  runtime: Runtime,
  { method = "resumable", warmUp }: { method?: "resumable" | "direct"; warmUp?: string } = {},
): Client {
  return {
    name: `Upcut in ${titles[runtime]}${method === "direct" ? ", direct" : ""}`,
    upload: ({ baseUrl, token }, path) =>
      runScript(runtime, "upcut", {
        baseUrl,
        token,
        from: [{ path }],
        method,
        built: runtime === "node",
        ...(warmUp !== undefined && { warmUp: [{ path: warmUp }] }),
      }),
  };
}

/** tus-js-client with its defaults. */
export function tusJsClient(runtime: Runtime, { warmUp }: { warmUp?: string } = {}): Client {
  return {
    name: `tus-js-client in ${titles[runtime]}`,
    upload: async (sink, path) => {
      const { baseUrl, token } = sink;
      return await runScript(runtime, "tus-js-client", {
        baseUrl,
        token,
        from: [{ path }],
        ...(warmUp !== undefined && { warmUp: [{ path: warmUp, location: await sink.locate() }] }),
        location: await sink.locate(),
      });
    },
  };
}

export const titles: Record<Runtime, string> = { node: "Node", bun: "Bun", deno: "Deno" };

const commands: Record<Runtime, () => string[]> = {
  node: () => ["node"],
  bun: () => [findRuntime("bun")],
  deno: () => [findRuntime("deno"), "run", "-A", "--node-modules-dir=manual", "--quiet"],
};

/** Runs a script of `clients/`. */
export async function runScript(
  runtime: Runtime,
  script: string,
  plan: Plan,
): Promise<Uploaded & { ids: string[] }> {
  const file = join(ROOT, `test/bench/clients/${script}.mjs`);
  const { cpu, peak, output } = await measure([...commands[runtime](), file, JSON.stringify(plan)]);
  const { milliseconds, ids } = JSON.parse(output) as { milliseconds: number; ids: string[] };
  return { id: ids[0] ?? "", ids, figures: { seconds: milliseconds / 1000, cpu, peak } };
}

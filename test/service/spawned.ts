/**
 * The local service in a process of its own, as tests of every runtime use it: always under Node, controlled and
 * asked over HTTP, with secrets that bear the marker.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { createClient } from "../../core/client.ts";
import type { Asset, ClientOptions } from "../../core/mod.ts";
import { bundledProgram } from "../run/bundled.ts";
import { MARKER } from "../support/marker.ts";
import type { LoggedRequest } from "./requests.ts";
import type { StoreName } from "./stores.ts";
import type { Switches } from "./switches.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export interface StoredAsset {
  asset: Asset;
  sha256: string | null;
  /** The request body as it arrived. */
  received: Record<string, unknown>;
  terminated: boolean;
}

export interface StoredUpload {
  assetId: string;
  offset: number;
  /** Bytes of it at the service, those of a request that still runs included. */
  arrived: number;
  size: number | null;
  bytesReceived: number;
  ranges: [number, number][];
  terminated: boolean;
}

export interface StoredStream {
  id: string;
  live: boolean;
  recording: boolean;
}

export type SpawnedService = Awaited<ReturnType<typeof spawnService>>;

export interface SpawnOptions {
  /** The origin that locations name, where a proxy stands in front of the upload host. */
  advertise?: string;
  /** Where resumable uploads are kept. @default what `UPCUT_STORE` names, else the service's own */
  store?: StoreName | undefined;
}

/** Starts the service on free ports and a folder of its own, which goes when it stops. */
export async function spawnService(
  switches: Partial<Switches> = {},
  { advertise, store }: SpawnOptions = {},
) {
  const folder = await mkdtemp(join(tmpdir(), "upcut-service-"));
  const [token, otherToken] = [`${MARKER}-token-of-demo`, `${MARKER}-token-of-other`];
  const usual = { processing: "hash" } as const;
  let all: Partial<Switches> = { ...usual, ...switches };
  const launch = async (apiPort: string, uploadPort: string) => {
    const kept = store ?? process.env.UPCUT_STORE;
    const flags: Record<string, string> = {
      dir: folder,
      "api-port": apiPort,
      "upload-port": uploadPort,
      accounts: `demo:${token},other:${otherToken}`,
      "secret-marker": MARKER,
      switches: JSON.stringify(all),
      ...(advertise !== undefined && { advertise }),
      ...(kept !== undefined && { store: kept }),
    };
    const child = spawn(
      "node",
      [
        ...bundledProgram("test/service/main.ts"),
        ...["--json", "--with-parent"],
        ...Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]),
      ],
      { cwd: ROOT, stdio: ["pipe", "pipe", "inherit"] },
    );
    const [line] = (await Promise.race([
      once(createInterface({ input: child.stdout }), "line"),
      once(child, "exit").then(([code]) => Promise.reject(new Error(`the service ended with ${code}`))),
    ])) as [string];
    return { child, ...(JSON.parse(line) as { baseUrl: string; uploadUrl: string }) };
  };
  let { child, baseUrl, uploadUrl } = await launch("0", "0");

  const ask = async <T>(
    path: string,
    method = "GET",
    body?: unknown,
    signal: AbortSignal | null = null,
  ): Promise<T> => {
    const response = await fetch(`${baseUrl}/_demo/${path}`, {
      method,
      signal,
      ...(body !== undefined && {
        body: JSON.stringify(body),
        headers: { "content-type": "application/json" },
      }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`/_demo/${path} answered ${response.status}: ${text}`);
    return (text === "" ? undefined : JSON.parse(text)) as T;
  };

  /**
   * Asks `check` again at each change at the service, and gives its first answer that says something. It waits as long
   * as the test may take.
   */
  const until = async <T>(check: () => T | Promise<T>, signal?: AbortSignal) => {
    for (let known = -1; ; ) {
      // Counted before it is asked: what changes meanwhile is not missed.
      known = await ask<number>(`changes/${known}`, "GET", undefined, signal);
      const answer = await check();
      if (answer) return answer as Exclude<T, false | null | undefined | 0 | "">;
    }
  };

  return {
    baseUrl,
    uploadUrl,
    token,
    otherToken,
    client: (options: Partial<ClientOptions> = {}) => createClient({ baseUrl, token, ...options }),
    set: (more: Partial<Switches>) => ask<void>("switches", "PUT", more),
    /**
     * Forgets assets, uploads, requests and switches.
     *
     * @param other switches to begin with from now on. @default those it began with
     */
    async reset(other?: Partial<Switches>) {
      if (other !== undefined) all = { ...usual, ...other };
      await ask("reset", "POST");
      await ask("switches", "PUT", all);
    },
    assets: async () => (await ask<{ assets: StoredAsset[] }>("assets")).assets,
    /** Waits until the asset's content has been hashed, and returns it; with a limit where it may never be. */
    async whole(id: string, limit?: number) {
      const over = limit === undefined ? undefined : AbortSignal.timeout(limit);
      return await until(async () => {
        over?.throwIfAborted();
        const found = await ask<StoredAsset>(`assets/${id}`);
        return found.sha256 !== null && found;
      }, over);
    },
    until,
    uploads: async () => (await ask<{ uploads: StoredUpload[] }>("uploads")).uploads,
    async requests(method?: string, path = "") {
      const { requests } = await ask<{ requests: LoggedRequest[] }>("requests");
      return requests.filter(
        (each) => (method === undefined || each.method === method) && each.path.includes(path),
      );
    },
    streams: async () => (await ask<{ streams: StoredStream[] }>("streams")).streams,
    startSession: (id: string) => ask<void>(`streams/${encodeURIComponent(id)}/start`, "POST"),
    /**
     * Ends it and starts it again, on the same ports and folder; the log and the switches start again.
     *
     * @returns the code that it ended with
     */
    async restart(signal: NodeJS.Signals = "SIGKILL") {
      child.kill(signal);
      const [code] = (await once(child, "exit")) as [number | null];
      ({ child, baseUrl, uploadUrl } = await launch(new URL(baseUrl).port, new URL(uploadUrl).port));
      return code;
    },
    async stop() {
      child.kill("SIGTERM");
      if (child.exitCode === null) await once(child, "exit");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Where the clients send to: the discard sink, or the local service. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { spawnService } from "../service/spawned.ts";
import type { Received } from "./sink.ts";
import type { Video } from "./videos.ts";

export const ROOT: string = fileURLToPath(new URL("../..", import.meta.url));

export interface Location {
  url: string;
  tusEndpoint: string;
  asset: { id: string };
}

export interface Sink {
  name: string;
  /** Base address for the client of an account. */
  baseUrl: string;
  token: string;
  locate(): Promise<Location>;
  /** Creates a resumable upload, and returns its address. */
  create(location: Location, size: number): Promise<string>;
  expectBytes(id: string, size: number): Promise<void>;
  /** The hash of what arrived, where the sink was started to check. */
  sha256(id: string): Promise<string | undefined>;
  close(): Promise<void>;
}

export async function expectVideo(sink: Sink, id: string, video: Video): Promise<void> {
  const arrived = video.sha256 === "" ? "" : await sink.sha256(id);
  if (arrived !== video.sha256) throw new Error(`what arrived at the ${sink.name} isn't the video`);
  await sink.expectBytes(id, video.size);
}

/** The discard sink, and what it knows of an upload. */
export interface DiscardSink extends Sink {
  /** Whether what is located from now on is hashed. */
  check(on: boolean): Promise<void>;
  received(id: string): Promise<Received>;
  secureOrigin(): Promise<string>;
  /** Of all uploads, in the order in which they were located. */
  all(): Promise<Received[]>;
}

/** Another process of the bench, and the origin it serves. */
export interface ServerProcess {
  origin: string;
  close(): Promise<void>;
}

/** Starts a script that prints its origin and ends with its input. */
export async function startProcess(script: string, ...args: string[]): Promise<ServerProcess> {
  const child = spawn("node", ["--import", "tsx", `test/bench/${script}`, ...args], {
    cwd: ROOT,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const [origin] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return {
    origin,
    async close() {
      child.stdin.end();
      if (child.exitCode === null) await once(child, "exit");
    },
  };
}

/** Milliseconds there and back of the long line. */
export const RTT = 80;
/** Of the long line, each way: 200 Mbit/s. */
export const BYTES_PER_SECOND = 25_000_000;

export function startLine(origin: string): Promise<ServerProcess> {
  return startProcess("link.ts", origin, `${RTT}`, `${BYTES_PER_SECOND}`);
}

/** What a sink's second origin, which encrypts, speaks. */
export type Protocol = "h2" | "http/1.1";

interface SinkOptions {
  checked?: boolean;
  /** @default there is no such origin */
  protocol?: Protocol;
}

/** Starts a discard sink, which hashes what it takes if it is to check. */
export async function startSink({ checked = false, protocol }: SinkOptions = {}): Promise<DiscardSink> {
  const { origin, close } = await startProcess("sink.ts", ...(protocol === undefined ? [] : [protocol]));
  const check = async (on: boolean) => {
    await fetch(`${origin}/checked`, { method: on ? "PUT" : "DELETE" });
  };
  await check(checked);
  const received = async (id: string) => (await (await fetch(`${origin}/received/${id}`)).json()) as Received;
  return {
    name: "discard sink",
    baseUrl: origin,
    token: "bench-token",
    check,
    locate: () => requestLocation(origin, "bench-token"),
    create: createUpload,
    received,
    secureOrigin: async () => (await (await fetch(`${origin}/secure`)).json()) as string,
    all: async () => (await (await fetch(`${origin}/received`)).json()) as Received[],
    sha256: async (id) => (await received(id)).sha256,
    async expectBytes(id, size) {
      const { bytes } = await received(id);
      if (bytes !== size) throw new Error(`the sink received ${bytes} of ${size} bytes`);
    },
    close,
  };
}

/** Starts the local service, which writes to disk; it hashes only what is to be checked, so as not to disturb. */
export async function startService({ checked = false } = {}): Promise<Sink> {
  const service = await spawnService({ processing: checked ? "hash" : "none" });
  return {
    name: "local service",
    baseUrl: service.baseUrl,
    token: service.token,
    locate: () => requestLocation(service.baseUrl, service.token),
    create: createUpload,
    sha256: async (id) => (await service.whole(id)).sha256 ?? undefined,
    async expectBytes(id, size) {
      const upload = (await service.uploads()).find(({ assetId }) => assetId === id);
      if (upload !== undefined && upload.bytesReceived !== size)
        throw new Error(`the service received ${upload.bytesReceived} of ${size} bytes`);
      // What was stored would fill the disk.
      await service.reset();
    },
    close: () => service.stop(),
  };
}

async function requestLocation(baseUrl: string, token: string): Promise<Location> {
  const response = await fetch(`${baseUrl}/api/asset/request-upload`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "video.mp4" }),
  });
  if (!response.ok) throw new Error(`request-upload answered ${response.status}`);
  return (await response.json()) as Location;
}

async function createUpload({ tusEndpoint }: Location, size: number): Promise<string> {
  const response = await fetch(tusEndpoint, {
    method: "POST",
    headers: { "tus-resumable": "1.0.0", "upload-length": `${size}` },
  });
  const location = response.headers.get("location");
  if (location === null) throw new Error(`the creation answered ${response.status} without a location`);
  return location;
}

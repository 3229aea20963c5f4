/** Many videos at addresses, good, slow and broken ones, on one server. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { contentBytes, contentHash, MiB } from "../support/content.ts";
import { closeServer, openServer } from "../support/hosts/open-server.ts";
import { rangeOf } from "../support/hosts/range.ts";

const WRITE_SIZE = 256 * 1024;
/** Bytes per second of a slow one. */
const SLOW = MiB;

/** Ways in which an address is broken, with a part of what is told of it. */
export const BROKEN = {
  missing: "source-refused",
  forbidden: "source-refused",
  page: "source-refused",
  cut: "source-unreadable",
} as const;

export type Videos = Awaited<ReturnType<typeof serveVideos>>;

/**
 * A list of four addresses for each good video, in any order: three times its own, and a broken one.
 *
 * @returns the addresses, and the videos by the first line on which each stands
 */
export function addressList(
  videos: Videos,
  good: number,
  random: () => number,
): { addresses: string[]; seeds: Map<number, number> } {
  const kinds = Object.keys(BROKEN) as (keyof typeof BROKEN)[];
  const list: { address: string; seed?: number }[] = [];
  for (let at = 0; at < good; at++) {
    const seed = at + 1;
    for (let copy = 0; copy < 3; copy++) list.push({ address: videos.address(seed), seed });
    // Few are cut: each of them keeps a worker busy for a while.
    const kind = at % 50 === 0 ? "cut" : (kinds[at % 3] ?? "missing");
    list.push({ address: at % 100 === 99 ? `http://127.0.0.1:9/${at}.mp4` : videos.broken(kind, seed) });
  }
  for (let at = list.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [list[at], list[other]] = [list[other] as (typeof list)[0], list[at] as (typeof list)[0]];
  }
  const seeds = new Map<number, number>();
  const known = new Set<string>();
  list.forEach(({ address, seed }, at) => {
    if (seed !== undefined && !known.has(address)) seeds.set(at + 1, seed);
    known.add(address);
  });
  return { addresses: list.map(({ address }) => address), seeds };
}

/** Every tenth has several parts; the others have one. */
export function sizeOf(seed: number): number {
  return seed % 10 === 0 ? 17 * MiB + seed : seed % 2 === 0 ? 300_000 + seed * 7 : 2 * MiB + seed * 11;
}

function isSlow(seed: number): boolean {
  return seed % 25 === 3;
}

export async function serveVideos() {
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  const origin = `http://127.0.0.1:${await openServer(server)}`;
  return {
    origin,
    address: (seed: number) => `${origin}/video/video-${seed}.mp4`,
    broken: (kind: keyof typeof BROKEN, number: number) => `${origin}/${kind}/broken-${number}.mp4`,
    sha256: (seed: number) => contentHash(sizeOf(seed), seed),
    close: () => closeServer(server),
  };
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, kind, number] = /^\/(\w+)\/(?:video|broken)-(\d+)\.mp4(?:\?|$)/.exec(request.url ?? "") ?? [];
  if (kind === "forbidden") return void response.writeHead(403).end("no");
  if (kind === "page")
    return void response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><p>Sign in");
  if (kind !== "video" && kind !== "cut") return void response.writeHead(404).end("no");
  const seed = Number(number);
  const size = sizeOf(seed);
  const { start, end, status, headers } = rangeOf(request, size);
  response.writeHead(status, { ...headers, "content-type": "video/mp4", etag: `"${seed}"` });
  await pipeline(Readable.from(pieces(seed, start, end, kind === "cut")), response);
}

async function* pieces(seed: number, start: number, end: number, isCut: boolean): AsyncGenerator<Uint8Array> {
  for (let at = start; at < end; at += WRITE_SIZE) {
    const stop = Math.min(end, at + WRITE_SIZE);
    // Samples of it can be read, and then nothing more.
    if (isCut && end - start > 100_000) throw new Error("cut");
    yield contentBytes(seed, at, stop);
    if (isSlow(seed)) await new Promise((resolve) => setTimeout(resolve, ((stop - at) / SLOW) * 1000));
  }
}

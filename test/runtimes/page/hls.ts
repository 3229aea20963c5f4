/** Reads videos in pieces as `upload()` would, in a page and outside. */
import { inspectHls, openHls } from "../../../core/hls/mod.ts";
import type { ReadableSource } from "../../../core/source/source.ts";

const PART = 8 * 1024 * 1024;

export interface ReadHls {
  sha256: string;
  size: number;
  identity: string | undefined;
  qualities: number;
}

export async function readHls(address: string): Promise<ReadHls> {
  const url = new URL(address);
  const { qualities } = await inspectHls(url);
  const source = (await openHls(url)) as ReadableSource;
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (let isOver = false; !isOver; ) {
    const slice = await source.slice(size, size + PART);
    const pieces = slice.pieces();
    for (let next = await pieces.next(); !next.done; next = await pieces.next())
      parts.push(next.value.slice());
    size += slice.size;
    isOver = slice.last;
  }
  await source.close();
  const hash = await crypto.subtle.digest("SHA-256", await new Blob(parts).arrayBuffer());
  const sha256 = Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return { sha256, size, identity: await source.identity(), qualities: qualities.length };
}

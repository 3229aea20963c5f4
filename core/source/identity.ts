/**
 * The identity of stored content: the same for the same file in every runtime, without reading it whole.
 *
 * @module
 */

import { digest } from "../digest.ts";

const SAMPLE = 64 * 1024;

/**
 * Hashes size, modification time and three samples (first, middle, last 64 KiB). The media type stays out: runtimes
 * disagree about it.
 *
 * @param lastModified milliseconds, 0 where unknown
 */
export async function contentIdentity(
  size: number,
  lastModified: number,
  read: (start: number, end: number) => Promise<Uint8Array>,
): Promise<string> {
  const middle = Math.max(0, Math.floor(size / 2) - SAMPLE / 2);
  const starts = [0, middle, Math.max(0, size - SAMPLE)];
  const samples: Uint8Array[] = [];
  for (const start of starts) samples.push(await read(start, Math.min(size, start + SAMPLE)));
  return await digest([`${size}`, `${Math.floor(lastModified)}`, ...samples]);
}

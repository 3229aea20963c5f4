/** The identity of stored content: the same for the same file in every runtime, without reading it whole. */
import { digest, sha256 } from "../content/digest.ts";
import { PART_SIZE } from "./parts.ts";

const SAMPLE = 64 * 1024;

/** Of its size, date (0 where unknown) and three samples. Runtimes disagree about its media type, which stays out. */
export async function contentIdentity(
  size: number,
  lastModified: number,
  read: (start: number, end: number) => Promise<Uint8Array>,
): Promise<string> {
  const middle = Math.max(0, Math.floor(size / 2) - SAMPLE / 2);
  const starts = [0, middle, Math.max(0, size - SAMPLE)];
  // The samples of a short file overlap, and each reading costs more than its bytes.
  const whole = size <= starts.length * SAMPLE ? await read(0, size) : undefined;
  const samples: Uint8Array[] = [];
  for (const start of starts) {
    const end = Math.min(size, start + SAMPLE);
    samples.push(whole?.subarray(start, end) ?? (await read(start, end)));
  }
  return await digest([`${size}`, `${Math.floor(lastModified)}`, ...samples]);
}

/** A digest of all bytes, read by the part: that of the digests of the parts, so that none is held whole. */
export async function contentDigest(
  size: number,
  read: (start: number, end: number) => Promise<Uint8Array>,
): Promise<string> {
  const parts: string[] = [];
  for (let at = 0; at < size; at += PART_SIZE) {
    const part = await read(at, Math.min(size, at + PART_SIZE));
    parts.push(await sha256(part as Uint8Array<ArrayBuffer>));
  }
  return await digest(parts);
}

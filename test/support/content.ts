/** Content whose every 4 KiB block carries its own offset and a seed, so that a misplaced byte changes the hash. */
import { createHash } from "node:crypto";
import { open } from "node:fs/promises";

export const MiB: number = 1024 * 1024;
const BLOCK = 4096;
/** Bytes that are made at a time: fresh memory costs more than what is done with it. */
const PIECE = 16 * BLOCK;

export function contentBytes(seed: number, start: number, end: number): Uint8Array {
  const first = Math.floor(start / BLOCK) * BLOCK;
  const bytes = new Uint8Array(Math.ceil((end - first) / BLOCK) * BLOCK).fill(seed & 0xff);
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < bytes.length; at += BLOCK) {
    view.setFloat64(at, first + at);
    view.setUint32(at + 8, seed);
  }
  return bytes.subarray(start - first, end - first);
}

export function content(size: number, seed: number = 1): Uint8Array<ArrayBuffer> {
  return new Uint8Array(contentBytes(seed, 0, size));
}

/** A content as a file that a person chooses. */
export function videoFile(size: number, seed?: number): File {
  return new File([content(size, seed)], "video.mp4", { type: "video/mp4", lastModified: 1 });
}

const hashes = new Map<string, string>();

/** The sha256 of a content, in hex: of each one it is made once, and never whole in memory. */
export function contentHash(size: number, seed: number = 1): string {
  const known = hashes.get(`${size} ${seed}`);
  if (known !== undefined) return known;
  const hash = createHash("sha256");
  for (let at = 0; at < size; at += PIECE) hash.update(contentBytes(seed, at, Math.min(size, at + PIECE)));
  const made = hash.digest("hex");
  hashes.set(`${size} ${seed}`, made);
  return made;
}

/** A content as a stream, never whole in memory. */
export function contentStream(
  size: number,
  seed: number = 1,
  piece: number = 1_000_003,
): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      const end = Math.min(size, at + piece);
      if (at < end) controller.enqueue(contentBytes(seed, at, end));
      at = end;
      if (at === size) controller.close();
    },
  });
}

/** Writes a content to a file and returns its sha256. */
export async function writeContent(path: string, size: number, seed: number = 1): Promise<string> {
  const hash = createHash("sha256");
  const file = await open(path, "w");
  for (let at = 0; at < size; at += MiB) {
    const bytes = contentBytes(seed, at, Math.min(size, at + MiB));
    hash.update(bytes);
    await file.write(bytes);
  }
  await file.close();
  return hash.digest("hex");
}

export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/**
 * Makes a zip the same whenever and wherever it is made of the same files: in the order of their names, without times and
 * without entries for folders. Whoever builds the sources can compare the result with what a store gives out.
 *
 * Compressed by zopfli, which gives the smallest bytes that any browser unpacks, and the same ones everywhere, where the
 * zlib of Node differs from version to version.
 */
import { readFile, writeFile } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { deflateAsync } from "@gfx/zopfli";
import JSZip from "jszip";

/** The first day that a zip can name, 1980-01-01. */
const DATE = 0x0021;
const VERSION = 20;
const DEFLATED = 8;
/** Rounds in which it looks for something smaller: more than these save some ten bytes. */
const ROUNDS = 15;

/** Replaces a zip. */
export async function repack(path: string): Promise<void> {
  const made = await JSZip.loadAsync(await readFile(path));
  const files = Object.values(made.files).filter(({ dir }) => !dir);
  const bodies: Buffer[] = [];
  const index: Buffer[] = [];
  let at = 0;
  for (const file of files.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const content = await file.async("nodebuffer");
    const packed = Buffer.from(await deflateAsync(content, { numiterations: ROUNDS }));
    const name = Buffer.from(file.name);
    const facts = factsOf(content, packed, name);
    index.push(numbers([4, 0x02014b50], [2, VERSION], ...facts, [6, 0], [4, 0], [4, at]), name);
    const body = [numbers([4, 0x04034b50], ...facts), name, packed];
    bodies.push(...body);
    at += lengthOf(body);
  }
  const counts: Field[] = Array.from({ length: 2 }, () => [2, files.length]);
  const end = numbers([4, 0x06054b50], [4, 0], ...counts, [4, lengthOf(index)], [4, at], [2, 0]);
  await writeFile(path, Buffer.concat([...bodies, ...index, end]));
}

/** How many bytes a number takes, and the number. */
type Field = [bytes: 2 | 4 | 6, value: number];

/** What is told of a file before its bytes, and again in the index at the end (APPNOTE.TXT of PKWARE, 4.3.7 and 4.3.12). */
function factsOf(content: Buffer, packed: Buffer, name: Buffer): Field[] {
  const sizes: Field[] = [
    [4, crc32(content)],
    [4, packed.length],
    [4, content.length],
  ];
  return [[2, VERSION], [2, 0], [2, DEFLATED], [2, 0], [2, DATE], ...sizes, [2, name.length], [2, 0]];
}

function numbers(...fields: readonly Field[]): Buffer {
  const buffers = fields.map(([bytes, value]) => {
    const buffer = Buffer.alloc(bytes);
    buffer.writeUIntLE(value, 0, bytes);
    return buffer;
  });
  return Buffer.concat(buffers);
}

function lengthOf(buffers: readonly Buffer[]): number {
  return buffers.reduce((sum, { length }) => sum + length, 0);
}

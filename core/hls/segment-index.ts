/**
 * The index of a file (ISO 14496-12, 8.16.3): which of its bytes are which piece.
 *
 * @module
 */

import { UploadError } from "../errors.ts";
import { originOf } from "../redaction/redaction.ts";
import { boxesIn } from "./boxes.ts";
import { type Fetching, fetchBytes } from "./fetch-bytes.ts";
import { type ByteRange, LIMITS, type Place } from "./playlist.ts";

/** A piece of the file. */
export interface IndexEntry extends ByteRange {
  /** Seconds at which it begins, by the clock of the file. */
  time: number;
  /** Seconds. */
  duration: number;
}

/** Bytes that an index which another one names is looked for in: some 1,300 pieces. */
const MOST_BYTES = 16 * 1024;
const MOST_INDEXES = 1_000;
/** The bit that tells it from a piece. */
const FURTHER_INDEX = 2 ** 31;

/**
 * Fetches an index, and those that it names in place of pieces.
 *
 * @throws {UploadError} `source-refused` or `source-unreadable`.
 */
export async function fetchIndex(
  { href, range }: Place & { range: ByteRange },
  how: Fetching,
): Promise<IndexEntry[]> {
  const url = new URL(href);
  const entries: IndexEntry[] = [];
  let indexes = 0;
  /** @param known the bytes from there on, as far as another index came with them */
  const read = async (range: ByteRange, known: Uint8Array) => {
    indexes++;
    let [bytes, references] = [known, readIndex(known, range)];
    if (references === undefined) {
      ({ bytes } = await fetchBytes({ url, range, most: LIMITS.init }, how));
      references = readIndex(bytes, range);
    }
    if (references === undefined || indexes > MOST_INDEXES || entries.length > LIMITS.pieces)
      throw new UploadError(
        "source-unreadable",
        `Cannot read the video: ${originOf(url)} gives an index that can't be read`,
      );
    for (const { isIndex, ...entry } of references) {
      const { start, end } = entry;
      const further = { start, end: Math.min(end, start + MOST_BYTES) };
      if (isIndex) await read(further, bytes.subarray(start - range.start));
      else entries.push(entry);
    }
  };
  await read(range, new Uint8Array(0));
  return entries;
}

/** Reads what it lists: pieces, and further indexes. */
function readIndex(
  bytes: Uint8Array,
  { start }: ByteRange,
): (IndexEntry & { isIndex: boolean })[] | undefined {
  const box = [...boxesIn(bytes)].find(({ type }) => type === "sidx");
  if (box === undefined || box.end - box.content < 24) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const timescale = view.getUint32(box.content + 8);
  const isLong = view.getUint8(box.content) !== 0;
  const counted = box.content + (isLong ? 28 : 20);
  const count = counted + 4 <= box.end ? view.getUint16(counted + 2) : 0;
  if (timescale === 0 || count === 0 || counted + 4 + 12 * count > box.end) return undefined;
  const offset = isLong ? Number(view.getBigUint64(box.content + 20)) : view.getUint32(box.content + 16);
  let time = isLong ? Number(view.getBigUint64(box.content + 12)) : view.getUint32(box.content + 12);
  let at = start + box.end + offset;
  const entries: (IndexEntry & { isIndex: boolean })[] = [];
  for (let entry = 0; entry < count; entry++) {
    const place = counted + 4 + 12 * entry;
    const isIndex = (view.getUint32(place) & FURTHER_INDEX) !== 0;
    const size = view.getUint32(place) & ~FURTHER_INDEX;
    const length = view.getUint32(place + 4);
    entries.push({
      isIndex,
      start: at,
      end: at + size,
      time: time / timescale,
      duration: length / timescale,
    });
    at += size;
    time += length;
  }
  return entries;
}

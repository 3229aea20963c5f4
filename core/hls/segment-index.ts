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

/**
 * Fetches an index.
 *
 * @throws {UploadError} `source-refused` or `source-unreadable`.
 */
export async function fetchIndex({ href, range }: Required<Place>, how: Fetching): Promise<IndexEntry[]> {
  const { bytes } = await fetchBytes({ url: new URL(href), range, most: LIMITS.init }, how);
  const entries = range && readIndex(bytes, range);
  if (entries !== undefined) return entries;
  throw new UploadError(
    "source-unreadable",
    `Cannot read the video: ${originOf(href)} gives an index that can't be read`,
  );
}

/** Reads it; `undefined` for one of further indexes. */
function readIndex(bytes: Uint8Array, { start }: ByteRange): IndexEntry[] | undefined {
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
  const entries: IndexEntry[] = [];
  for (let entry = 0; entry < count; entry++) {
    const place = counted + 4 + 12 * entry;
    const reference = view.getUint32(place);
    if (reference >= 2 ** 31) return undefined;
    const length = view.getUint32(place + 4);
    entries.push({
      start: at,
      end: at + reference,
      time: time / timescale,
      duration: length / timescale,
    });
    at += reference;
    time += length;
  }
  return entries;
}

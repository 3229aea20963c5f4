/** Pictures of H.264 and H.265 in a stream of bytes (Annex B of both): units, each behind the bytes 0, 0, 1. */

import type { PictureCodec } from "./formats.ts";
import { UnreadablePiece } from "./piece.ts";

export interface Picture {
  start: number;
  end: number;
  /** The units of the picture as MP4 holds them: behind the length of each. */
  runs: Uint8Array[];
  /** True if a decoder may begin with it. */
  isKey: boolean;
}

/** Facts that a unit tells of its picture. */
interface UnitFacts {
  /** True for a part of the picture itself. */
  isSlice: boolean;
  /** True for one that stands before all slices of its picture. */
  isHead: boolean;
  isKey: boolean;
  /** The number of the first block of a slice: no further slice of a picture has a smaller one. */
  first: number;
}

/** Units of a piece: an hour of pictures in some slices each. One may be a byte, and takes much more in memory. */
const MOST_UNITS = 500_000;

/**
 * The pictures of a piece, each with the units up to the next one. Those before the first one are the end of a picture that
 * began in the piece before.
 *
 * @param from where the first picture may begin
 */
export function picturesIn(bytes: Uint8Array, codec: PictureCodec, from: number): Picture[] {
  const read = codec === "avc" ? readAvcUnit : readHevcUnit;
  const pictures: Picture[] = [];
  let picture: Picture | undefined;
  let [start, hasSlice, last, units] = [0, false, 0, 0];
  const close = (mark: number) => {
    let end = mark;
    // No unit ends with zero: such bytes belong to the mark behind it, or fill.
    while (end > start && bytes[end - 1] === 0) end--;
    if (picture === undefined || end <= start) return;
    if (++units > MOST_UNITS) throw new UnreadablePiece(`it holds over ${MOST_UNITS} units of pictures`);
    const length = new Uint8Array(4);
    new DataView(length.buffer).setUint32(0, end - start);
    picture.runs.push(length, bytes.subarray(start, end));
  };
  for (let at = bytes.indexOf(0); at >= 0 && at + 2 < bytes.length; at = bytes.indexOf(0, at)) {
    const [second, third] = [bytes[at + 1], bytes[at + 2]];
    if (second !== 0 || third !== 1) {
      at += second !== 0 ? 2 : third === 0 ? 1 : 3;
      continue;
    }
    close(at);
    start = at + 3;
    const { isSlice, isHead, isKey, first } = read(bytes, start);
    const begins = isSlice ? (picture ? hasSlice && first <= last : first === 0) : isHead;
    if (begins && at >= from && (picture === undefined || hasSlice)) {
      // A unit's mark may have a further zero.
      const begin = at > from && bytes[at - 1] === 0 ? at - 1 : at;
      if (picture !== undefined) picture.end = begin;
      picture = { start: begin, end: bytes.length, runs: [], isKey: false };
      pictures.push(picture);
      hasSlice = false;
    }
    if (picture !== undefined && !hasSlice) picture.isKey ||= isKey;
    if (isSlice) [hasSlice, last] = [picture !== undefined, first];
    at += 3;
  }
  close(bytes.length);
  return pictures;
}

/** The message of H.264 that says how many pictures it takes until all is right: none, to begin with. */
const RECOVERY_POINT = 6;
/** The byte behind the messages of a unit; and the bytes of them that are looked at, since some hold texts. */
const [MESSAGES_END, MOST_MESSAGES] = [0x80, 1024];

/** The bytes of a unit without each three behind two zeros, which keeps marks out of it (7.4.1.1). */
export function rawBytesOf(unit: Uint8Array): Uint8Array {
  return unit.filter((byte, at) => byte !== 3 || unit[at - 1] !== 0 || unit[at - 2] !== 0);
}

function isRecovery(bytes: Uint8Array, start: number): boolean {
  const data = rawBytesOf(bytes.subarray(start, start + MOST_MESSAGES));
  let at = 0;
  const next = () => {
    let sum = 0;
    while (data[at] === 255) sum += data[at++] ?? 0;
    return sum + (data[at++] ?? 0);
  };
  while (at < data.length && data[at] !== MESSAGES_END) {
    const [type, size] = [next(), next()];
    if (type === RECOVERY_POINT) return (data[at] ?? 0) >> 6 === 3;
    at += size;
  }
  return false;
}

function readAvcUnit(bytes: Uint8Array, start: number): UnitFacts {
  const type = (bytes[start] ?? 0) & 31;
  const isSlice = type === 1 || type === 2 || type === 5;
  return {
    isSlice,
    isHead: type >= 6 && type <= 9,
    isKey: type === 5 || (type === 6 && isRecovery(bytes, start + 1)),
    first: isSlice ? numberAt(bytes, start + 1) : 0,
  };
}

function readHevcUnit(bytes: Uint8Array, start: number): UnitFacts {
  const [first = 0, second = 0, third = 0] = bytes.subarray(start, start + 3);
  const [type, isBase] = [first >> 1, (first & 1) === 0 && second >> 3 === 0];
  const isHead = (type >= 32 && type <= 35) || type === 39 || (type >= 41 && type <= 44) || type >= 48;
  return {
    isSlice: isBase && (type <= 9 || (type >= 16 && type <= 21)),
    isHead: isBase && isHead && type <= 55,
    isKey: isBase && type >= 16 && type <= 23,
    // Only the first slice tells that it is.
    first: third >> 7 === 1 ? 0 : start,
  };
}

/** A number that as many zeros as it has further bits stand before (Exp-Golomb). */
function numberAt(bytes: Uint8Array, at: number): number {
  const view = Array.from({ length: 5 }, (_, place) => bytes[at + place] ?? 0);
  const bits = view.reduce((all, byte) => all * 256 + byte, 0);
  const zeros = 39 - Math.floor(Math.log2(Math.max(1, bits)));
  return zeros > 19 ? 0 : Math.floor(bits / 2 ** (39 - 2 * zeros)) - 1;
}

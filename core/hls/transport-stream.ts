/**
 * MPEG-TS (ISO/IEC 13818-1), as far as it takes to read a piece without parameter sets: encoders need not repeat them
 * where no picture starts again, and players still know them from the piece before.
 *
 * @module
 */

/** The first byte of each packet, and how long one is. */
export const TS_START = 0x47;
export const TS_PACKET = 188;

/** Pictures in AVC and HEVC, which need parameter sets. */
const STREAM_TYPES = [0x1b, 0x24];

/** What a piece begins with: its tables and its first picture, with the parameter sets of those that follow. */
export interface FirstPicture {
  bytes: Uint8Array<ArrayBuffer>;
  /** Number of the stream of its pictures. */
  stream: number;
}

interface Packet {
  stream: number;
  /** Whether a table or a picture begins in it. */
  isBeginning: boolean;
  bytes: Uint8Array;
  payload: Uint8Array;
}

/** The first picture of a piece; `undefined` where it has none that is read here. */
export function firstPictureOf(piece: Uint8Array): FirstPicture | undefined {
  const taken: Uint8Array[] = [];
  let [table, stream]: (number | undefined)[] = [];
  let begun = 0;
  for (const { stream: at, isBeginning, bytes, payload } of packetsIn(piece)) {
    if (at === 0 && isBeginning) table ??= programIn(payload);
    if (at === table && isBeginning) stream ??= picturesIn(payload);
    if (at === stream && isBeginning) begun++;
    if (begun === 2) break;
    if (at === 0 || at === table || (at === stream && begun === 1)) taken.push(bytes);
  }
  if (stream === undefined || begun === 0) return undefined;
  const joined = new Uint8Array(taken.length * TS_PACKET);
  for (const [at, bytes] of taken.entries()) joined.set(bytes, at * TS_PACKET);
  return { bytes: joined, stream };
}

/** How many pictures begin in a piece. */
export function countPictures(piece: Uint8Array, stream: number): number {
  let count = 0;
  for (const packet of packetsIn(piece)) if (packet.stream === stream && packet.isBeginning) count++;
  return count;
}

function* packetsIn(piece: Uint8Array): Generator<Packet> {
  for (let at = 0; at + TS_PACKET <= piece.length && piece[at] === TS_START; at += TS_PACKET) {
    const bytes = piece.subarray(at, at + TS_PACKET);
    const [, high = 0, low = 0, flags = 0, adaptation = 0] = bytes;
    const start = flags & 0x20 ? 5 + adaptation : 4;
    const payload = flags & 0x10 ? bytes.subarray(start) : new Uint8Array(0);
    yield { stream: ((high & 0x1f) << 8) | low, isBeginning: (high & 0x40) !== 0, bytes, payload };
  }
}

/** The stream of the table of the first program. */
function programIn(payload: Uint8Array): number | undefined {
  const section = sectionIn(payload);
  for (let at = 8; at + 4 <= section.length; at += 4)
    if (numberAt(section, at) !== 0) return numberAt(section, at + 2) & 0x1fff;
  return undefined;
}

/** The stream of the pictures of a program. */
function picturesIn(payload: Uint8Array): number | undefined {
  const section = sectionIn(payload);
  for (let at = 12 + (numberAt(section, 10) & 0xfff); at + 5 <= section.length; ) {
    if (STREAM_TYPES.includes(section[at] ?? 0)) return numberAt(section, at + 1) & 0x1fff;
    at += 5 + (numberAt(section, at + 3) & 0xfff);
  }
  return undefined;
}

/** A table without its checksum. */
function sectionIn(payload: Uint8Array): Uint8Array {
  const section = payload.subarray(1 + (payload[0] ?? 0));
  return section.subarray(0, Math.max(0, (numberAt(section, 1) & 0xfff) - 1));
}

function numberAt(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
}

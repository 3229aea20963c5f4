/** Boxes of MP4: found by their names, and the few fields in them that are read or set. */

export interface Box {
  type: string;
  start: number;
  content: number;
  end: number;
}

/** The boxes of a run of bytes, as far as they are whole; what follows a broken one is none. */
export function* boxesIn(bytes: Uint8Array, start = 0, end: number = bytes.length): Generator<Box> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = start; at + 8 <= end; ) {
    const short = view.getUint32(at);
    const isLong = short === 1 && at + 16 <= end;
    const size = isLong ? Number(view.getBigUint64(at + 8)) : short === 0 ? end - at : short;
    const content = at + (isLong ? 16 : 8);
    if (size < content - at || at + size > end) return;
    yield { type: textAt(bytes, at + 4), start: at, content, end: at + size };
    at += size;
  }
}

export function findBoxes(bytes: Uint8Array, path: readonly string[]): Box[] {
  let found: Box[] = [{ type: "", start: 0, content: 0, end: bytes.length }];
  for (const name of path)
    found = found.flatMap((box) =>
      [...boxesIn(bytes, box.content, box.end)].filter(({ type }) => type === name),
    );
  return found;
}

/** True if bytes announce samples that aren't all there. Something else behind the last box is no sample. */
export function lacksSamples(bytes: Uint8Array): boolean {
  const boxes = [...boxesIn(bytes)];
  const has = (wanted: string) => boxes.some(({ type }) => type === wanted);
  const next = textAt(bytes, (boxes.at(-1)?.end ?? 0) + 4);
  return next === "moof" || next === "mdat" || (has("moof") && !has("mdat"));
}

/** True if the units of a picture of H.264 or H.265 fill it, as the length before each tells; zeros may follow them. */
export function isWholePicture(sample: Uint8Array, lengthSize: number): boolean {
  let at = 0;
  while (at < sample.length) {
    let length = 0;
    for (let byte = at; byte < at + lengthSize; byte++) length = 256 * length + (sample[byte] ?? 0);
    if (length === 0) return at > 0 && isZero(sample.subarray(at));
    at += lengthSize + length;
    // Marks are kept out of units by what stands behind each two zeros (7.4.1.1).
    if (hasZeros(sample.subarray(at - length, at))) return false;
  }
  return at === sample.length;
}

/** Bytes of zeros that are looked for: twice as many are found wherever they begin. */
const HOLE = 16;

/** True for bytes with many zeros among them, as holes of a cache give them. */
export function hasZeros(bytes: Uint8Array): boolean {
  for (let at = 0; at + HOLE < bytes.length; at += HOLE)
    if (bytes[at] === 0 && bytes[at + HOLE] === 0 && isZero(bytes.subarray(at, at + HOLE))) return true;
  return false;
}

export function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}

export interface HeadTrack {
  number: number;
  trak: Uint8Array;
  /** The kind of a track, "vide" for pictures and "soun" for sound. */
  handler: string;
  /** The format of each description of its samples, of which there are several where it changes on the way. */
  formats: string[];
  /** The first description, and where and how turned its pictures are shown, unless they are as they are. */
  description: Uint8Array | undefined;
  matrix: Uint8Array | undefined;
}

/** Nine numbers, and the size of the pictures, which stand at the end of the header of a track. */
const PLACE_SIZE = 44;
const UNTURNED = [1, 0, 0, 0, 1, 0, 0, 0, 0x4000];

/** @param head a head, or a track of one */
export function headTracks(head: Uint8Array): HeadTrack[] {
  const found = [...findBoxes(head, ["moov", "trak"]), ...findBoxes(head, ["trak"])];
  return found.map(({ start, end }) => {
    const trak = head.subarray(start, end);
    const [handler] = findBoxes(trak, ["trak", "mdia", "hdlr"]);
    const descriptions = findBoxes(trak, ["trak", "mdia", "minf", "stbl", "stsd"]).flatMap((list) =>
      // Version, flags and the number of entries come before them.
      [...boxesIn(trak, list.content + 8, list.end)],
    );
    const [description] = descriptions;
    const [header] = findBoxes(trak, ["trak", "tkhd"]);
    const view = new DataView(trak.buffer, trak.byteOffset, trak.byteLength);
    const place = trak.subarray((header?.end ?? 0) - PLACE_SIZE, header?.end ?? 0);
    const isTurned =
      header !== undefined &&
      UNTURNED.some((value, at) => view.getUint16(header.end - PLACE_SIZE + 4 * at) !== value);
    return {
      number:
        header === undefined ? 0 : view.getUint32(header.content + (trak[header.content] === 1 ? 20 : 12)),
      trak,
      handler: textAt(trak, (handler?.content ?? end) + 8),
      formats: descriptions.map(({ type }) => type),
      description: description && trak.subarray(description.start, description.end),
      matrix: isTurned ? place : undefined,
    };
  });
}

function textAt(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4));
}

export function isProtected(head: Uint8Array): boolean {
  return headTracks(head).some(({ formats }) => formats.some((format) => /^enc[vats]$/.test(format)));
}

export function hasTrack(head: Uint8Array, wanted: "vide" | "soun"): boolean {
  return headTracks(head).some(({ handler }) => handler === wanted);
}

const DATED = [
  ["moov", "mvhd"],
  ["moov", "trak", "tkhd"],
  ["moov", "trak", "mdia", "mdhd"],
];

/** Takes the time at which it was made out of the head of a file, so that the same video gives the same bytes. */
export function removeDates(head: Uint8Array): void {
  for (const path of DATED)
    for (const { content } of findBoxes(head, path)) {
      const isLong = head[content] === 1;
      head.fill(0, content + 4, content + (isLong ? 20 : 12));
    }
}

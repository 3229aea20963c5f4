/**
 * Boxes of MP4: found by their names, and the few fields in them that are read or set.
 *
 * @module
 */

/** A box within bytes. */
export interface Box {
  type: string;
  /** Where its header begins. */
  start: number;
  /** Where its content begins. */
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
    yield {
      type: String.fromCharCode(...bytes.subarray(at + 4, at + 8)),
      start: at,
      content,
      end: at + size,
    };
    at += size;
  }
}

/** All boxes that a path of names leads to. */
export function findBoxes(bytes: Uint8Array, path: readonly string[]): Box[] {
  let found: Box[] = [{ type: "", start: 0, content: 0, end: bytes.length }];
  for (const name of path)
    found = found.flatMap((box) =>
      [...boxesIn(bytes, box.content, box.end)].filter(({ type }) => type === name),
    );
  return found;
}

/** Whether the samples that bytes announce aren't all there. Something else behind the last box is no sample. */
export function lacksSamples(bytes: Uint8Array): boolean {
  let end = 0;
  const types = new Set<string>();
  for (const box of boxesIn(bytes)) {
    end = box.end;
    types.add(box.type);
  }
  const next = String.fromCharCode(...bytes.subarray(end + 4, end + 8));
  return next === "moof" || next === "mdat" || (types.has("moof") && !types.has("mdat"));
}

const SAMPLE_DESCRIPTIONS = ["moov", "trak", "mdia", "minf", "stbl", "stsd"];

/** Whether the samples of a file are encrypted, as its head says. */
export function isProtected(bytes: Uint8Array): boolean {
  return findBoxes(bytes, SAMPLE_DESCRIPTIONS).some((description) =>
    // Version, flags and the number of entries come before them.
    [...boxesIn(bytes, description.content + 8, description.end)].some(({ type }) =>
      /^enc[vats]$/.test(type),
    ),
  );
}

/** Whether a file has a track of pictures or of sound, as its head says. */
export function hasTrack(bytes: Uint8Array, handler: "vide" | "soun"): boolean {
  return findBoxes(bytes, ["moov", "trak", "mdia", "hdlr"]).some(
    ({ content }) => String.fromCharCode(...bytes.subarray(content + 8, content + 12)) === handler,
  );
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

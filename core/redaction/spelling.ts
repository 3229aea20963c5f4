/**
 * A text as bytes that remember where they stand in it, so that what is found in them is found in the text.
 *
 * @module
 */

/** A text as bytes, and the characters that each byte stands for. */
export interface Spelling {
  readonly bytes: Uint8Array;
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  /** How many of them hold something. */
  length: number;
}

/** A text as it stands. */
export function spell(text: string): Spelling {
  const spelling = emptySpelling(3 * text.length);
  for (let at = 0; at < text.length; ) {
    const code = text.codePointAt(at) ?? 0;
    const end = at + (code > 0xffff ? 2 : 1);
    append(spelling, code, at, end);
    at = end;
  }
  return spelling;
}

/** One with room for so many bytes. */
export function emptySpelling(room: number): Spelling {
  return { bytes: new Uint8Array(room), from: new Uint32Array(room), to: new Uint32Array(room), length: 0 };
}

/** The bytes that hold something. */
export function bytesOf({ bytes, length }: Spelling): Uint8Array {
  return bytes.subarray(0, length);
}

const encoder = new TextEncoder();

/** Appends the bytes of UTF-8 of a character; half a one becomes what encoders make of it. */
export function append(spelling: Spelling, code: number, from: number, to: number): void {
  if (code < 0x80) appendByte(spelling, code, from, to);
  else {
    const character = String.fromCodePoint(Math.min(code, 0x10ffff));
    for (const byte of encoder.encode(character)) appendByte(spelling, byte, from, to);
  }
}

/** Appends a byte that stands for a run of characters. */
export function appendByte(spelling: Spelling, byte: number, from: number, to: number): void {
  const at = spelling.length++;
  spelling.bytes[at] = byte;
  spelling.from[at] = from;
  spelling.to[at] = to;
}

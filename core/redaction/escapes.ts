/**
 * Escapes of texts: percent-encoding, backslashes as in JSON, and entities as in HTML.
 *
 * @module
 */

import { append, appendByte, bytesOf, emptySpelling, type Spelling } from "./spelling.ts";

const PERCENT = 0x25;
const BACKSLASH = 0x5c;
const AMPERSAND = 0x26;
/** What escapes begin with: percent-encoding, backslashes, entities. */
export const ESCAPE_SIGNS: readonly number[] = [PERCENT, BACKSLASH, AMPERSAND];
const SHORT_ESCAPES = new Map(Object.entries({ b: 8, t: 9, n: 10, f: 12, r: 13 }));
const ENTITIES = new Map(Object.entries({ amp: 0x26, lt: 0x3c, gt: 0x3e, quot: 0x22, apos: 0x27 }));

/** What an escape stands for and how many bytes it has: a byte of its own, or a character. */
type Escape = { length: number; byte: number } | { length: number; code: number };

/** The same text with its escapes, of these kinds, resolved once; `undefined` where it has none. */
export function unescaped(spelling: Spelling, signs: readonly number[] = ESCAPE_SIGNS): Spelling | undefined {
  const { from, to } = spelling;
  const bytes = bytesOf(spelling);
  if (!signs.some((sign) => bytes.includes(sign))) return undefined;
  const plain = emptySpelling(bytes.length);
  for (let at = 0; at < bytes.length; ) {
    const found = signs.includes(bytes[at] ?? 0) ? escapeAt(bytes, at) : undefined;
    const end = at + (found?.length ?? 1);
    const [start, stop] = [from[at] ?? 0, to[end - 1] ?? 0];
    if (found !== undefined && "code" in found) append(plain, found.code, start, stop);
    else appendByte(plain, found?.byte ?? bytes[at] ?? 0, start, stop);
    at = end;
  }
  return plain.length < bytes.length ? plain : undefined;
}

function escapeAt(bytes: Uint8Array, at: number): Escape | undefined {
  if (bytes[at] === PERCENT) {
    const byte = hexAt(bytes, at + 1, 2);
    return byte === undefined ? undefined : { length: 3, byte };
  }
  if (bytes[at] === BACKSLASH) return backslashEscape(bytes, at);
  return bytes[at] === AMPERSAND ? entity(bytes, at) : undefined;
}

function backslashEscape(bytes: Uint8Array, at: number): Escape | undefined {
  const next = bytes[at + 1];
  if (next === undefined) return undefined;
  const letter = String.fromCharCode(next);
  const code =
    letter === "u" ? hexAt(bytes, at + 2, 4) : letter === "x" ? hexAt(bytes, at + 2, 2) : undefined;
  if (code === undefined) return { length: 2, byte: SHORT_ESCAPES.get(letter) ?? next };
  const length = letter === "u" ? 6 : 4;
  const low = bytes[at + 6] === BACKSLASH && bytes[at + 7] === next ? hexAt(bytes, at + 8, 4) : undefined;
  const isPair = length === 6 && code >> 10 === 0x36 && low !== undefined && low >> 10 === 0x37;
  return isPair ? { length: 12, code: 0x10000 + ((code & 0x3ff) << 10) + (low & 0x3ff) } : { length, code };
}

/** Characters of the longest entity between "&" and ";", leading zeros included. */
const LONGEST_ENTITY = 12;

function entity(bytes: Uint8Array, at: number): Escape | undefined {
  const next = String.fromCharCode(...bytes.subarray(at + 1, at + LONGEST_ENTITY + 2));
  const length = next.indexOf(";");
  if (length < 0) return undefined;
  const name = next.slice(0, length);
  const number = /^#(?:(\d+)|x([\da-f]+))$/i.exec(name);
  const code =
    number === null
      ? ENTITIES.get(name.toLowerCase())
      : Number.parseInt(number[1] ?? number[2] ?? "", number[1] === undefined ? 16 : 10);
  return code === undefined ? undefined : { length: length + 2, code };
}

function hexAt(bytes: Uint8Array, at: number, digits: number): number | undefined {
  let value = 0;
  for (let each = at; each < at + digits; each++) {
    const byte = bytes[each] ?? 0;
    // Letters differ from digits, and in case, by single bits.
    const letter = byte | 0x20;
    if (byte >= 0x30 && byte <= 0x39) value = 16 * value + byte - 0x30;
    else if (letter >= 0x61 && letter <= 0x66) value = 16 * value + letter - 0x57;
    else return undefined;
  }
  return value;
}

/** The beginning of an escape at the end of a cut text stands for nothing, and would hide half a secret before it. */
export function withoutHalfEscape(spelling: Spelling): Spelling {
  const end = String.fromCharCode(...bytesOf(spelling).slice(-LONGEST_ENTITY - 2));
  const half = /(?:%[\da-f]?|\\(?:u[\da-f]{0,3}|x[\da-f]?)?|&[#\w]*)$/i.exec(end)?.[0].length ?? 0;
  return { ...spelling, length: spelling.length - half };
}

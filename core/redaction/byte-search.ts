/**
 * Finds bytes in a text, in any case, in time that grows with the length of the text alone.
 *
 * @module
 */

import type { Spelling } from "./spelling.ts";

/** A run of characters of a text: from the first up to, but not including, the last. */
export interface Span {
  from: number;
  to: number;
}

/** A very short "secret" would shred ordinary words. */
export const SHORTEST = 4;

/** Each byte as it is compared: cases are one, and so are the spellings of base64 and of a space in a query. */
const FOLDED: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte >= 0x41 && byte <= 0x5a) return byte + 0x20;
  if (byte === 0x2b || byte === 0x20) return 0x2d;
  return byte === 0x5f ? 0x2f : byte;
});

/**
 * Where a form stands, by the search of Knuth, Morris and Pratt: what has matched is never looked at again, as plain
 * searches do with "aaaa…b" in "aaaa…".
 */
export function findForm({ bytes, from, to, length }: Spelling, form: Uint8Array, isCut: boolean): Span[] {
  if (form.length > length && !isCut) return [];
  const wanted = form.subarray(0, length + 1).map((byte) => FOLDED[byte] ?? byte);
  const borders = bordersOf(wanted);
  const found: Span[] = [];
  let matched = 0;
  for (let at = 0; at < length; at++) {
    const byte = FOLDED[bytes[at] ?? 0];
    while (matched > 0 && wanted[matched] !== byte) matched = borders[matched - 1] ?? 0;
    if (wanted[matched] === byte) matched++;
    if (matched < wanted.length || wanted.length < form.length) continue;
    found.push({ from: from[at - matched + 1] ?? 0, to: to[at] ?? 0 });
    matched = borders[matched - 1] ?? 0;
  }
  if (isCut && matched >= SHORTEST)
    found.push({ from: from[length - matched] ?? 0, to: Number.POSITIVE_INFINITY });
  return found;
}

/** For each beginning of a form, the length of the longest shorter one that it also ends with. */
function bordersOf(form: Uint8Array): Uint32Array {
  const borders = new Uint32Array(form.length);
  let length = 0;
  for (let at = 1; at < form.length; at++) {
    while (length > 0 && form[at] !== form[length]) length = borders[length - 1] ?? 0;
    if (form[at] === form[length]) length++;
    borders[at] = length;
  }
  return borders;
}

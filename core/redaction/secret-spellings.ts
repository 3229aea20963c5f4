/**
 * Finds secrets in a text however they are spelled there: in any case, percent-encoded, escaped for JSON or HTML (once
 * or several times), in base64 or in hex. The work grows with the length of the text, whatever stands in it.
 *
 * @module
 */

import { findForm, SHORTEST, type Span } from "./byte-search.ts";
import { ESCAPE_SIGNS, unescaped, withoutHalfEscape } from "./escapes.ts";
import { bytesOf, type Spelling, spell } from "./spelling.ts";

/** How often an escaped text may have been escaped again. */
const MOST_LEVELS = 5;

/**
 * The bytes that secrets may stand as.
 *
 * @param room characters of the longest text that they are looked for in: no more of a long secret can stand there
 */
export function formsOf(secrets: Iterable<string>, room: number): Uint8Array[] {
  return [...secrets].filter(({ length }) => length >= SHORTEST).flatMap((each) => formsOfOne(each, room));
}

/**
 * Finds secrets.
 *
 * @param forms what they may stand as
 * @param isCut whether the text went on, so that it may end in the beginning of a secret
 */
export function findSecrets(text: string, forms: readonly Uint8Array[], isCut: boolean): Span[] {
  if (forms.length === 0) return [];
  const levels = levelsOf(text, isCut);
  return forms.flatMap((form) => levels.flatMap((level) => findForm(level, form, isCut)));
}

/**
 * The text as it stands, unescaped once, twice and so on, until nothing is left to unescape. What one kind of escape
 * begins with may be an ordinary character to another, so each kind is also resolved by itself.
 */
function levelsOf(text: string, isCut: boolean): Spelling[] {
  const own = spell(text);
  const levels = [isCut ? withoutHalfEscape(own) : own];
  const kinds = ESCAPE_SIGNS.filter((sign) => bytesOf(own).includes(sign));
  for (const signs of kinds.length > 1 ? [kinds, ...kinds.map((kind) => [kind])] : [kinds]) {
    let last: Spelling | undefined = levels[0];
    for (let depth = 1; last !== undefined && depth < MOST_LEVELS; depth++) {
      const next: Spelling | undefined = unescaped(last, signs);
      last = next && isCut ? withoutHalfEscape(next) : next;
      if (last !== undefined) levels.push(last);
    }
  }
  return levels;
}

const encoder = new TextEncoder();

/**
 * The bytes that a secret may stand as: as it is, unescaped, in base64 at each of the three places it may begin at, in
 * hex. No more of a long one than can stand in the text.
 */
function formsOfOne(secret: string, room: number): Uint8Array[] {
  const start = spell(secret.slice(0, 16 * (room + 1)));
  const forms = [bytesOf(start)];
  for (let next = unescaped(start); next !== undefined && forms.length < 3; next = unescaped(next))
    forms.push(bytesOf(next));
  const own = bytesOf(start).subarray(0, 3 * room + 1);
  for (const before of [0, 1, 2]) forms.push(encoder.encode(base64(own, before)));
  forms.push(encoder.encode(hex(own)));
  return forms.filter(({ length }) => length >= SHORTEST);
}

/** The base64 of bytes behind so many others, without the characters that also depend on what stands around them. */
function base64(bytes: Uint8Array, before: number): string {
  const all = new Uint8Array(before + bytes.length);
  all.set(bytes, before);
  let text = "";
  for (let at = 0, end = all.length - (all.length % 3); at < end; at += BLOCK_SIZE)
    text += btoa(String.fromCharCode(...all.subarray(at, Math.min(end, at + BLOCK_SIZE))));
  return text.slice(before === 0 ? 0 : before + 1);
}

/** Bytes that are written as base64 at a time: whole groups of three, and no more than a call takes as arguments. */
const BLOCK_SIZE = 3 * 1024;

const HEX_DIGITS = "0123456789abcdef";

function hex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += HEX_DIGITS.charAt(byte >> 4) + HEX_DIGITS.charAt(byte & 15);
  return text;
}

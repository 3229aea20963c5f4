/**
 * Finds secrets in a text however they are spelled there: in any case, percent-encoded, escaped for JSON or HTML (once
 * or several times), in base64 or in hex. The work grows with the length of the text, whatever stands in it.
 *
 * @module
 */

/** A run of characters of a text: from the first up to, but not including, the last. */
export interface Span {
  from: number;
  to: number;
}

/** A text as bytes, and the characters that each byte stands for. */
interface Spelling {
  readonly bytes: Uint8Array;
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  /** How many of them hold something. */
  length: number;
}

/** How often an escaped text may have been escaped again. */
const MOST_LEVELS = 5;
/** A very short "secret" would shred ordinary words. */
const SHORTEST = 4;

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

function spell(text: string): Spelling {
  const spelling = emptySpelling(3 * text.length);
  for (let at = 0; at < text.length; ) {
    const code = text.codePointAt(at) ?? 0;
    const end = at + (code > 0xffff ? 2 : 1);
    append(spelling, code, at, end);
    at = end;
  }
  return spelling;
}

function emptySpelling(room: number): Spelling {
  return { bytes: new Uint8Array(room), from: new Uint32Array(room), to: new Uint32Array(room), length: 0 };
}

function bytesOf({ bytes, length }: Spelling): Uint8Array {
  return bytes.subarray(0, length);
}

const encoder = new TextEncoder();

/** Appends the bytes of UTF-8 of a character; half a one becomes what encoders make of it. */
function append(spelling: Spelling, code: number, from: number, to: number): void {
  if (code < 0x80) appendByte(spelling, code, from, to);
  else {
    const character = String.fromCodePoint(Math.min(code, 0x10ffff));
    for (const byte of encoder.encode(character)) appendByte(spelling, byte, from, to);
  }
}

function appendByte(spelling: Spelling, byte: number, from: number, to: number): void {
  const at = spelling.length++;
  spelling.bytes[at] = byte;
  spelling.from[at] = from;
  spelling.to[at] = to;
}

const PERCENT = 0x25;
const BACKSLASH = 0x5c;
const AMPERSAND = 0x26;
const ESCAPE_SIGNS = [PERCENT, BACKSLASH, AMPERSAND];
const SHORT_ESCAPES: Record<string, number> = { b: 8, t: 9, n: 10, f: 12, r: 13 };
const ENTITIES: Record<string, number> = { amp: 0x26, lt: 0x3c, gt: 0x3e, quot: 0x22, apos: 0x27 };

/** What an escape stands for and how many bytes it has: a byte of its own, or a character. */
type Escape = { length: number; byte: number } | { length: number; code: number };

/** The same text with its escapes, of these kinds, resolved once; `undefined` where it has none. */
function unescaped(spelling: Spelling, signs: number[] = ESCAPE_SIGNS): Spelling | undefined {
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
  if (code === undefined) return { length: 2, byte: SHORT_ESCAPES[letter] ?? next };
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
      ? ENTITIES[name.toLowerCase()]
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
function withoutHalfEscape(spelling: Spelling): Spelling {
  const end = String.fromCharCode(...bytesOf(spelling).slice(-LONGEST_ENTITY - 2));
  const half = /(?:%[\da-f]?|\\(?:u[\da-f]{0,3}|x[\da-f]?)?|&[#\w]*)$/i.exec(end)?.[0].length ?? 0;
  return { ...spelling, length: spelling.length - half };
}

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
function findForm({ bytes, from, to, length }: Spelling, form: Uint8Array, isCut: boolean): Span[] {
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

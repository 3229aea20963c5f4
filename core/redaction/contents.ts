/** Texts that are written in another form: base64, hex, or numbers of characters. */
import { character, readingsOf } from "./readings.ts";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
/** How bytes are written: the bits of a digit, the digits after which a byte begins again, and the value of each digit. */
const FORMS = [
  { bits: 6, group: 4, values: valuesOf(`${LETTERS}+/`, `${LETTERS}-_`) },
  { bits: 4, group: 2, values: valuesOf("0123456789ABCDEF", "0123456789abcdef") },
];
type Form = (typeof FORMS)[number];

/** @param spellings the digits of a form in order, as some write them and as others do */
function valuesOf(...spellings: string[]): ReadonlyMap<number, number> {
  const values = new Map<number, number>();
  for (const digits of spellings)
    for (const [value, digit] of [...digits].entries()) values.set(digit.charCodeAt(0), value);
  return values;
}

/** Runs of an unpacked text that are unpacked again: the rest of it is no text. */
const READABLE = /[\w+/=\s-]{12,}/g;
const DEEPEST = 3;

/** All that a text may hold, and what that holds in turn: signs of no form, such as line breaks, are left out. */
export function* contentsOf(text: string, depth = 1): Generator<string> {
  yield charactersIn(text);
  for (const form of FORMS)
    for (const content of unpacked(text, form)) {
      yield* readingsOf(content);
      const readable = content.match(READABLE)?.join("") ?? "";
      if (readable !== "" && depth < DEEPEST) yield* contentsOf(readable, depth + 1);
    }
}

function* unpacked(text: string, { bits, group, values }: Form): Generator<string> {
  const digits = new Uint8Array(text.length);
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const value = values.get(text.charCodeAt(at));
    if (value !== undefined) digits[count++] = value;
  }
  // A packed text may begin at any part of a group, by the digits that stand before it.
  for (let first = 0; first < group && first < count; first++)
    yield joined(digits.subarray(first, count), bits);
}

/** The bytes that digits stand for, as a text of ASCII. */
function joined(digits: Uint8Array, bits: number): string {
  const bytes = new Uint8Array(Math.floor((digits.length * bits) / 8));
  let [held, rest, length] = [0, 0, 0];
  for (const digit of digits) {
    rest = ((rest << bits) | digit) & 0xffff;
    held += bits;
    if (held < 8) continue;
    held -= 8;
    const byte = (rest >> held) & 0xff;
    bytes[length++] = byte < 0x80 ? byte : 0;
  }
  return new TextDecoder().decode(bytes.subarray(0, length));
}

/** The characters whose numbers stand in a text, such as "90, 113", "0x5a" or "U+005A". */
function charactersIn(text: string): string {
  let characters = "";
  for (const [, hex, decimal] of text.matchAll(/(?:0x|u\+)([\da-f]{1,6})|(\d{1,7})/gi))
    characters += character(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16));
  return characters;
}

/** Texts that are written in another form: base64, hex, or numbers of characters. */
import { character, readingsOf } from "./readings.ts";

/** Runs of an unpacked text that are unpacked again: the rest of it is no text. */
const READABLE = /[\w+/=\s-]{12,}/g;
const DEEPEST = 3;

/** All that a text may hold, and what that holds in turn: signs of no form, such as line breaks, are left out. */
export function* contentsOf(text: string, depth = 1): Generator<string> {
  yield charactersIn(text);
  for (const bytes of unpacked(text)) {
    const content = bytes.replace(/[^\0-\x7f]/g, "\0");
    yield* readingsOf(content);
    const readable = content.match(READABLE)?.join("") ?? "";
    if (readable !== "" && depth < DEEPEST) yield* contentsOf(readable, depth + 1);
  }
}

/** The bytes of base64 and hex. They may begin at any part of a group, by the digits that stand before them. */
function* unpacked(text: string): Generator<string> {
  const base64 = text
    .replaceAll("-", "+")
    .replaceAll("_", "/")
    .replace(/[^\da-z+/]+/gi, "");
  for (let first = 0; first < 4; first++) {
    const digits = base64.slice(first);
    // One digit that is left over holds no byte.
    yield atob(digits.length % 4 === 1 ? digits.slice(0, -1) : digits);
  }
  const hex = text.replace(/[^\da-f]+/gi, "");
  for (let first = 0; first < 2; first++)
    yield hex.slice(first).replace(/../g, (byte) => String.fromCharCode(Number.parseInt(byte, 16)));
}

/** The characters whose numbers stand in a text, such as "90, 113", "0x5a" or "U+005A". */
function charactersIn(text: string): string {
  let characters = "";
  for (const [, hex, decimal] of text.matchAll(/(?:0x|u\+)([\da-f]{1,6})|(\d{1,7})/gi))
    characters += character(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16));
  return characters;
}

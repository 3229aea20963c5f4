/** Texts that are written in another form: base64, base32, hex, binary digits, or numbers of characters. */
import { readingsOf } from "./readings.ts";

/** How bytes are written: which bits a character stands for, and how many. */
interface Form {
  bits: number;
  values: ReadonlyMap<number, number>;
}

const UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const LETTERS = `${UPPER}${UPPER.toLowerCase()}0123456789`;
const BASE64 = form(6, `${LETTERS}+/`, `${LETTERS}-_`);
const HEX = form(4, "0123456789ABCDEF", "0123456789abcdef");
const BASE32 = form(5, `${UPPER}234567`, UPPER.toLowerCase());
const BINARY = form(1, "01");

/** @param spellings its digits in order, as some write them and as others do */
function form(bits: number, ...spellings: string[]): Form {
  const values = spellings.flatMap((digits) =>
    Array.from(digits, (digit, value) => [digit.charCodeAt(0), value] as const),
  );
  return { bits, values: new Map(values) };
}

/** Runs of an unpacked text that are unpacked again: the rest of it is no text. */
const READABLE = /[\w+/=\s-]{12,}/g;
const DEEPEST = 3;

/** All that a text may hold, and what that holds in turn: signs of no form, such as line breaks, are left out. */
export function* contentsOf(text: string): Generator<string> {
  yield* unpackedAgain(text, 1);
  yield* unpacked([...text].reverse().join(""), [BASE64, HEX]);
  yield* unpacked(text, [BASE32, BINARY]);
  yield charactersIn(text, /0x([\da-f]{1,6})|u\+([\da-f]{1,6})|(\d{1,7})/gi, 10);
  yield charactersIn(text, /()()([0-3][0-7]{2})/g, 8);
}

function* unpackedAgain(text: string, depth: number): Generator<string> {
  for (const content of unpacked(text, [BASE64, HEX])) {
    yield* readingsOf(content);
    const readable = content.match(READABLE)?.join("") ?? "";
    if (readable !== "" && depth < DEEPEST) yield* unpackedAgain(readable, depth + 1);
  }
}

function* unpacked(text: string, forms: readonly Form[]): Generator<string> {
  for (const { bits, values } of forms) {
    const digits = new Uint8Array(text.length);
    let count = 0;
    for (let at = 0; at < text.length; at++) {
      const value = values.get(text.charCodeAt(at));
      if (value !== undefined) digits[count++] = value;
    }
    // A packed text may begin at any part of a group, by the digits that stand before it.
    const group = bits === 4 ? 2 : bits === 6 ? 4 : 8;
    for (let first = 0; first < group && first < count; first++)
      yield joined(digits.subarray(first, count), bits);
  }
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

function charactersIn(text: string, number: RegExp, radix: number): string {
  let characters = "";
  for (const [, hex, point, own = ""] of text.matchAll(number)) {
    const digits = hex || point;
    const code = digits ? Number.parseInt(digits, 16) : Number.parseInt(own, radix);
    if (code <= 0x10ffff) characters += String.fromCodePoint(code);
  }
  return characters;
}

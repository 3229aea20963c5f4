/** The standard input: a list of lines, or a video itself, told by how it begins. */
import process from "node:process";
import { joined } from "../content/digest.ts";
import { pathText } from "../disk/system-path.ts";
import { UsageError } from "./usage-error.ts";

/** Bytes by which content is told from a list that has no end of a line so far. */
const BEGINNING_SIZE = 512;
/** Bytes of a line: more than any path or address has. */
const LONGEST_LINE = 64 * 1024;

/** Characters that no text holds, whatever its language. */
const CONTENT = /[\0-\x08\x0e-\x1a\x1c-\x1f]/;

/** A line of a list: its number, and its text, which is missing where it is too long. */
interface ListLine {
  number: number;
  text: string | undefined;
}

export const TOO_LONG = `Cannot read the line: it is longer than ${LONGEST_LINE} bytes`;

/** Reads the word of a line, none where the line is blank or a comment. Byte order marks go with the blanks around the word. */
export function wordOf(line: string): string | undefined {
  const word = line.trim();
  return word === "" || word.startsWith("#") ? undefined : word;
}

/**
 * Gives each line as soon as it is there, as it stands.
 *
 * @param end the byte that ends a line: 10, or 0 as `find -print0` writes it
 * @throws {UsageError} where it is no list.
 */
export async function* linesOfInput(end: 0 | 10 = 10): AsyncGenerator<ListLine, undefined> {
  // A list may come line by line, from somebody who waits for what becomes of each.
  const { isContent, pieces } = await openInput((beginning) => beginning.includes(end));
  if (isContent && end !== 0)
    throw new UsageError(
      "the standard input is no list of lines. If it is a video, name it with --stdin-name, such as film.mp4; what find -print0 gives is read with -0",
    );
  let line = new Uint8Array();
  let number = 0;
  const read = (bytes: Uint8Array): ListLine => ({
    number: ++number,
    text: bytes.length > LONGEST_LINE ? undefined : pathText(bytes),
  });
  for await (const piece of pieces) {
    let from = 0;
    for (let at = piece.indexOf(end); at !== -1; at = piece.indexOf(end, from)) {
      yield read(joined([line, piece.subarray(from, at)]));
      line = new Uint8Array();
      from = at + 1;
    }
    // Of a line that is too long no more is held than shows that.
    line = joined([line, piece.subarray(from)]).subarray(0, LONGEST_LINE + 1);
  }
  if (line.length > 0) yield read(line);
}

/** @throws {UsageError} where the standard input is a text. */
export async function contentOfInput(): Promise<AsyncGenerator<Uint8Array, undefined>> {
  const { isEmpty, isContent, pieces } = await openInput(() => false);
  if (isEmpty || isContent) return pieces;
  throw new UsageError("the standard input is a text, not a video. For a list leave out --stdin-name");
}

/** @returns its pieces, and whether it has none, or begins like no text */
async function openInput(isEnough: (beginning: Uint8Array) => boolean) {
  const rest = (process.stdin as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  let beginning = new Uint8Array();
  while (beginning.length < BEGINNING_SIZE && !isEnough(beginning)) {
    const next = await rest.next();
    if (next.done === true) break;
    beginning = joined([beginning, next.value]);
  }
  async function* pieces(): AsyncGenerator<Uint8Array, undefined> {
    if (beginning.length > 0) yield beginning;
    yield* { [Symbol.asyncIterator]: () => rest };
  }
  const text = new TextDecoder("latin1").decode(beginning.subarray(0, LONGEST_LINE));
  return { isEmpty: beginning.length === 0, isContent: CONTENT.test(text), pieces: pieces() };
}

/** The standard input: a list of lines, or a video itself, told by how it begins. */
import process from "node:process";
import { UsageError } from "./usage-error.ts";

/** Bytes by which content is told from a list that has no end of a line so far. */
const BEGINNING_SIZE = 512;
/** Characters of a line: more than any path or address has. */
const LONGEST_LINE = 64 * 1024;

/** Characters that no text holds, whatever its language. */
const CONTENT = /[\0-\x08\x0e-\x1a\x1c-\x1f]/;

/** A line of a list: its number, and its text without blanks around it, which is missing where it is too long. */
export interface ListLine {
  number: number;
  text: string | undefined;
}

/** Says what is told of a line that is too long. */
export const TOO_LONG = `Cannot read the line: it is longer than ${LONGEST_LINE} characters`;

/**
 * The lines of the standard input, each as soon as it is there, without those that are empty or a comment.
 *
 * @throws {UsageError} where it is no list.
 */
export async function* linesOfInput(): AsyncGenerator<ListLine, undefined> {
  const pieces = await piecesOfInput();
  const decoder = new TextDecoder();
  let line = "";
  let number = 0;
  const add = (text: string) => {
    // Of one that is too long no more is held than shows that.
    if (line.length <= LONGEST_LINE) line += text;
  };
  const end = (): ListLine[] => {
    number++;
    // Byte order marks go with the blanks.
    const text = line.length > LONGEST_LINE ? undefined : line.trim();
    line = "";
    return text === "" || text?.startsWith("#") ? [] : [{ number, text }];
  };
  const { beginning, rest } = pieces;
  if (CONTENT.test(latin1(beginning)))
    throw new UsageError(
      "the standard input is no list of lines in UTF-8. If it is a video, name it with --stdin-name, such as film.mp4",
    );
  for await (const piece of joined(beginning, rest)) {
    const [first = "", ...more] = decoder.decode(piece, { stream: true }).split("\n");
    add(first);
    for (const text of more) {
      yield* end();
      add(text);
    }
  }
  yield* end();
}

/**
 * The bytes of the standard input.
 *
 * @throws {UsageError} where they are a text.
 */
export async function contentOfInput(): Promise<AsyncGenerator<Uint8Array, undefined>> {
  const { beginning, rest } = await piecesOfInput("all");
  if (beginning.length > 0 && !CONTENT.test(latin1(beginning)))
    throw new UsageError("the standard input is a text, not a video. For a list leave out --stdin-name");
  return joined(beginning, rest);
}

interface Pieces {
  beginning: Uint8Array;
  rest: AsyncIterator<Uint8Array>;
}

/** Reads until it is clear what there is: a list may come line by line, from somebody who waits for what becomes of each. */
async function piecesOfInput(wanted: "all" | "a line" = "a line"): Promise<Pieces> {
  const rest = (process.stdin as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  let beginning = new Uint8Array();
  const isEnough = () =>
    beginning.length >= BEGINNING_SIZE || (wanted === "a line" && beginning.includes(10));
  while (!isEnough()) {
    const next = await rest.next();
    if (next.done === true) break;
    const joint = new Uint8Array(beginning.length + next.value.length);
    joint.set(beginning);
    joint.set(next.value, beginning.length);
    beginning = joint;
  }
  return { beginning, rest };
}

async function* joined(
  beginning: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, undefined> {
  if (beginning.length > 0) yield beginning;
  yield* { [Symbol.asyncIterator]: () => rest };
}

function latin1(bytes: Uint8Array): string {
  return new TextDecoder("latin1").decode(bytes.subarray(0, LONGEST_LINE));
}

/**
 * Texts of pages, files and services as they may be shown: without the characters that nobody sees, some of which
 * turn around how the rest reads, or command a terminal.
 */

/** A letter of a script whose letters are joined or parted by an invisible character. */
const JOINED_LETTER = `(?=\\p{L}|\\p{M})(?!\\p{DI})[${"Arab Beng Deva Gujr Guru Khmr Knda Mlym Mong Mymr Nkoo Orya Sinh Syrc Taml Telu Tibt"
  .split(" ")
  .map((script) => `\\p{scx=${script}}`)
  .join("")}]`;

/** Invisible characters without which emoji and words of some languages are written wrong. */
const NEEDED = [
  "(?<=[\\p{ExtPict}\\p{EMod}]\\uFE0F?)\\u200D(?=\\p{ExtPict})",
  `(?<=${JOINED_LETTER})[\\u200C\\u200D](?=${JOINED_LETTER})`,
  "(?<=\\p{Emoji})[\\uFE0E\\uFE0F]",
  "(?<=\\p{Script=Han})[\\u{E0100}-\\u{E01EF}]",
].join("|");

/** Directions, isolates, joiners, marks of width zero, fillers, tags and control characters. */
const INVISIBLE = "[\\p{DI}\\p{Cc}\\p{Zl}\\p{Zp}\\u{FFF9}-\\u{FFFB}\\u2800]";

/** Whatever ends a line or moves to a column. */
const SPACES = /[\t-\r\u0085\u2028\u2029]+/g;

let marks: RegExp | undefined;

/** A text in one line, without invisible characters; half a character becomes a replacement character. */
export function plainText(text: string): string {
  return replaceInvisible(text.toWellFormed().replace(SPACES, " "), () => "");
}

export function replaceInvisible(text: string, replace: (mark: string) => string): string {
  if (/^[\x20-\x7e\xa0]*$/.test(text)) return text;
  // Building the pattern takes milliseconds, which a start need not wait for.
  marks ??= new RegExp(`${NEEDED}|(${INVISIBLE})`, "gu");
  return text.replace(marks, (mark: string, invisible: string | undefined) =>
    invisible === undefined ? mark : replace(invisible),
  );
}

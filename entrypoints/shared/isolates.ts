/**
 * Foreign parts of a sentence, such as names and sizes, kept from turning around how the rest reads.
 *
 * Within a string they stand between two invisible marks. Elements show `<bdi>` in place of these, since everything
 * else that is invisible is taken out of a text before it is shown. Pure.
 */
import { plainText } from "../../core/extension.ts";

const START = "\u2068";
const END = "\u2069";
const MARKED = /\u2068([^\u2068\u2069]*)\u2069/;

/** A text as a part of a sentence that may read in the other direction. */
export function isolate(text: string): string {
  return `${START}${plainText(text)}${END}`;
}

export function hasIsolates(text: string): boolean {
  return MARKED.test(text);
}

export function partsOf(text: string): { text: string; isForeign: boolean }[] {
  return text
    .split(MARKED)
    .map((part, index) => ({ text: plainText(part), isForeign: index % 2 === 1 }))
    .filter((part) => part.text !== "");
}

/** Figures such as 1920 × 1080 have no letter that tells, and would be turned around. */
export function directionOf(text: string): "auto" | "ltr" {
  return /\p{L}/u.test(text) ? "auto" : "ltr";
}

/** The same in plain text that keeps its marks, for what shows text alone, such as a notification. */
export function markedText(text: string): string {
  return partsOf(text)
    .map((part) => (part.isForeign ? isolate(part.text) : part.text))
    .join("");
}

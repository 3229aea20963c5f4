/** The sentences of an error body: JSON in the shapes services use, else a summary of the page or text. */

import { HIDDEN, judgeOf, shorten, withoutLongWords } from "../redaction/redaction.ts";
import { isHtmlFragment } from "../text/html.ts";
import { isObject, parseJson } from "../text/is-object.ts";

export interface ErrorBody {
  details: string[];
  /** The sentences with the secrets that they repeat: to be searched, and never shown. */
  said: string[];
  /** True for a JSON error body; a proxy's page or text is summarised and is not the service's own. */
  own: boolean;
}

export const LONGEST_SENTENCE = 300;
export const MOST_SENTENCES = 10;
/** Sentences that are looked at for those, since many may be blank or the same. */
const MOST_CANDIDATES = 100;
/** Characters of a sentence that are shown at most, before it is shortened. */
const LONGEST_CANDIDATE = 1_024;
/** Values that a field may have, as far as they are named. */
const MOST_VALUES = 20;

/** Reads an error body; what of it repeats any of the secrets is hidden. */
export function readErrorBody(
  text: string,
  contentType: string,
  secrets: Iterable<string | undefined>,
): ErrorBody {
  const { repeats, shown } = judgeOf(secrets);
  const clean = (sentence: string) => {
    const plain = withoutLongWords(shown(sentence, LONGEST_CANDIDATE)).replace(/\s+/g, " ").trim();
    return shorten(plain.replace(/\.$/, ""), LONGEST_SENTENCE);
  };
  const details = new Set<string>();
  const said = new Set<string>();
  let candidates = 0;
  for (const sentence of sentencesOf(parseJson(text))) {
    if (!said.has(sentence)) details.add(clean(sentence));
    said.add(sentence);
    details.delete("");
    if (details.size === MOST_SENTENCES || ++candidates === MOST_CANDIDATES) break;
  }
  // A secret may be divided among the sentences, and what is left of it says too much.
  if (repeats([...said].join(""))) return { details: [HIDDEN], own: true, said: [...said] };
  if (details.size > 0) return { details: [...details], own: true, said: [...said] };
  const summary = clean(summarise(text, contentType));
  return { details: summary === "" ? [] : [summary], own: false, said: [text] };
}

/** Flat and nested `errors`, and the other shapes in common use, the problem details of RFC 9457 among them. */
function sentencesOf(value: unknown): Iterable<string> {
  if (!isObject(value)) return [];
  const { errors, error, message, detail, title } = value;
  const candidates = [errors, error, message, detail, title];
  return sentencesIn(candidates.find((each) => sentencesIn(each).next().done === false));
}

function* sentencesIn(value: unknown, depth = 0): Generator<string, undefined> {
  if (typeof value === "string") {
    // A validation error may be a JSON text of its own.
    const detail = value.startsWith("{") ? parseJson(value) : undefined;
    yield (isObject(detail) ? validationError(detail) : undefined) ?? value;
  } else if (Array.isArray(value)) {
    for (const item of depth > 4 ? [] : value) yield* sentencesIn(item, depth + 1);
  } else if (isObject(value)) {
    const sentence = validationError(value);
    if (sentence !== undefined) yield sentence;
  }
}

/** The place of a validation error, and what must hold there. */
function validationError({ instancePath, message, params }: Record<string, unknown>): string | undefined {
  if (typeof message !== "string") return undefined;
  const pointer = typeof instancePath === "string" ? instancePath : "";
  // Segments of a JSON pointer (RFC 6901).
  const segments = pointer.split("/").filter(Boolean);
  const where = segments.map((each) => each.replaceAll("~1", "/").replaceAll("~0", "~")).join(".");
  return `${where === "" ? "" : `${where} `}${message}${named(params)}`;
}

/** The values a validation error is about, where its sentence doesn't name them. */
function named(params: unknown): string {
  const { allowedValues, additionalProperty } = isObject(params) ? params : {};
  const values = Array.isArray(allowedValues) ? allowedValues.slice(0, MOST_VALUES) : [additionalProperty];
  const texts = values.filter((value) => value !== undefined).map((value) => JSON.stringify(value));
  return texts.length === 0 ? "" : ` (${texts.join(", ")})`;
}

function summarise(text: string, contentType: string): string {
  const start = text.trimStart().slice(0, 200).toLowerCase();
  if (start === "") return "";
  if (contentType.includes("html") || isHtmlFragment(start)) {
    const title = inner(text, "title") || inner(text, "h1");
    return title === "" ? "an HTML page" : `an HTML page titled "${title}"`;
  }
  if (contentType.includes("xml") || start.startsWith("<?xml") || /^<\w+/.test(start)) {
    const said = [inner(text, "Code"), inner(text, "Message")].filter((part) => part !== "").join(": ");
    return said === "" ? "an XML document" : said;
  }
  return text;
}

/** Characters of a page in which its title stands. */
const LONGEST_HEAD = 16_384;

/** The text of an element whole, so that no part of a secret is left before a tag in it. */
function inner(markup: string, element: string): string {
  const head = markup.slice(0, LONGEST_HEAD);
  const [, text = ""] = new RegExp(`<${element}(?:\\s[^<>]*)?>(.*)`, "is").exec(head) ?? [];
  const [own = ""] = text.split(new RegExp(`</${element}`, "i"), 1);
  return own.replace(/<[^<>]*>/g, "").trim();
}

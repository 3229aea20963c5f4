/**
 * What an error body says, in plain sentences: JSON in the shapes services use, else a summary of the page or text.
 *
 * @module
 */

import { isObject } from "../is-object.ts";
import { redact } from "../redaction.ts";

/** What an error body says, and whether that is the service's own rather than a summary. */
export interface ErrorBody {
  details: string[];
  /** True for a JSON error body; a proxy's page or text is summarised and is not the service's own. */
  own: boolean;
}

const LONGEST_SENTENCE = 300;
const MOST_SENTENCES = 10;

/** Reads an error body; `secrets` are taken out of what it says. */
export function readErrorBody(
  text: string,
  contentType: string,
  secrets: Iterable<string | undefined>,
): ErrorBody {
  const hidden = [...secrets];
  const hide = (sentence: string) => redact(sentence, hidden);
  const clean = (sentence: string) => shorten(hide(sentence).replace(/\s+/g, " ").trim().replace(/\.$/, ""));
  const parsed = parseJson(text);
  const found = parsed === undefined ? [] : collect(parsed);
  if (found.length > 0) {
    const details = [...new Set(found.map((sentence) => clean(plain(hide(sentence)))))].filter(
      (each) => each !== "",
    );
    if (details.length > 0) return { details: details.slice(0, MOST_SENTENCES), own: true };
  }
  const summary = clean(summarise(text, contentType));
  return { details: summary === "" ? [] : [summary], own: false };
}

/** Flat and nested `errors`, and the other shapes in common use, the problem details of RFC 9457 among them. */
function collect(value: unknown): string[] {
  if (!isObject(value)) return [];
  const { errors, error, message, detail, title } = value;
  for (const candidate of [errors, error, message, detail, title]) {
    const found = strings(candidate);
    if (found.length > 0) return found;
  }
  return [];
}

function strings(value: unknown, depth = 0): string[] {
  if (typeof value === "string") return [value];
  if (depth > 4) return [];
  if (Array.isArray(value)) return value.flatMap((item) => strings(item, depth + 1));
  return isObject(value) && typeof value.message === "string" ? [JSON.stringify(value)] : [];
}

/** A validation error may be a JSON text of its own: where, and what must hold there. */
function plain(sentence: string): string {
  const detail = parseJson(sentence);
  if (!isObject(detail)) return sentence;
  const { instancePath, message, params } = detail;
  if (typeof message !== "string") return sentence;
  const where =
    typeof instancePath === "string" ? instancePath.split("/").filter(Boolean).map(unescaped).join(".") : "";
  return `${where === "" ? "" : `${where} `}${message}${named(params)}`;
}

/** A segment of a JSON pointer (RFC 6901). */
function unescaped(segment: string): string {
  return segment.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** The values a validation error is about, where its sentence doesn't name them. */
function named(params: unknown): string {
  const { allowedValues, additionalProperty } = isObject(params) ? params : {};
  const values = Array.isArray(allowedValues) ? allowedValues : [additionalProperty];
  const texts = values.filter((value) => value !== undefined).map((value) => JSON.stringify(value));
  return texts.length === 0 ? "" : ` (${texts.join(", ")})`;
}

/** How pages begin, also those that say nothing of their type. */
const HTML = /^<(!doctype html|html|head|title|body|h[1-6]|p|div|center|pre)\b/;

function summarise(text: string, contentType: string): string {
  const start = text.trimStart().slice(0, 200).toLowerCase();
  if (start === "") return "";
  if (contentType.includes("html") || HTML.test(start)) {
    const title = inner(text, "title") || inner(text, "h1");
    return title === "" ? "an HTML page" : `an HTML page titled "${title}"`;
  }
  if (contentType.includes("xml") || start.startsWith("<?xml") || /^<\w+/.test(start)) {
    const said = [inner(text, "Code"), inner(text, "Message")].filter((part) => part !== "").join(": ");
    return said === "" ? "an XML document" : said;
  }
  // Shortened only after the redaction: half a secret would not be known as one.
  return text;
}

function inner(markup: string, element: string): string {
  const found = new RegExp(`<${element}[^>]*>([^<]*)`, "i").exec(markup);
  return found?.[1]?.trim() ?? "";
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function shorten(sentence: string): string {
  return sentence.length > LONGEST_SENTENCE ? `${sentence.slice(0, LONGEST_SENTENCE - 1)}…` : sentence;
}

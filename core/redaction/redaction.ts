/**
 * What may be shown: the one place where tokens, upload locations and answers lose their secrets before anything
 * leaves this module.
 *
 * No expression here takes longer than the length of the text: what is shown may come from anybody.
 *
 * @module
 */

import type { Span } from "./byte-search.ts";
import { findSecrets, formsOf } from "./secret-spellings.ts";

const ADDRESS = /\bhttps?:\\*\/\\*\/(?:[^\s"'<>\\]|\\+\/)+/gi;
const BEARER = /\bBearer\s+[^\s"'<>,;]+/gi;
const TOKEN_QUERY = /(\b|%[0-9a-f]{2})(token|signature|credential|x-amz-[a-z-]{1,40})(=|%3d)[^\s"'<>&]+/gi;
/** Words of base64url with dots between, each found whole. */
const DOTTED_WORDS = /(?<![\w-])[\w-]+(?:\.[\w-]+)+/g;
const JWT_HEADER = /(?<!\w)eyJ(?=[\w-]{6})/;
const REMOVED = "[removed]";

/**
 * Takes secrets out of a text: the given ones in every spelling an answer may echo them in, and whatever looks
 * like a bearer token, a JWT or an address with a path or a query (its origin stays).
 *
 * @param text anything, be it an answer of a server
 * @param secrets what must not be shown, such as the account's token
 * @returns the text with "[removed]" in place of each
 * @example Show what a server said
 * ```ts
 * import { redact } from "@upcut/core/validate";
 *
 * console.log(redact("see https://video.example/a?token=b, api-key-1", ["api-key-1"]));
 * // "see https://video.example, [removed]"
 * ```
 */
export function redact(text: string, secrets: Iterable<string | undefined> = []): string {
  return redactAll(text, formsOf(known(secrets), text.length), false);
}

/** Characters of a text of which a few are shown. */
const LONGEST_EXCERPT = 4096;

/**
 * The beginning of a text that may be long, redacted. It is cut before it is searched, and a secret that begins before
 * the cut goes whole; only after that may it be cut once more, by `shorten()`.
 */
export function excerpt(text: string, secrets: Iterable<string | undefined> = []): string {
  return excerptsWithout(secrets, LONGEST_EXCERPT)(text);
}

/** The same for many texts, since it takes time to prepare long secrets: gives at most so many characters of each. */
export function excerptsWithout(
  secrets: Iterable<string | undefined>,
  longest: number,
): (text: string) => string {
  const forms = formsOf(known(secrets), longest);
  return (text) => {
    const isCut = text.length > longest;
    return redactAll(isCut ? text.slice(0, longest) : text, forms, isCut);
  };
}

/** A text that has no secrets any more, with at most so many characters. */
export function shorten(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1).toWellFormed()}…` : text;
}

function known(secrets: Iterable<string | undefined>): string[] {
  return [...new Set(secrets)].filter((secret) => secret !== undefined);
}

function redactAll(text: string, forms: readonly Uint8Array[], isCut: boolean): string {
  const clean = forms.length === 0 ? text : without(text, findSecrets(text, forms, isCut));
  return clean
    .replace(ADDRESS, originAndEnd)
    .replace(BEARER, `Bearer ${REMOVED}`)
    .replace(TOKEN_QUERY, `$1$2$3${REMOVED}`)
    .replace(DOTTED_WORDS, withoutJwt);
}

/** The text with runs of it replaced; those that touch become one. */
function without(text: string, spans: Span[]): string {
  const sorted = spans.sort((a, b) => a.from - b.from);
  let clean = "";
  let at = 0;
  for (const { from, to } of sorted) {
    if (from > at || clean === "") clean += text.slice(at, from) + REMOVED;
    at = Math.max(at, to);
  }
  return clean + text.slice(at);
}

/** An address without its path and query, and what ends a sentence or a bracket behind it. */
function originAndEnd(found: string): string {
  let length = found.length;
  while (".,;:!?)".includes(found.charAt(length - 1))) length--;
  return originOf(found.slice(0, length)) + found.slice(length);
}

/** A JWT has a header that begins with `eyJ`, and at least one more word behind a dot. */
function withoutJwt(words: string): string {
  const last = words.lastIndexOf(".");
  const at = JWT_HEADER.exec(words.slice(0, last))?.index;
  return at === undefined ? words : words.slice(0, at) + REMOVED;
}

/** Describes a value in a message: strings in quotes, long ones cut, objects by kind. */
export function describeValue(value: unknown, secrets: Iterable<string | undefined> = []): string {
  if (typeof value === "string") return JSON.stringify(shorten(excerpt(value, secrets), 60));
  if (value === null || value === undefined || typeof value === "boolean") return String(value);
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value);
  if (typeof value === "bigint") return `${value}n`;
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (typeof value === "function") return "a function";
  if (typeof value === "symbol") return "a symbol";
  const kind = Object.getPrototypeOf(value)?.constructor?.name;
  if (typeof kind !== "string" || kind === "" || kind === "Object") return "an object";
  return `${/^[AEIO]/.test(kind) ? "an" : "a"} ${kind}`;
}

/** The origin of an address, or a phrase where it has none: all that a message may show of it. */
export function originOf(address: string | URL): string {
  try {
    const { origin } = new URL(address);
    return origin === "null" ? "an address" : origin;
  } catch {
    return "an address";
  }
}

/**
 * Redaction: the one place where tokens, upload locations and answers lose their secrets before anything
 * leaves this module.
 *
 * No expression here takes longer than the length of the text: what is shown may come from anybody.
 */
import { contentsOf } from "./contents.ts";
import { readingsOf } from "./readings.ts";
import { holdsStretch, type Stretches, stretchesOf } from "./stretches.ts";

const ADDRESS = /\bhttps?:\\*\/\\*\/(?:[^\s"'<>\\]|\\+\/)+/gi;
const BEARER = /\bBearer\s+[^\s"'<>,;]+/gi;
const TOKEN_QUERY = /(\b|%[0-9a-f]{2})(token|signature|credential|x-amz-[a-z-]{1,40})(=|%3d)[^\s"'<>&]+/gi;
/** Words of base64url with dots between, each found whole. */
const DOTTED_WORDS = /(?<![\w-])[\w-]+(?:\.[\w-]+)+/g;
const JWT_HEADER = /(?<!\w)eyJ(?=[\w-]{6})/;
/** A word that nobody would read, in which a service may repeat a secret that isn't known here; ids have another form. */
const LONG_WORD = /(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[a-z])[\w-]{24,}/gi;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const REMOVED = "[removed]";

/** Stands for a text in which a secret is repeated. */
export const HIDDEN = "[hidden: it repeats a secret]";

/**
 * Makes a text fit to be shown. One that repeats any of the secrets, in whatever spelling, is hidden as a whole: of
 * "Cannot …: …" only what stands behind the colon. From others is taken whatever looks like a bearer token, a JWT or an
 * address with a path or a query (its origin stays).
 *
 * @param text anything, be it an answer of a server; of a long one the first 60 KiB are left
 * @param secrets what must not be shown, such as the account's token; those of less than four characters are not
 * protected, since they stand in ordinary words
 * @returns the text as it may be shown
 */
export function redact(text: string, secrets: Iterable<string | undefined> = []): string {
  return judgeOf(secrets).shown(text, LONGEST_SHOWN);
}

/** Characters of a text that are judged; the rest is not looked at, and nothing near it is shown. */
const LONGEST_JUDGED = 64 * 1024;
const LONGEST_SHOWN = 60 * 1024;
/** Characters of a text of which a few are shown. */
const LONGEST_EXCERPT = 4096;

/** The beginning of a text that may be long, redacted: only after that may it be cut once more, by `shorten()`. */
export function excerpt(text: string, secrets: Iterable<string | undefined> = []): string {
  return judgeOf(secrets).shown(text, LONGEST_EXCERPT);
}

/** Judges many texts by the same secrets, since it takes time to prepare long ones. */
export interface Judge {
  repeats(text: string): boolean;
  /** At most so many characters of a text, redacted. */
  shown(text: string, most: number): string;
}

export function judgeOf(secrets: Iterable<string | undefined>): Judge {
  const known = [...new Set(secrets)].filter((secret) => typeof secret === "string");
  const stretches = stretchesOf(known.map((secret) => secret.slice(0, LONGEST_JUDGED)));
  const isOpen = known.length === 0;
  const repeats = (text: string) => !isOpen && repeatsAny(text.slice(0, LONGEST_JUDGED), stretches);
  return {
    repeats,
    shown(text, most) {
      const [purpose = ""] = /^Cannot [^:]{1,80}: /.exec(text) ?? [];
      if (repeats(text)) return repeats(purpose) ? HIDDEN : purpose + HIDDEN;
      return withoutTokens(text.slice(0, LONGEST_SHOWN)).slice(0, most);
    },
  };
}

/** A text that can't be judged, because it doesn't stand still or anything throws, counts as a repetition. */
function repeatsAny(text: string, stretches: Stretches): boolean {
  try {
    for (const reading of readingsOf(text)) {
      if (holdsStretch(reading, stretches)) return true;
      for (const content of contentsOf(reading)) if (holdsStretch(content, stretches)) return true;
    }
    return false;
  } catch {
    return true;
  }
}

function withoutTokens(text: string): string {
  return text
    .replace(ADDRESS, originAndEnd)
    .replace(BEARER, `Bearer ${REMOVED}`)
    .replace(TOKEN_QUERY, `$1$2$3${REMOVED}`)
    .replace(DOTTED_WORDS, withoutJwt);
}

/** True if a word has the form that ids have, and tokens rarely. */
export function isUuid(word: string): boolean {
  return UUID.test(word);
}

/** A sentence of somebody else's, in which any long word may be a secret that only they know. */
export function withoutLongWords(text: string): string {
  return text.replace(LONG_WORD, (word) => (isUuid(word) ? word : REMOVED));
}

/** A text that has no secrets any more, with at most so many characters. */
export function shorten(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1).toWellFormed()}…` : text;
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

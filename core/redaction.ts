/**
 * What may be shown: the one place where tokens, upload locations and answers lose their secrets before anything
 * leaves this module.
 *
 * @module
 */

import { decodeOrKeep } from "./decode-or-keep.ts";

const ADDRESS = /\bhttps?:\\*\/\\*\/(?:[^\s"'<>\\]|\\+\/)*[^\s"'<>\\.,;:!?)]/gi;
const BEARER = /\bBearer\s+[^\s"'<>,;]+/gi;
const TOKEN_QUERY = /(\b|%[0-9a-f]{2})(token|signature|credential|x-amz-[a-z-]+)(=|%3d)[^\s"'<>&]+/gi;
const JWT = /\beyJ[\w-]{6,}(?:\.[\w-]+){1,2}/g;
const REMOVED = "[removed]";

/**
 * Takes secrets out of a text: the given ones in every spelling an answer may echo them in, and whatever looks
 * like a bearer token, a JWT or an address with a path or a query (its origin stays).
 */
export function redact(text: string, secrets: Iterable<string | undefined> = []): string {
  let clean = text;
  for (const secret of secrets) {
    // A very short "secret" would shred ordinary words.
    if (secret === undefined || secret.length < 4) continue;
    // What an address holds percent-encoded may be echoed decoded.
    for (const form of new Set([secret, decodeOrKeep(secret)]))
      clean = clean.replace(anySpelling(form), REMOVED);
  }
  return clean
    .replace(ADDRESS, originOf)
    .replace(BEARER, `Bearer ${REMOVED}`)
    .replace(TOKEN_QUERY, `$1$2$3${REMOVED}`)
    .replace(JWT, REMOVED);
}

/** Describes a value in a message: strings in quotes, long ones cut, objects by kind. */
export function describeValue(value: unknown): string {
  if (typeof value === "string") {
    const short = value.length > 60 ? `${value.slice(0, 57)}…` : value;
    return JSON.stringify(redact(short));
  }
  if (value === null || value === undefined || typeof value === "boolean") return String(value);
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value);
  if (typeof value === "bigint") return `${value}n`;
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (typeof value === "function") return "a function";
  if (typeof value === "symbol") return "a symbol";
  const kind = Object.getPrototypeOf(value)?.constructor?.name;
  if (!kind || kind === "Object") return "an object";
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

const ENTITIES: Record<string, string> = { "&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos" };
const ESCAPES: Record<string, string> = { "\n": "n", "\r": "r", "\t": "t" };

/**
 * Matches a secret however it is spelled: percent-encoded, or escaped for JSON or HTML, once or several times. Each
 * repetition is bounded, so that no text makes the search slow.
 */
function anySpelling(secret: string): RegExp {
  return new RegExp(Array.from(secret, spellings).join(""), "g");
}

function spellings(character: string): string {
  if (/^[\w-]$/.test(character)) return character;
  const code = character.codePointAt(0) ?? 0;
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  const bytes = new TextEncoder().encode(character);
  const all = [
    // A backslash may have been doubled with every step.
    character === "\\" ? "\\\\{1,8}" : `\\\\{0,8}${character.replace(/[^\w\s]/g, "\\$&")}`,
    Array.from(bytes, (byte) => `%(?:25){0,3}${hex(byte, 2)}`).join(""),
    units.map((unit) => `\\\\{1,8}u${hex(unit, 4)}`).join(""),
    `&(?:amp;){0,3}#(?:0{0,4}${code}|[xX]0{0,4}${hex(code, 1)});`,
  ];
  if (character in ENTITIES) all.push(`&(?:amp;){0,3}${ENTITIES[character]};`);
  if (character in ESCAPES) all.push(`\\\\{1,8}${ESCAPES[character]}`);
  if (character === " ") all.push("\\+");
  if (units.length === 1 && code >= 0xd800 && code <= 0xdfff) all.push("\ufffd");
  return `(?:${all.join("|")})`;
}

function hex(number: number, digits: number): string {
  const text = number.toString(16).padStart(digits, "0");
  return text.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

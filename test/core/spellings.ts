/** The ways in which an answer may echo a secret. */

const bytes = (text: string) => new TextEncoder().encode(text);
const binary = (text: string) => String.fromCharCode(...bytes(text));
const each = (text: string, spell: (character: string) => string) => Array.from(text, spell).join("");
const hexOf = (text: string, digits: number) => (text.codePointAt(0) ?? 0).toString(16).padStart(digits, "0");

/** By what each of them is called in the name of a test. */
export const SPELLINGS: Record<string, (secret: string) => string> = {
  "as it is": (secret) => secret,
  "in upper case": (secret) => secret.toUpperCase(),
  "in lower case": (secret) => secret.toLowerCase(),
  "in base64": (secret) => btoa(binary(secret)),
  "in base64, with a user's name": (secret) => btoa(binary(`user:${secret}`)),
  "in base64, as a header": (secret) => btoa(binary(`Bearer ${secret}`)),
  "in base64url": (secret) =>
    btoa(binary(secret)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", ""),
  "in hex": (secret) => Array.from(bytes(secret), (byte) => byte.toString(16).padStart(2, "0")).join(""),
  "in upper hex": (secret) =>
    Array.from(bytes(secret), (byte) => byte.toString(16).padStart(2, "0"))
      .join("")
      .toUpperCase(),
  "percent-encoded where it must be": encodeURIComponent,
  "percent-encoded twice": (secret) => encodeURIComponent(encodeURIComponent(secret)),
  "every character percent-encoded": (secret) =>
    Array.from(bytes(secret), (byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
  "every second character percent-encoded": (secret) =>
    Array.from(bytes(secret), (byte, at) =>
      at % 2 === 0 && byte < 128 ? String.fromCharCode(byte) : `%${byte.toString(16).padStart(2, "0")}`,
    ).join(""),
  "in entities": (secret) => each(secret, (character) => `&#${character.codePointAt(0)};`),
  "in entities of hex": (secret) => each(secret, (character) => `&#X${hexOf(character, 4)};`),
  "in entities, escaped once more": (secret) =>
    each(secret, (character) => `&amp;#${character.codePointAt(0)};`),
  "in escapes of JSON": (secret) => each(secret, (character) => `\\u${hexOf(character, 4)}`),
  "in escapes of JSON that were escaped": (secret) =>
    each(secret, (character) => `\\\\u${hexOf(character, 4)}`),
  "in escapes of a script": (secret) => each(secret, (character) => `\\x${hexOf(character, 2)}`),
  "as JSON in JSON": (secret) => JSON.stringify(JSON.stringify(`/${secret}`).replaceAll("/", "\\/")),
};

/** The ways in which an answer may echo a secret. */

const bytes = (text: string) => new TextEncoder().encode(text);
const binary = (text: string) => String.fromCharCode(...bytes(text));
const each = (text: string, spell: (character: string) => string) => Array.from(text, spell).join("");
const code = (character: string) => character.codePointAt(0) ?? 0;
const hexOf = (text: string, length: number) => code(text).toString(16).padStart(length, "0");
const base64 = (text: string) => btoa(binary(text));
const hexWith = (text: string, around: (byte: string) => string, between: string) =>
  Array.from(bytes(text), (byte) => around(byte.toString(16).padStart(2, "0"))).join(between);
const hex = (text: string) => hexWith(text, (byte) => byte, "");
const percent = (text: string) => hexWith(text, (byte) => `%${byte}`, "");
const wide = (text: string) => each(text, (character) => `\0${character}`);
const wrapped = (text: string, length: number, by: string) =>
  text.replace(new RegExp(`.{${length}}`, "g"), (line) => `${line}${by}`);
const SIGNS: Record<string, string> = {
  "+": "plus",
  "/": "sol",
  ".": "period",
  _: "lowbar",
  "=": "equals",
  "-": "hyphen",
};
const signs = (text: string, spell: (name: string, character: string) => string) =>
  each(text, (character) => (character in SIGNS ? spell(SIGNS[character] ?? "", character) : character));
const shifted = (text: string, upper: number, lower: number) =>
  text
    .replace(/[A-Z]/g, (letter) => String.fromCodePoint(code(letter) - 0x41 + upper))
    .replace(/[a-z]/g, (letter) => String.fromCodePoint(code(letter) - 0x61 + lower));
const repeated = (text: string, spell: (text: string) => string, times: number): string =>
  times === 0 ? text : repeated(spell(text), spell, times - 1);

/** By what each of them is called in the name of a test. */
export const SPELLINGS: Record<string, (secret: string) => string> = {
  "as it is": (secret) => secret,
  "in upper case": (secret) => secret.toUpperCase(),
  "in lower case": (secret) => secret.toLowerCase(),
  "wrapped by a line break": (secret) => wrapped(secret, 10, "\n"),
  "wrapped by line breaks": (secret) => wrapped(secret, 7, "\r\n "),
  "with spaces between": (secret) => each(secret, (character) => `${character} `),
  "with hyphens between": (secret) => each(secret, (character) => `${character}-`),
  "with invisible characters between": (secret) => each(secret, (character) => `${character}\u200b`),
  "with marks above": (secret) => each(secret, (character) => `${character}\u0301`),
  "with tags between": (secret) => each(secret, (character) => `${character}<b>`),
  "with comments between": (secret) => wrapped(secret, 5, "<!-- a -->"),
  "as texts that are put together": (secret) => wrapped(secret, 5, '" + "'),
  "with NULs between": wide,
  "in wide letters": (secret) => shifted(secret, 0xff21, 0xff41),
  "in bold letters of mathematics": (secret) => shifted(secret, 0x1d400, 0x1d41a),
  "as a list of characters": (secret) => JSON.stringify([...secret]),
  "as a list of numbers": (secret) => JSON.stringify([...bytes(secret)]),
  "as numbers of characters": (secret) => `String.fromCharCode(${bytes(secret).join(", ")})`,
  "as numbers of hex": (secret) => hexWith(secret, (byte) => `0x${byte}`, ", "),
  "as code points": (secret) => each(secret, (character) => `U+${hexOf(character, 4)} `),
  "in base64": base64,
  "in base64, with a user's name": (secret) => base64(`user:${secret}`),
  "in base64, as a header": (secret) => base64(`Bearer ${secret}`),
  "in base64url": (secret) => base64(secret).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", ""),
  "in base64 with line breaks": (secret) => wrapped(base64(secret), 10, "\n"),
  "in base64 with escaped line breaks": (secret) => wrapped(base64(secret), 8, "\\r\\n"),
  "in base64 with spaces": (secret) => wrapped(base64(secret), 3, " "),
  "in base64 of base64": (secret) => base64(base64(secret)),
  "in base64 of base64 of base64": (secret) => repeated(secret, base64, 3),
  "in base64 of entities": (secret) => base64(each(secret, (character) => `&#${code(character)};`)),
  "in base64 of hex": (secret) => base64(hex(secret)),
  "in base64 of UTF-16": (secret) => base64(wide(secret)),
  "in base64, percent-encoded": (secret) => percent(base64(secret)),
  "in base64, in entities": (secret) => each(base64(secret), (character) => `&#${code(character)};`),
  "in hex": hex,
  "in upper hex": (secret) => hex(secret).toUpperCase(),
  "in hex with spaces": (secret) => hexWith(secret, (byte) => byte, " "),
  "in hex with colons": (secret) => hexWith(secret, (byte) => byte, ":"),
  "in hex with line breaks": (secret) => wrapped(hex(secret), 9, "\n"),
  "in hex of UTF-16": (secret) => hex(wide(secret)),
  "in hex of base64": (secret) => hex(base64(secret)),
  "percent-encoded where it must be": encodeURIComponent,
  "percent-encoded twice": (secret) => repeated(secret, encodeURIComponent, 2),
  "percent-encoded five times": (secret) => repeated(secret, encodeURIComponent, 5),
  "percent-encoded thirty times": (secret) => repeated(secret, encodeURIComponent, 30),
  "every character percent-encoded": percent,
  "every character percent-encoded three times": (secret) => repeated(secret, percent, 3),
  "every second character percent-encoded": (secret) =>
    Array.from(bytes(secret), (byte, at) =>
      at % 2 === 0 && byte < 128 ? String.fromCharCode(byte) : `%${byte.toString(16).padStart(2, "0")}`,
    ).join(""),
  "percent-encoded as scripts did": (secret) => each(secret, (character) => `%u${hexOf(character, 4)}`),
  "percent-encoded as UTF-16": (secret) => percent(wide(secret)),
  "percent-encoded with doubled signs": (secret) => percent(secret).replaceAll("%", "%%"),
  "quoted-printable": (secret) => hexWith(secret, (byte) => `=${byte.toUpperCase()}`, ""),
  "quoted-printable with line breaks": (secret) => wrapped(secret, 6, "=\r\n"),
  "in entities": (secret) => each(secret, (character) => `&#${code(character)};`),
  "in entities of hex": (secret) => each(secret, (character) => `&#X${hexOf(character, 4)};`),
  "in entities without semicolons": (secret) => each(secret, (character) => `&#${code(character)} `),
  "in entities of hex without semicolons": (secret) =>
    each(secret, (character) => `&#x${hexOf(character, 2)}-`),
  "in entities with zeros": (secret) => each(secret, (character) => `&#0000000000${code(character)};`),
  "in entities, escaped once more": (secret) => each(secret, (character) => `&amp;#${code(character)};`),
  "in entities, escaped four times more": (secret) =>
    each(secret, (character) => `&amp;amp;amp;amp;#${code(character)};`),
  "in entities with names": (secret) => signs(secret, (name) => `&${name};`),
  "in entities with names, escaped": (secret) => signs(secret, (name) => `&amp;${name};`),
  "in entities of letters": (secret) => secret.replace(/[a-z]/gi, (letter) => `&${letter}opf;`),
  "in escapes of JSON": (secret) => each(secret, (character) => `\\u${hexOf(character, 4)}`),
  "in escapes of JSON that were escaped": (secret) =>
    each(secret, (character) => `\\\\u${hexOf(character, 4)}`),
  "in escapes of JSON that were escaped three times": (secret) =>
    each(secret, (character) => `${"\\".repeat(8)}u${hexOf(character, 4)}`),
  "in escapes of JSON, as UTF-16": (secret) =>
    each(secret, (character) => `\\u0000\\u${hexOf(character, 4)}`),
  "in escapes of a script": (secret) => each(secret, (character) => `\\x${hexOf(character, 2)}`),
  "in escapes of a script in braces": (secret) => each(secret, (character) => `\\u{${hexOf(character, 2)}}`),
  "in long escapes": (secret) => each(secret, (character) => `\\U${hexOf(character, 8)}`),
  "with backslashes before signs": (secret) => signs(secret, (_, character) => `\\${character}`),
  "as JSON in JSON": (secret) => JSON.stringify(JSON.stringify(`/${secret}`).replaceAll("/", "\\/")),
  "in entities in JSON": (secret) => signs(secret, (_, character) => `\\u0026#${code(character)};`),
  "in entities, percent-encoded": (secret) => signs(secret, (_, character) => `%26%23${code(character)}%3B`),
  "in entities of names, percent-encoded": (secret) => signs(secret, (name) => `%26${name}%3B`),
  "percent-encoded, in entities": (secret) => signs(secret, (_, character) => `&#37;${hexOf(character, 2)}`),
  "percent-encoded, in entities of names": (secret) =>
    each(secret, (character) => `&percnt;${hexOf(character, 2)}`),
  "percent-encoded, in JSON": (secret) => each(secret, (character) => `\\u0025${hexOf(character, 2)}`),
  "in escapes of JSON, percent-encoded": (secret) =>
    each(secret, (character) => `%5Cu${hexOf(character, 4)}`),
  "in escapes of JSON, in entities": (secret) => each(secret, (character) => `&bsol;u${hexOf(character, 4)}`),
  "in hex, percent-encoded": (secret) => percent(hex(secret)),
};

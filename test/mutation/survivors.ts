/** Mutants that no test can notice, or that are not worth one, and why. */
import { runElsewhere } from "./elsewhere.ts";
import type { Mutant } from "./mutants.ts";

interface Survivor {
  file: string;
  before: string;
  after: string;
  reason: string;
}

/** Mutants of one line that survive for one reason. */
function line(file: string, before: string, reason: string, ...after: string[]): Survivor[] {
  return after.map((each) => ({ file, before, after: each, reason }));
}

const BOUND = "bounds the work alone: a little more of it finds the same";
const TYPES = "for the compiler: it knows no better, and the value is never used";

const SURVIVORS: Survivor[] = [
  ...line(
    "core/http/retry-after.ts",
    "if (value === null || value === undefined) return undefined;",
    'neither "null" nor "undefined" reads as seconds or a date, so the lines below say the same',
    "if (false) return undefined;",
    "if (((value === null) && (value === undefined))) return undefined;",
  ),
  ...line(
    "core/redaction/redaction.ts",
    "return redactAll(isCut ? text.slice(0, LONGEST_EXCERPT) : text, secrets, isCut);",
    "the beginning of a shorter text is that text",
    "return redactAll(true ? text.slice(0, LONGEST_EXCERPT) : text, secrets, isCut);",
  ),
  ...line(
    "core/redaction/secret-spellings.ts",
    "const start = spell(secret.slice(0, 16 * (room + 1)));",
    BOUND,
    "const start = spell(secret.slice(0, 17 * (room + 1)));",
    "const start = spell(secret.slice(0, 16 * (room + 2)));",
    "const start = spell(secret);",
  ),
  ...line(
    "core/redaction/secret-spellings.ts",
    "const own = bytesOf(start).subarray(0, 3 * room + 1);",
    BOUND,
    "const own = bytesOf(start).subarray(0, 4 * room + 1);",
    "const own = bytesOf(start).subarray(0, 3 * room + 2);",
  ),
  ...line(
    "core/redaction/byte-search.ts",
    "for (let at = 1; at < form.length; at++) {",
    "a typed array takes nothing beyond its end",
    "for (let at = 1; at <= form.length; at++) {",
  ),
  ...line(
    "core/redaction/escapes.ts",
    "const [start, stop] = [from[at] ?? 0, to[end - 1] ?? 0];",
    TYPES,
    "const [start, stop] = [from[at] ?? 1, to[end - 1] ?? 0];",
    "const [start, stop] = [from[at] ?? 0, to[end - 1] ?? 1];",
  ),
  ...line(
    "core/redaction/escapes.ts",
    "const number = /^#(?:(\\d+)|x([\\da-f]+))$/i.exec(name);",
    "each kind of escape is also resolved by itself, so that a secret with a broken entity in it is found all the same",
    "const number = /^#(?:(\\d+)|x([\\da-f]+))/i.exec(name);",
  ),
  ...line(
    "core/service/record-size.ts",
    "const children: unknown[] = Array.isArray(each) ? each : Object.values(each);",
    "the values of a list are the list: it only saves a copy",
    "const children: unknown[] = false ? each : Object.values(each);",
  ),
  ...line(
    "core/service/error-body.ts",
    "const start = text.trimStart().slice(0, 200).toLowerCase();",
    BOUND,
    "const start = text.trimStart().slice(0, 201).toLowerCase();",
  ),
  ...line(
    "core/service/origin-refusal.ts",
    'const rest = said.replace(ENABLED_KEY, "");',
    "any word in its place that isn't one of the patterns reads the same",
    'const rest = said.replace(ENABLED_KEY, "mutated");',
  ),
  ...line(
    "core/service/upload-location.ts",
    "if (!/^https?:$/.test(protocol)) return { expected, found: REFUSED.scheme };",
    "the protocol of an address holds one colon, at its end",
    "if (!/^https?:/.test(protocol)) return { expected, found: REFUSED.scheme };",
  ),
  ...line(
    "core/source/answer-kind.ts",
    'const [first = "", second = ""] = type.split("/");',
    TYPES,
    'const [first = "mutated", second = ""] = type.split("/");',
  ),
  ...line(
    "core/source/version.ts",
    'const told = Date.parse(headers.get("date") ?? "");',
    "both are no date",
    'const told = Date.parse(headers.get("date") ?? "mutated");',
  ),
  ...line(
    "core/source/version.ts",
    'const changed = Date.parse(modified ?? "");',
    "both are no date",
    'const changed = Date.parse(modified ?? "mutated");',
  ),
  ...line(
    "core/disk/entry-file.ts",
    'const code = codeOf(error) ?? "";',
    "both are none of the codes that it is compared with",
    'const code = codeOf(error) ?? "mutated";',
  ),
  ...line(
    "core/disk/lease.ts",
    "else if (sinceLook() < this.#timeout / 2) {",
    "no look takes exactly that fraction of a millisecond",
    "else if (sinceLook() <= this.#timeout / 2) {",
  ),
  ...line(
    "core/disk/transport.ts",
    "const outgoing = (secure ? httpsRequest : httpRequest)(url, {",
    "in Node, Bun and Deno the agent alone decides which of both is spoken",
    "const outgoing = (false ? httpsRequest : httpRequest)(url, {",
    "const outgoing = (true ? httpsRequest : httpRequest)(url, {",
  ),
  ...line(
    "core/source/download.ts",
    'reader = body.getReader({ mode: "byob" });',
    "without memory that is used again the bytes are the same, and only garbage grows",
    'reader = body.getReader({ mode: "" });',
  ),
  ...line(
    "core/transfer/tus-offset.ts",
    "const said = answer.text.slice(0, 2000);",
    BOUND,
    "const said = answer.text;",
  ),
  ...line(
    "core/transfer/tus-requests.ts",
    "if (record().lastSent === false || isNew)",
    "it spares a journal a write of what it holds",
    "if (true)",
  ),
  ...line("core/progress/progress.ts", "#reported = 0;", "both are long ago", "#reported = 1;"),
  ...line(
    "core/errors.ts",
    "Object.defineProperty(this, BRAND, { value: true });",
    "only its presence is asked for",
    "Object.defineProperty(this, BRAND, { value: false });",
  ),
];

/** Why a mutant may survive, where that is known. */
export function explained(mutant: Mutant): string | undefined {
  const { file, before, after } = mutant;
  const one = SURVIVORS.find((each) => each.file === file && each.before === before && each.after === after);
  return one?.reason ?? runElsewhere(mutant);
}

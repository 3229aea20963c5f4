/**
 * What the command line was called with, checked before anything is done.
 *
 * @module
 */

import { homedir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { lookalikeOf } from "../lookalike.ts";

/** Wrong options: told with the way to the help, and exit code 2. */
export class UsageError extends Error {
  /** Name of the class. */
  override readonly name = "UsageError" as const;
}

const COMMANDS = ["upload", "list", "discard", "terminate"] as const;
const METHODS = ["auto", "resumable", "direct"] as const;

/** What a command is called with. */
export interface Arguments {
  command: (typeof COMMANDS)[number] | "help" | "version";
  operands: string[];
  name: string | undefined;
  mp4: boolean;
  quality: string | undefined;
  language: string | undefined;
  method: (typeof METHODS)[number];
  atATime: number;
  bandwidth: number | undefined;
  isNew: boolean;
  all: boolean;
  url: string | undefined;
  tokenFile: string | undefined;
  journal: string;
  json: boolean;
}

const options = {
  name: { type: "string" },
  mp4: { type: "boolean" },
  quality: { type: "string" },
  language: { type: "string" },
  method: { type: "string" },
  "at-a-time": { type: "string" },
  bandwidth: { type: "string" },
  "new": { type: "boolean" },
  all: { type: "boolean" },
  url: { type: "string" },
  "token-file": { type: "string" },
  journal: { type: "string" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean", short: "v" },
} as const;

/** Options that belong to some commands alone. */
const OWN: Record<string, readonly (typeof COMMANDS)[number][]> = {
  name: ["upload"],
  mp4: ["upload"],
  quality: ["upload", "discard"],
  language: ["upload", "discard"],
  method: ["upload"],
  "at-a-time": ["upload"],
  bandwidth: ["upload"],
  "new": ["upload"],
  all: ["discard"],
};

/**
 * Reads what follows the program's name.
 *
 * @throws {UsageError} naming the option and what it may be.
 */
export function readArguments(words: string[]): Arguments {
  const { values, positionals } = parse(words);
  const [command, ...operands] = positionals;
  const { UPCUT_URL, UPCUT_TOKEN_FILE, UPCUT_JOURNAL } = process.env;
  const read: Omit<Arguments, "command"> = {
    operands,
    name: values.name,
    mp4: values.mp4 ?? false,
    quality: values.quality,
    language: values.language,
    method: oneOf("method", values.method ?? "auto", METHODS),
    atATime: count(values["at-a-time"] ?? "4"),
    bandwidth: values.bandwidth === undefined ? undefined : rate(values.bandwidth),
    isNew: values.new ?? false,
    all: values.all ?? false,
    url: values.url ?? (UPCUT_URL || undefined),
    tokenFile: values["token-file"] ?? (UPCUT_TOKEN_FILE || undefined),
    journal: values.journal ?? (UPCUT_JOURNAL || join(homedir(), ".upcut")),
    json: values.json ?? false,
  };
  if (values.help || command === "help") return { ...read, command: "help" };
  if (values.version) return { ...read, command: "version" };
  if (command === undefined) throw new UsageError("no command was given");
  const known = oneOf("command", command, COMMANDS);
  const foreign = Object.keys(values).find((name) => OWN[name]?.includes(known) === false);
  if (foreign !== undefined) throw new UsageError(`${known} has no option --${foreign}`);
  checkOperands(known, read);
  return { ...read, command: known };
}

function parse(words: string[]) {
  // Refused in words of its own, so that nobody tries another spelling; what was given is not repeated.
  if (words.some((word) => /^--?(token|key|api-key|bearer|password)(=|$)/i.test(word)))
    throw new UsageError(
      "no option takes the token, since others could see it: set UPCUT_TOKEN, or give --token-file",
    );
  try {
    return parseArgs({ args: words, options, allowPositionals: true, strict: true });
  } catch (error) {
    // The first sentence names the option; what was given for it may be a secret.
    const sentence = error instanceof Error ? (error.message.split(/[.\n]/)[0] ?? "") : "";
    if (!/^[\w\s'<>|,-]{1,120}$/.test(sentence)) throw new UsageError("wrong options");
    const [, unknown] = /^Unknown option '--([\w-]+)'$/.exec(sentence) ?? [];
    const name = unknown === undefined ? undefined : lookalikeOf(unknown, Object.keys(options));
    throw new UsageError(name === undefined ? sentence : `${sentence}. Did you mean --${name}?`);
  }
}

function checkOperands(
  command: Arguments["command"],
  { operands, name, all }: Omit<Arguments, "command">,
): void {
  const amount = operands.length;
  if (command === "upload" && amount === 0)
    throw new UsageError('nothing to upload: give files, folders, addresses, or "-"');
  if (command === "upload" && name !== undefined && (amount !== 1 || operands[0] === "-"))
    throw new UsageError("--name is for one video: name a single file or address");
  if (command === "list" && amount > 0) throw new UsageError("list takes options only, such as --journal");
  if (command === "discard" && all === amount > 0)
    throw new UsageError("give what to discard: files, addresses or keys, or --all");
  if (command === "terminate" && amount !== 1) throw new UsageError("give the id of one stream");
}

function oneOf<const Words extends readonly string[]>(
  what: string,
  word: string,
  words: Words,
): Words[number] {
  const found = words.find((each) => each === word);
  if (found === undefined)
    throw new UsageError(`the ${what} must be ${words.slice(0, -1).join(", ")} or ${words.at(-1)}`);
  return found;
}

function count(text: string): number {
  const number = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > 100)
    throw new UsageError(`--at-a-time is ${shown(text)}, expected a whole number from 1 to 100`);
  return number;
}

function rate(text: string): number {
  const [, digits = "", unit = ""] = /^(\d{1,12}(?:\.\d{1,6})?)([kMG]?)$/.exec(text) ?? [];
  const number = Number(digits) * ({ k: 1e3, M: 1e6, G: 1e9 }[unit] ?? 1);
  if (number < 1024)
    throw new UsageError(
      `--bandwidth is ${shown(text)}, expected a number of bytes, at least 1024, such as 500k or 2M`,
    );
  return number;
}

/** What was given for a number. Anything else may be a secret at the wrong place, and is not repeated. */
function shown(text: string): string {
  return /^[+-]?[\d.,]{1,15}[a-zA-Z]{0,2}$/.test(text) ? `"${text}"` : "not a number";
}

/** The one table of options: what is read, the help and the completion are made of it. */
import { REQUEST_FIELD_NAMES, REQUEST_FIELDS, type RequestFields } from "../service/request-fields.ts";
import { LONGEST_TIMER } from "../time/abort.ts";
import { METHODS } from "../upload/methods.ts";
import type { Command } from "./commands.ts";
import { globMatcher } from "./glob.ts";
import { UsageError } from "./usage-error.ts";

export interface OptionFacts {
  /** Stands for its value in the help; a switch takes none. */
  value?: string;
  choices?: readonly string[];
  many?: true;
  read?: (text: string) => unknown;
  short?: string;
  /** Another name, for who knows it from other programs. */
  alias?: string;
  /** Set if a shell completes its value by files. */
  isPath?: true;
  /** The commands that have it; all by default. */
  of?: readonly Command[];
  help: string;
}

/** The options beside the fields of the request, in the order in which the help names them; `atATime` is `--at-a-time`. */
const OPTIONS = {
  include: {
    value: "GLOB",
    many: true,
    read: globMatcher,
    of: ["upload"],
    help: "of folders take these alone, such as '*.mov' or '2024/**'; can be given again",
  },
  exclude: {
    value: "GLOB",
    many: true,
    read: globMatcher,
    of: ["upload"],
    help: "of folders leave these out; can be given again",
  },
  minAge: {
    value: "TIME",
    read: (text) => readTime("min-age", text),
    of: ["upload"],
    help: "leave out files that changed within this time, such as 90s, 5m or 2h: they may still be written",
  },
  follow: { of: ["upload"], help: "of folders take what links to folders lead to, too" },
  null: {
    short: "0",
    of: ["upload"],
    help: 'the list that "-" reads has NUL between its names, as of find -print0',
  },
  dryRun: { of: ["upload"], help: "only show what would be uploaded; asks nobody" },
  stdinName: {
    value: "NAME",
    of: ["upload"],
    help: 'file name of the video that "-" reads, such as film.mp4',
  },
  quality: {
    value: "ID",
    of: ["upload", "discard"],
    help: "of a playlist, such as 720p-2800000 (default: the best; a wrong one lists all)",
  },
  language: {
    value: "ID",
    of: ["upload", "discard"],
    help: "of a playlist's sound, such as en (default: its own; a wrong one lists all)",
  },
  method: {
    value: "METHOD",
    choices: METHODS,
    of: ["upload"],
    help: "resumable, and auto (default): resumes after a break; direct: one request",
  },
  atATime: { value: "N", read: readCount, of: ["upload"], help: "uploads at a time, 1 to 100 (default 4)" },
  bandwidth: {
    value: "BYTES",
    alias: "limit",
    read: readRate,
    of: ["upload"],
    help: "most bytes per second, all uploads together, such as 500k or 2M",
  },
  rememberFor: {
    value: "DAYS",
    read: readDays,
    of: ["upload"],
    help: "days for which a finished upload is remembered after it was last seen (default: for good)",
  },
  new: { of: ["upload"], help: "start over: upload everything again as new assets" },
  field: {
    value: "KEY=VALUE",
    many: true,
    read: readField,
    of: ["upload"],
    help: "a further field of the request, such as description=Text; KEY:=JSON for what is no text",
  },
  maxDuration: {
    value: "TIME",
    read: (text) => readTime("max-duration", text, LONGEST_TIMER),
    of: ["upload"],
    help: "pause after this time, such as 90m: the same command resumes",
  },
  maxWait: {
    value: "TIME",
    read: (text) => readTime("max-wait", text, LONGEST_TIMER),
    of: ["upload"],
    help: "pause where the service says for longer that there are too many requests",
  },
  verify: { of: ["upload"], help: "compare what the service has stored with each video, by its hash" },
  move: {
    of: ["upload"],
    help: "delete each file once it is proved by its hash; includes --verify",
  },
  wait: { of: ["upload"], help: "end when the service has made all of them ready to watch" },
  verbose: { of: ["upload"], help: "print a line for each request, without secrets" },
  logFile: {
    value: "FILE",
    isPath: true,
    of: ["upload"],
    help: "add a line with the time for each that is printed, or would be without --quiet",
  },
  quiet: { short: "q", of: ["upload"], help: "print what fails, and nothing else" },
  all: {
    of: ["list", "discard"],
    help: "list: of other addresses and tokens too; discard: all of this account",
  },
  url: { value: "ADDRESS", help: "base address of the service (else UPCUT_URL, else that of login)" },
  tokenFile: {
    value: "FILE",
    isPath: true,
    help: "a file that holds the token (else UPCUT_TOKEN, UPCUT_TOKEN_FILE, login)",
  },
  journal: {
    value: "FOLDER",
    isPath: true,
    help: "where uploads are remembered (else UPCUT_JOURNAL, else the system's place)",
  },
  json: { help: "print one JSON object per line" },
  help: { short: "h", help: "show this" },
  version: { short: "v", help: "show the version" },
} as const satisfies Record<string, OptionFacts>;

type OptionKey = keyof typeof OPTIONS;

type ValueOf<Facts> = Facts extends { many: true; read: (text: string) => infer Value }
  ? Value[]
  : Facts extends { read: (text: string) => infer Value }
    ? Value | undefined
    : Facts extends { choices: readonly (infer Word)[] }
      ? Word | undefined
      : Facts extends { value: string }
        ? string | undefined
        : boolean;

export type Options = { [Key in OptionKey]: ValueOf<(typeof OPTIONS)[Key]> } & RequestFields;

interface Option {
  key: OptionKey | keyof RequestFields;
  name: string;
  facts: OptionFacts;
}

export const OPTION_LIST: readonly Option[] = [
  ...REQUEST_FIELD_NAMES.flatMap((key): Option[] => {
    const { flag } = REQUEST_FIELDS[key];
    return flag ? [{ key, name: flag.name, facts: { ...flag, of: ["upload"] } }] : [];
  }),
  ...(Object.keys(OPTIONS) as OptionKey[]).map((key) => ({
    key,
    name: key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    facts: OPTIONS[key] as OptionFacts,
  })),
];

export function optionsOf(command: Command): typeof OPTION_LIST {
  return OPTION_LIST.filter(({ facts }) => facts.of?.includes(command) ?? true);
}

function readCount(text: string): number {
  const number = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > 100)
    throw new UsageError(`--at-a-time is ${shown(text)}, expected a whole number from 1 to 100`);
  return number;
}

function readDays(text: string): number {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (number < 1) throw new UsageError(`--remember-for is ${shown(text)}, expected a whole number of days`);
  return number;
}

/** A field of the request: a text, or a value of JSON. */
function readField(text: string): readonly [key: string, value: unknown] {
  const [, key = "", isJson, value = ""] = /^([\w.-]{1,100})(:?)=(.*)$/s.exec(text) ?? [];
  if (key === "") throw new UsageError("a --field can't be read: it is like description=Text or KEY:=JSON");
  const flag = REQUEST_FIELDS[key as keyof RequestFields]?.flag;
  if (flag) throw new UsageError(`the field ${key} has an option of its own: --${flag.name}`);
  try {
    return [key, isJson ? JSON.parse(value) : value];
  } catch {
    throw new UsageError(`the value of the field ${key} is no JSON; for a text give ${key}=TEXT`);
  }
}

const UNITS = { s: 1e3, m: 60e3, h: 3600e3, d: 24 * 3600e3 };

/** Milliseconds of a length of time. */
function readTime(option: string, text: string, most: number = Number.POSITIVE_INFINITY): number {
  const [, digits = "", unit = "s"] = /^(\d{1,9}(?:\.\d{1,3})?)([smhd]?)$/.exec(text) ?? [];
  const number = Number(digits) * UNITS[(unit || "s") as keyof typeof UNITS];
  if (digits === "" || number === 0)
    throw new UsageError(`--${option} is ${shown(text)}, expected a time such as 90s, 5m, 2h or 1d`);
  if (number > most) throw new UsageError(`--${option} is ${shown(text)}, expected at most 24d`);
  return number;
}

function readRate(text: string): number {
  const [, digits = "", unit = ""] = /^(\d{1,12}(?:\.\d{1,6})?)([kMG]?)$/.exec(text) ?? [];
  const number = Number(digits) * ({ k: 1e3, M: 1e6, G: 1e9 }[unit] ?? 1);
  if (number < 1024)
    throw new UsageError(
      `--bandwidth is ${shown(text)}, expected a number of bytes, at least 1024, such as 500k or 2M`,
    );
  return number;
}

/** A number as it was given. Anything else may be a secret at the wrong place, and is not repeated. */
function shown(text: string): string {
  return /^[+-]?[\d.,]{1,15}[a-zA-Z]{0,2}$/.test(text) ? `"${text}"` : "not a number";
}

/** The words of a command line, checked before anything is done. */
import { type ParseArgsConfig, parseArgs } from "node:util";
import { anyOf, didYouMean } from "../options/checks.ts";
import { COMMAND_NAMES, COMMANDS, type Command, SHELLS } from "./commands.ts";
import { isPattern } from "./name-pattern.ts";
import { OPTION_LIST, type Options, optionsOf } from "./options.ts";
import { UsageError } from "./usage-error.ts";

export interface Arguments extends Omit<Options, "help" | "version"> {
  command: Command | "help" | "version";
  operands: string[];
}

/** @throws {UsageError} naming the option and what it may be. */
export function readArguments(words: string[]): Arguments {
  const { values, positionals } = parse(words);
  const [first, ...operands] = positionals;
  const { help, version, ...options } = readValues(values);
  const read = { ...options, operands };
  if (first === "help") return { ...read, command: "help", operands: operands.slice(0, 1).map(commandOf) };
  if (help) return { ...read, command: "help", operands: first === undefined ? [] : [commandOf(first)] };
  if (version) return { ...read, command: "version" };
  if (first === undefined) throw new UsageError("no command was given");
  const command = commandOf(first);
  const own = new Set(optionsOf(command).flatMap(({ name, facts }) => [name, facts.alias]));
  const foreign = Object.keys(values).find((name) => !own.has(name));
  if (foreign !== undefined) throw new UsageError(`${command} has no option --${foreign}`);
  if (operands.some(isBlank)) throw new UsageError(`a word after ${command} is blank`);
  checkOperands(command, read);
  return { ...read, command };
}

function commandOf(word: string): Command {
  const found = COMMAND_NAMES.find((name) => name === word);
  if (found !== undefined) return found;
  throw new UsageError(`the command must be ${anyOf(COMMAND_NAMES)}${didYouMean(word, COMMAND_NAMES)}`);
}

type Values = Record<string, string | boolean | (string | boolean)[] | undefined>;

function parse(words: string[]): { values: Values; positionals: string[] } {
  // An option for the token is refused in words of its own, so that nobody tries another spelling; its value is not repeated.
  if (words.some((word) => /^--?(token|key|api-key|bearer|password)(=|$)/i.test(word)))
    throw new UsageError(
      "no option takes the token, since others could see it: run upcut login, set UPCUT_TOKEN, or give --token-file",
    );
  const options: NonNullable<ParseArgsConfig["options"]> = {};
  for (const { name, facts } of OPTION_LIST) {
    const { value, many, short, alias } = facts;
    const type = value === undefined ? "boolean" : "string";
    options[name] = { type, multiple: many ?? false, ...(short !== undefined && { short }) };
    if (alias !== undefined) options[alias] = { type };
  }
  try {
    return parseArgs({ args: words, options, allowPositionals: true, strict: true });
  } catch (error) {
    // The first sentence names the option; what was given for it may be a secret.
    const sentence = error instanceof Error ? (error.message.split(/[.\n]/)[0] ?? "") : "";
    if (!/^[\w\s'<>|,-]{1,120}$/.test(sentence)) throw new UsageError("wrong options");
    const [, unknown] = /^Unknown option '--([\w-]+)'$/.exec(sentence) ?? [];
    const names = Object.keys(options).map((name) => `--${name}`);
    throw new UsageError(unknown === undefined ? sentence : `${sentence}${didYouMean(unknown, names)}`);
  }
}

/** True for what a shell makes of a variable that isn't set. */
function isBlank(word: unknown): boolean {
  return typeof word === "string" && word.trim() === "";
}

function readValues(values: Values): Options {
  const read: Record<string, unknown> = {};
  for (const { key, name, facts } of OPTION_LIST) {
    const given = values[name] ?? (facts.alias && values[facts.alias]);
    if ([given].flat().some(isBlank)) throw new UsageError(`the value of --${name} is blank`);
    if (facts.value === undefined) read[key] = given ?? false;
    else if (facts.many) read[key] = [given ?? []].flat().map((each) => facts.read?.(`${each}`) ?? each);
    else if (typeof given !== "string") read[key] = undefined;
    else if (facts.choices?.includes(given) === false)
      throw new UsageError(`the ${name} must be ${anyOf(facts.choices)}`);
    else read[key] = facts.read?.(given) ?? given;
  }
  return read as unknown as Options;
}

type Given = Pick<Options, "name" | "all" | "stdinName" | "null"> & { operands: string[] };

function checkOperands(command: Command, { operands, name, all, stdinName, null: isNull }: Given): void {
  const amount = operands.length;
  const inputs = operands.filter((operand) => operand === "-").length;
  if (command === "upload") {
    if (amount === 0) throw new UsageError('nothing to upload: give files, folders, addresses, or "-"');
    if (inputs > 1) throw new UsageError('the standard input can be read once: give "-" once');
    if (stdinName !== undefined && inputs === 0)
      throw new UsageError('--stdin-name is for a video on the standard input: give "-" too');
    if (stdinName !== undefined && /[\\/]/.test(stdinName))
      throw new UsageError("--stdin-name is no file name, expected one such as film.mp4");
    if (isNull && (inputs === 0 || stdinName !== undefined))
      throw new UsageError('--null is for a list on the standard input: give "-" too, without --stdin-name');
    const isMany = amount !== 1 || (inputs === 1 && stdinName === undefined);
    if (name !== undefined && isMany && !isPattern(name))
      throw new UsageError(
        "--name is for one video: name a single file or address, or give a pattern such as '{stem}'",
      );
  } else if (command === "discard") {
    if (all === amount > 0) throw new UsageError("give what to discard: keys, files or addresses, or --all");
  } else if (command === "status") {
    if (amount === 0) throw new UsageError('give the ids of assets, or "-"');
    if (inputs > 1) throw new UsageError('the standard input can be read once: give "-" once');
  } else if (command === "terminate") {
    if (amount !== 1) throw new UsageError("give the id of one stream");
  } else if (command === "completion") {
    if (amount !== 1 || !SHELLS.some((shell) => shell === operands[0]))
      throw new UsageError(`give one shell: ${anyOf(SHELLS)}`);
  } else if (amount > 0 && COMMANDS[command].operands === "") {
    const example = command === "list" ? ", such as --journal" : "";
    throw new UsageError(`${command} takes options only${example}`);
  }
}

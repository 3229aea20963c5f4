/** Checks what a call was given, before it does anything: schemas of options, and the error for what doesn't fit. */
import * as v from "valibot";
import { InputError } from "../errors/errors.ts";
import { describeValue, redact } from "../redaction/redaction.ts";
import { isObject } from "../text/is-object.ts";
import { LONGEST_TIMER } from "../time/abort.ts";
import { lookalikeOf } from "./lookalike.ts";

/** A schema of what a test accepts; `what` completes "expected …". */
export function expected<T>(accepts: (value: unknown) => boolean, what: string): v.GenericSchema<T> {
  return v.custom<T>(accepts, what);
}

/** A schema whose problem is a sentence of its own, as `problemOf` gives it; `undefined` where there is none. */
export function unless<T>(problemOf: (value: unknown) => string | undefined): v.GenericSchema<T> {
  return v.pipe(
    v.custom<T>(() => true),
    v.check(
      (value) => problemOf(value) === undefined,
      ({ input }) => problemOf(input) ?? "",
    ),
  );
}

export const flag: v.GenericSchema<boolean> = v.boolean();

export const text: v.GenericSchema<string> = expected(
  (value) => typeof value === "string" && value.trim() !== "",
  "a text that isn't blank",
);

export const abortSignal: v.GenericSchema<AbortSignal> = expected(
  (value) => value instanceof AbortSignal,
  "an AbortSignal",
);

export function callback<T>(): v.GenericSchema<T> {
  return expected<T>((value) => typeof value === "function", "a function");
}

export const milliseconds: v.GenericSchema<number> = expected(
  (value) => typeof value === "number" && value > 0 && value <= LONGEST_TIMER,
  "milliseconds above 0 and below 2 ** 31",
);

/**
 * A group of amounts, with defaults for those that are absent.
 *
 * @param short the amounts that a number in the place of the group stands for
 * @param others members of the group that are no amounts
 */
export function amounts<Group extends object, Others extends v.ObjectEntries = Record<never, never>>(
  defaults: Group,
  short: readonly (keyof Group)[] = [],
  others?: Others,
): v.GenericSchema<unknown, Group & v.InferOutput<v.StrictObjectSchema<Others, undefined>>> {
  const entries: [string, number][] = Object.entries(defaults);
  // Of attempts, or of milliseconds that may be none.
  const amount = expected<number>(
    (value) => typeof value === "number" && value >= 0 && value <= LONGEST_TIMER,
    "a number from 0 to below 2 ** 31",
  );
  const members = Object.fromEntries(entries.map(([name, value]) => [name, v.optional(amount, value)]));
  const group = v.strictObject({ ...members, ...others }, ({ path }) =>
    didYouMean(path?.at(-1)?.key, Object.keys({ ...members, ...others })),
  );
  const what = short.length === 0 ? "an object" : "a number or an object";
  const isGroup = (value: unknown) => isObject(value) || (short.length > 0 && typeof value === "number");
  const whole = (value: unknown) =>
    typeof value === "number" ? Object.fromEntries(short.map((name) => [name, value])) : value;
  // Made of its defaults by name, which the compiler can't follow.
  return v.optional(v.pipe(v.custom(isGroup, what), v.transform(whole), group), {}) as never;
}

export function oneOf<const Words extends readonly string[]>(words: Words): v.GenericSchema<Words[number]> {
  const list = anyOf(words.map((word) => `"${word}"`));
  return expected((value) => words.some((word) => word === value), list);
}

/** A list of choices in a sentence. */
export function anyOf(words: readonly string[]): string {
  return `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

/** Header names and values that fetch would refuse with a message of its own. */
export const headers: v.GenericSchema<Record<string, string>> = unless((value) => {
  // A text may be the secret itself.
  const found = typeof value === "string" ? "a text" : describeValue(value);
  if (!isObject(value)) return `is ${found}, expected an object of header names and values`;
  const bad = Object.entries(value).find(
    ([header, content]) =>
      !/^[\w!#$%&'*+.^`|~-]+$/.test(header) ||
      typeof content !== "string" ||
      !/^[\t\x20-\x7e\x80-\xff]*$/.test(content),
  );
  // The value may be a secret.
  return bad && `holds ${describeValue(bad[0])}, which is not a valid header`;
});

/** A schema for each option, so that none is forgotten where one is added. */
export type SchemasOf<Options> = {
  [Name in keyof Options]-?: v.GenericSchema<unknown, Options[Name] | undefined>;
};

/**
 * Checks the options of a call and fills in their defaults.
 *
 * @param purpose completes "Cannot …"
 * @param schema a strict object: other names are refused
 * @param advice what to do with an unknown name
 * @throws {InputError} `invalid-option`, naming the option, what was found and what was expected.
 */
export function readOptions<Given, const Schemas extends v.ObjectEntries & SchemasOf<Given>>(
  purpose: string,
  schema: v.StrictObjectSchema<Schemas, undefined>,
  given: Given,
  advice = "",
): v.InferOutput<v.StrictObjectSchema<Schemas, undefined>> {
  if (!isObject(given))
    throw invalidOption(purpose, `options is ${describeValue(given)}, expected an object`);
  const result = v.safeParse(schema, given, { abortEarly: true });
  if (result.success) return result.output;
  const [issue] = result.issues;
  const path = pathOf(issue);
  if (issue.expected === "never") {
    const isNested = path.includes(".");
    const names = Object.keys(schema.entries);
    const choice = names.length > 3 ? "" : `, only ${names.join(" and ")}`;
    // Groups say it as their own message.
    const own = issue.message.startsWith(QUESTION) ? issue.message : "";
    const meant = isNested ? own : didYouMean(path, names);
    const help = isNested ? "" : `${choice}${advice}`;
    throw invalidOption(purpose, `there is no option ${describeValue(path)}${meant || help}`);
  }
  if (issue.type === "check") throw invalidOption(purpose, `${path} ${issue.message}`);
  throw refusedOption(purpose, path, issue.input, expectation(issue));
}

export function didYouMean(given: unknown, names: readonly string[]): string {
  const name = lookalikeOf(String(given), names);
  return name === undefined ? "" : `${QUESTION}${name}?`;
}

const QUESTION = ". Did you mean ";

export function refusedOption(purpose: string, name: string, value: unknown, what: string): InputError {
  return invalidOption(purpose, `${name} is ${describeValue(value)}, expected ${what}`);
}

export function invalidOption(purpose: string, state: string, cause?: unknown): InputError {
  return new InputError("invalid-option", redact(`Cannot ${purpose}: ${state}`), { cause });
}

/** The expectation that a schema's issue names, as the end of a sentence. */
export function expectation(issue: v.BaseIssue<unknown>): string {
  if (issue.type === "custom") return issue.message;
  if (issue.type === "max_bytes") return `at most ${issue.requirement} bytes, not ${issue.received}`;
  if (issue.type === "max_length") return `at most ${issue.requirement} characters, not ${issue.received}`;
  if (issue.type === "array") return "a list";
  if (issue.type === "boolean") return "true or false";
  if (issue.type === "number" || issue.type === "string") return `a ${issue.type}`;
  return issue.expected === "Object" ? "an object" : issue.message;
}

/** Where a schema's issue is, for example `profiles[0].gop`. */
export function pathOf(issue: v.BaseIssue<unknown>): string {
  return (issue.path ?? []).reduce((path, { key }) => below(path, key), "");
}

export function below(path: string, key: unknown): string {
  if (typeof key === "number") return `${path}[${key}]`;
  return path === "" ? String(key) : `${path}.${String(key)}`;
}

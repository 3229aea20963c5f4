/** Terms of all stored journals: how long they remember and lease, and the space they reserve. */
import * as v from "valibot";
import { expected, unless } from "../options/checks.ts";
import { describeValue } from "../redaction/redaction.ts";
import { isObject } from "../text/is-object.ts";
import type { Journal } from "./journal.ts";

/**
 * How long a journal remembers, and how long it lets a key be held without a sign of life.
 *
 * @internal
 */
export interface JournalOptions {
  /**
   * Milliseconds until an entry is forgotten after it was last written. In a folder and in IndexedDB, where a wrong
   * clock dated it in the future, they begin when that is seen.
   * @default 604800000 (7 days)
   */
  maxAge?: number | undefined;
  /**
   * Milliseconds for which a finished upload is remembered for `once`, without a location, after it was last seen; `Infinity`
   * for good. A journal in memory forgets the oldest of more than 10,000 before.
   * @default 7776000000 (90 days)
   */
  keepDoneFor?: number | undefined;
  /**
   * Milliseconds after which a claim is free whose holder gave no sign of life, from 5000 (on a disk from 3000). A holder
   * that can't reach the store steps aside two seconds before. The same for all that share the store.
   * @default 30000
   */
  leaseTimeout?: number | undefined;
}

export const journal: v.GenericSchema<Journal> = unless((value) => {
  const methods = isObject(value) ? value : {};
  const missing = ["get", "set", "delete", "claim"].find((name) => typeof methods[name] !== "function");
  const isBad = missing !== undefined || !/^(function|undefined)$/.test(typeof methods.reserve);
  return isBad
    ? `is ${describeValue(value)}, expected a journal; it has no ${missing ?? "reserve"}()`
    : undefined;
});

const DAY = 24 * 60 * 60 * 1000;
const age = expected<number>((value) => typeof value === "number" && value > 0, "milliseconds above 0");

type Check = v.OptionalSchema<v.GenericSchema<number>, number>;

export const lifetimeChecks: Record<"maxAge" | "keepDoneFor", Check> = {
  maxAge: v.optional(age, 7 * DAY),
  keepDoneFor: v.optional(age, 90 * DAY),
};

export function leaseTimeoutCheck(least: number): Check {
  const what = `milliseconds from ${least} to below 2 ** 31`;
  const isTime = (value: unknown) => typeof value === "number" && value >= least && value < 2 ** 31;
  return v.optional(expected<number>(isTime, what), 30_000);
}

const DONE = ".done";

export function doneKey(key: string): string {
  return `${key}${DONE}`;
}

export function isDoneKey(key: string): boolean {
  return key.endsWith(DONE);
}

const WRITING = ".write";

/** The key under which the entries of a source are leased for writing: that of its finished uploads goes with the other. */
export function writingKey(key: string): string {
  return `${isDoneKey(key) ? key.slice(0, -DONE.length) : key}${WRITING}`;
}

export function isWritingKey(key: string): boolean {
  return key.endsWith(WRITING);
}

export type Lifetimes = Record<keyof typeof lifetimeChecks, number>;

/** Whole milliseconds until the entry of a key is forgotten: a store adds them to the date, which must stay one it knows. */
export function lifetimeOf(key: string, { maxAge, keepDoneFor }: Lifetimes): number {
  return Math.ceil(Math.min(isDoneKey(key) ? keepDoneFor : maxAge, 100 * 365 * DAY));
}

/** Bytes reserved for a first entry: asset and location are two or three thousand. */
export const RESERVED_SIZE = 16_384;
/** Milliseconds for which space is reserved: far more than a service takes to answer. */
export const LONGEST_RESERVED: number = 60 * 60 * 1000;

/**
 * Takes one of the files or keys that reserve space for the entry of a key, for whoever stores that entry.
 *
 * @param reserved keys of entries by the names of what reserves space for them
 */
export function takeReserved(reserved: Map<string, string>, key: string): string | undefined {
  const [name] = [...reserved].find(([, each]) => each === key) ?? [];
  if (name !== undefined) reserved.delete(name);
  return name;
}

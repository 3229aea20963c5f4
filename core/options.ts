/**
 * Checks what a call was given, before it does anything.
 *
 * @module
 */

import { InputError } from "./errors.ts";
import { isRecord } from "./record.ts";
import { redact, show } from "./redaction.ts";

/** The longest wait a timer can hold; a longer one would end at once. */
const LONGEST = 2 ** 31 - 1;

/** Checks the options of one call; its errors name the option, what was found and what was expected. */
export class OptionCheck {
  readonly #purpose: string;

  /** @param purpose completes "Cannot …" */
  constructor(purpose: string) {
    this.#purpose = purpose;
  }

  /** The error for a state. */
  error(state: string): InputError {
    return new InputError("invalid-option", redact(`Cannot ${this.#purpose}: ${state}`));
  }

  /** Throws for a value. */
  refuse(name: string, value: unknown, expected: string): never {
    throw this.error(`${name} is ${show(value)}, expected ${expected}`);
  }

  /** Throws unless the option is absent or as expected. */
  that(name: string, value: unknown, holds: boolean, expected: string): void {
    if (value !== undefined && !holds) this.refuse(name, value, expected);
  }

  /** Options are an object with known names. */
  record(options: unknown, names: readonly string[], advice = ""): void {
    if (!isRecord(options)) this.refuse("options", options, "an object");
    for (const name of Object.keys(options)) {
      if (names.includes(name)) continue;
      const choice = names.length > 3 ? "" : `, only ${names.join(" and ")}`;
      throw this.error(`there is no option ${show(name)}${choice}${advice}`);
    }
  }

  flag(name: string, value: unknown): void {
    this.that(name, value, typeof value === "boolean", "true or false");
  }

  signal(value: unknown): void {
    this.that("signal", value, value instanceof AbortSignal, "an AbortSignal");
  }

  text(name: string, value: unknown): void {
    this.that(name, value, typeof value === "string" && value.trim() !== "", "a text that isn't blank");
  }

  milliseconds(name: string, value: unknown): void {
    const holds = typeof value === "number" && value > 0 && value <= LONGEST;
    this.that(name, value, holds, "milliseconds above 0 and below 2 ** 31");
  }

  /** Header names and values that fetch would refuse with a message of its own. */
  headers(name: string, value: unknown): void {
    this.that(name, value, isRecord(value), "an object of header names and values");
    for (const [header, content] of Object.entries(value ?? {})) {
      const holds =
        /^[\w!#$%&'*+.^`|~-]+$/.test(header) &&
        typeof content === "string" &&
        /^[\t\x20-\x7e\x80-\xff]*$/.test(content);
      // The value may be a secret.
      if (!holds)
        throw this.error(`${name} holds ${show(header)}, which is no header, or whose value none can carry`);
    }
  }

  journal(value: unknown): void {
    if (value === undefined) return;
    for (const method of ["get", "set", "delete", "claim", "reserve"]) {
      const found = (value as Record<string, unknown> | null)?.[method];
      const holds = typeof found === "function" || (method === "reserve" && found === undefined);
      if (!holds) this.refuse("journal", value, `a journal; it has no ${method}()`);
    }
  }

  /** A group of numbers, with defaults for those that are absent. */
  numbers<T extends object>(group: string, given: T | undefined, defaults: Required<T>): Required<T> {
    this.that(group, given, isRecord(given), "an object");
    const set: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(given ?? {})) {
      if (!Object.hasOwn(defaults, name)) throw this.error(`there is no option ${show(`${group}.${name}`)}`);
      if (value === undefined) continue;
      const holds = typeof value === "number" && value >= 0 && value <= LONGEST;
      this.that(`${group}.${name}`, value, holds, "a number from 0 to below 2 ** 31");
      set[name] = value;
    }
    return { ...defaults, ...set };
  }
}

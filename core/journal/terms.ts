/**
 * What journals that are kept somewhere have in common: how long they remember and lease, and the room they keep.
 *
 * @module
 */

import type * as v from "valibot";
import { expected } from "../options.ts";

/** Milliseconds until an entry is forgotten, unless it is told. */
export const DEFAULT_AGE: number = 7 * 24 * 60 * 60 * 1000;
/** Milliseconds until a lease without a sign of life is free, unless it is told. */
export const DEFAULT_LEASE_TIMEOUT = 30_000;

/** Milliseconds until an entry is forgotten. */
export const age: v.GenericSchema<number> = expected<number>(
  (value) => typeof value === "number" && value > 0,
  "milliseconds above 0",
);

/** The longest that is asked of a store, which adds it to the date: that must stay a number it knows. */
export const LONGEST_AGE: number = 100 * 365 * 24 * 60 * 60 * 1000;

/** Milliseconds until a lease is free whose holder gave no sign of life. */
export function leaseTime(least: number): v.GenericSchema<number> {
  return expected<number>(
    (value) => typeof value === "number" && value >= least && value < 2 ** 31,
    `milliseconds from ${least} to below 2 ** 31`,
  );
}

/** Bytes of room for a first entry: asset and location are two or three thousand. */
export const RESERVED_SIZE = 16_384;
/** Milliseconds for which room is kept: far more than a service takes to answer. */
export const LONGEST_RESERVED: number = 60 * 60 * 1000;

/** The room that is kept for entries, by key: whoever stores one takes one. */
export class Rooms {
  readonly #rooms = new Map<string, string[]>();

  keep(key: string, room: string): void {
    this.#rooms.set(key, [...(this.#rooms.get(key) ?? []), room]);
  }

  take(key: string): string | undefined {
    return this.#rooms.get(key)?.pop();
  }

  giveBack(key: string, room: string): void {
    const left = (this.#rooms.get(key) ?? []).filter((each) => each !== room);
    if (left.length > 0) this.#rooms.set(key, left);
    else this.#rooms.delete(key);
  }
}

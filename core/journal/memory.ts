/** The journal in memory: what every requester has that is given no other. */
import * as v from "valibot";
import { readOptions } from "../options/checks.ts";
import type { Requester } from "../service/requester.ts";
import { startTimer } from "../time/clock.ts";
import type { Journal } from "./journal.ts";
import { readJournalEntry } from "./listing.ts";
import { isDoneKey, type JournalOptions, lifetimeChecks } from "./terms.ts";

/** A thousand bytes each. */
const MOST_DONE = 10_000;

const journalOptions = v.strictObject({ keepDoneFor: lifetimeChecks.keepDoneFor });

/**
 * A journal that lasts as long as the process: the default of every requester.
 *
 * @param options how long it remembers what is finished
 * @returns a journal of its own
 * @throws {InputError} `invalid-option`
 * @example Two calls that share a journal resume each other
 * ```ts
 * import { memoryJournal } from "@upcut/core";
 *
 * const journal = memoryJournal();
 * console.log(await journal.get("a-key")); // undefined
 * ```
 */
export function memoryJournal(options: Pick<JournalOptions, "keepDoneFor"> = {}): Required<Journal> {
  const { keepDoneFor } = readOptions("open a journal", journalOptions, options);
  const entries = new Map<string, object>();
  const done = new Map<string, { entry: object; since: () => number }>();
  const leases = new Set<string>();

  const setDone = (key: string, entry: object) => {
    // The order of a Map is that in which its keys came.
    done.delete(key);
    done.set(key, { entry, since: startTimer() });
    const [oldest] = done.keys();
    if (done.size > MOST_DONE && oldest !== undefined) done.delete(oldest);
  };
  const getDone = (key: string) => {
    const found = done.get(key);
    return found === undefined || found.since() > keepDoneFor ? undefined : found.entry;
  };

  return {
    get: async (key) => structuredClone(isDoneKey(key) ? getDone(key) : entries.get(key)),
    set: async (key, entry) => {
      if (isDoneKey(key)) setDone(key, structuredClone(entry));
      else entries.set(key, structuredClone(entry));
    },
    delete: async (key) => void (isDoneKey(key) ? done : entries).delete(key),
    list: async () => [...entries].flatMap(([key, entry]) => readJournalEntry(key, entry)),
    claim: async (key) => {
      if (leases.has(key)) return undefined;
      leases.add(key);
      return async () => void leases.delete(key);
    },
    reserve: async () => async () => {},
  };
}

/** Kept beside the requesters, which are the callers' own objects and may be frozen. */
const journals = new WeakMap<Requester, Journal>();

export function journalOf(requester: Requester): Journal {
  const journal = journals.get(requester) ?? memoryJournal();
  journals.set(requester, journal);
  return journal;
}

/**
 * The journal in memory: what every requester has that is given no other.
 *
 * @module
 */

import type { JournalEntry } from "./journal.ts";
import { type ListableJournal, unfinishedUploads } from "./listing.ts";

/**
 * A journal that lasts as long as the process: the default of every requester.
 *
 * @returns a journal of its own
 * @example Two calls that share a journal resume each other
 * ```ts
 * import { memoryJournal } from "@upcut/core";
 *
 * const journal = memoryJournal();
 * console.log(await journal.get("a-key")); // undefined
 * ```
 */
export function memoryJournal(): ListableJournal {
  const entries = new Map<string, JournalEntry>();
  const leases = new Set<string>();
  return {
    get: async (key) => structuredClone(entries.get(key)),
    set: async (key, entry) => void entries.set(key, structuredClone(entry)),
    delete: async (key) => void entries.delete(key),
    list: async () => [...entries].flatMap(([key, entry]) => unfinishedUploads(key, entry)),
    claim: async (key) => {
      if (leases.has(key)) return undefined;
      leases.add(key);
      return async () => void leases.delete(key);
    },
  };
}

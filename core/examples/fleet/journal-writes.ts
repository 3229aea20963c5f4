/**
 * What is noted beside a journal has to be noted before the journal forgets it.
 *
 * @module
 */

import type { JournalEntry, ListableJournal } from "../../journal/mod.ts";

/** A journal that does something before each write: with the entry that replaces the one of a key, or none. */
export function beforeWrites(
  journal: ListableJournal,
  work: (key: string, next?: JournalEntry) => Promise<void>,
): ListableJournal {
  return {
    ...journal,
    async set(key, entry) {
      await work(key, entry);
      await journal.set(key, entry);
    },
    async delete(key) {
      await work(key);
      await journal.delete(key);
    },
  };
}

/** Whether a write makes the journal forget that an asset was asked for, and no answer came. */
export async function forgetsRequest(
  journal: ListableJournal,
  key: string,
  next: JournalEntry | undefined,
): Promise<boolean> {
  const before = (await journal.get(key))?.requested ?? [];
  return before.some((note) => !next?.requested?.includes(note));
}

/** A journal whose store is elsewhere, shared by processes that can't see each other, and looks at a token with each write. */

import { notesRequest } from "../journal/entry.ts";
import type { Journal, UnfinishedUpload } from "../journal/journal.ts";
import { readJournalEntry } from "../journal/listing.ts";
import { cannotResume } from "../journal/store.ts";
import { isWritingKey, type Lifetimes, lifetimeOf, writingKey } from "../journal/terms.ts";
import { parseJson } from "../text/is-object.ts";
import { failed } from "./commands.ts";
import { type LeaseStore, leaseIn } from "./token-lease.ts";

/** The commands of a store for entries, as texts. */
export interface EntryStore extends LeaseStore {
  get(key: string): Promise<string | undefined>;
  /**
   * Stores an entry for so many milliseconds, or deletes it.
   *
   * @param fence the token that the key's `writingKey` must hold; none if it is empty
   * @returns whether it did
   */
  write(key: string, entry: string | undefined, fence: string, lifetime: number): Promise<boolean>;
  /** Keys and entries of unfinished uploads; others may be among them. */
  entries(): AsyncIterable<[key: string, entry: string]>;
  /** Makes room for an entry; the function that is returned gives it back. */
  reserve?(key: string): Promise<() => Promise<void>>;
}

/** Entries are written within milliseconds: less than those who want to write next wait. */
const WRITE_LEASE_TIMEOUT = 4_000;

export function sharedJournal(
  store: EntryStore,
  { leaseTimeout, ...lifetimes }: Lifetimes & { leaseTimeout: number },
): Required<Journal> {
  /** The tokens under which entries are written now. */
  const tokens = new Map<string, string>();
  /** Keys of those whose writing was begun without coming to the end: the store says then whether its token was right. */
  const unwritten = new Set<string>();

  const get = async (key: string) => {
    const stored = await store.get(key);
    if (stored === undefined) return undefined;
    // The reader of an entry checks its shape: it may be of another version.
    const entry = parseJson(stored);
    if (entry === undefined || entry === null) throw cannotResume("its entry for this source is damaged");
    return entry;
  };
  const write = async (key: string, entry?: object) => {
    const text = entry && JSON.stringify(entry);
    const fence = tokens.get(writingKey(key)) ?? "";
    if (!(await store.write(key, text, fence, lifetimeOf(key, lifetimes))))
      throw failed("its lease has become another's");
    unwritten.delete(writingKey(key));
  };

  return {
    get,
    set: write,
    delete: (key) => write(key),
    async list() {
      const listed: UnfinishedUpload[] = [];
      for await (const [key, entry] of store.entries())
        listed.push(...readJournalEntry(key, parseJson(entry)));
      return listed;
    },
    async claim(key) {
      if (!isWritingKey(key)) return await leaseIn(store, { key, timeout: leaseTimeout, isFenced: false });
      unwritten.add(key);
      const lease = await leaseIn(store, { key, timeout: WRITE_LEASE_TIMEOUT, isFenced: true });
      if (lease === undefined) return undefined;
      const { token, isHeld } = lease;
      tokens.set(key, token);
      const release = async () => {
        if (tokens.get(key) === token) tokens.delete(key);
        await lease();
      };
      return Object.assign(release, { isHeld });
    },
    async reserve(key) {
      // The next process must know of a request that may make an asset.
      if (unwritten.has(writingKey(key)) && !notesRequest(await get(key)))
        throw failed("it could not note that an asset is asked for. Nothing was asked");
      return (await store.reserve?.(key)) ?? (async () => {});
    },
  };
}

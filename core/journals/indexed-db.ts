/**
 * A journal for browsers, in IndexedDB: an upload is resumed after the page was closed, by any page or worker of its origin.
 *
 * @example Upload a file, resumable after the page was closed
 * ```ts
 * import { createClient, upload } from "@upcut/core";
 * import { indexedDbJournal } from "@upcut/core/indexed-db";
 *
 * const client = createClient({ baseUrl: "https://video.example", token: "<API_KEY>" });
 * const send = async (file: File) => await upload(client, file, { journal: indexedDbJournal() });
 * console.log(typeof send); // "function"
 * ```
 *
 * @module
 */

import * as v from "valibot";
import type { Journal } from "../journal/journal.ts";
import { readJournalEntry } from "../journal/listing.ts";
import { inPlace } from "../journal/store.ts";
import {
  isDoneKey,
  type JournalOptions,
  LONGEST_RESERVED,
  lifetimeChecks,
  lifetimeOf,
  RESERVED_SIZE,
} from "../journal/terms.ts";
import { readOptions, text } from "../options/checks.ts";
import { dateNow } from "../time/clock.ts";
import { type Database, openDatabase, whenDone } from "./database.ts";
import { leaseKeys } from "./web-lock.ts";

const journalOptions = v.strictObject({
  name: v.optional(text, "upcut"),
  ...lifetimeChecks,
});

interface StoredEntry {
  entry: object;
  writtenAt: number;
  /** When it was seen that a wrong clock had dated it in the future. */
  aheadSince?: number;
}

/**
 * A journal in IndexedDB, for pages, workers and extensions of one origin.
 *
 * A key is leased by a Web Lock, which the browser ends with the page or worker that has it: a page that was reloaded
 * resumes at once. Each lease gets a token of its own, and writes compare it within their transaction, so that one who
 * lost the lock changes nothing any more.
 *
 * Entries hold upload locations, which scripts of the origin can read like its other data. A private window forgets them
 * at its end, and a browser may when room runs short; `navigator.storage.persist()` asks it not to.
 *
 * @param options how long it remembers; and `name`, that of the database, "upcut" by default. Journals of one name share their
 * entries
 * @returns the journal, for `upload()` and `discard()`
 * @throws {InputError} `invalid-option`
 * @example Resume after the page was closed: the person chooses the same file again
 * ```ts
 * import { indexedDbJournal } from "@upcut/core/indexed-db";
 *
 * const journal = indexedDbJournal({ maxAge: 24 * 60 * 60 * 1000 });
 * console.log(typeof journal.list); // "function"
 * ```
 */
export function indexedDbJournal(
  options: Omit<JournalOptions, "leaseTimeout"> & { name?: string | undefined } = {},
): Required<Journal> {
  const { name, ...lifetimes } = readOptions("open a journal", journalOptions, options);
  const database = openDatabase(name);
  const leases = leaseKeys(name, database);
  const isAhead = (key: string, { writtenAt }: StoredEntry) => writtenAt > dateNow() && !isDoneKey(key);
  const isExpired = (key: string, stored: StoredEntry) => {
    const since = isAhead(key, stored) ? (stored.aheadSince ?? dateNow()) : stored.writtenAt;
    return dateNow() - since > lifetimeOf(key, lifetimes);
  };
  let isTidy = false;

  /** Locations are secrets: they don't outlive their use. */
  const tidy = async (): Promise<Database> => {
    if (!isTidy) {
      isTidy = true;
      await database.write(["entries", "rooms"], async ({ entries, rooms }) => {
        for (const [key, stored] of await allOf(entries))
          if (isExpired(key, stored)) entries.delete(key);
          else if (isAhead(key, stored) && stored.aheadSince === undefined)
            entries.put({ ...stored, aheadSince: dateNow() }, key);
        // Pages that were closed gave none back.
        for (const [id, room] of await allOf(rooms))
          if (dateNow() - room.writtenAt > LONGEST_RESERVED) rooms.delete(id);
      });
    }
    return database;
  };

  const journal: Required<Journal> = {
    async get(key) {
      const { read } = await tidy();
      const stored = await read(["entries"], ({ entries }) =>
        whenDone<StoredEntry | undefined>(entries.get(key)),
      );
      return stored === undefined || isExpired(key, stored) ? undefined : stored.entry;
    },
    async set(key, entry) {
      const stored: StoredEntry = { entry, writtenAt: dateNow() };
      await database.write(["entries", "leases", "rooms"], async ({ entries, leases: held, rooms }) => {
        await leases.confirm(key, held);
        // One transaction does both, so that nothing else takes the room.
        const [room] = await whenDone(rooms.index("key").getAllKeys(key));
        if (room !== undefined) rooms.delete(room);
        entries.put(stored, key);
      });
    },
    async delete(key) {
      await database.write(["entries", "leases"], async ({ entries, leases: held }) => {
        await leases.confirm(key, held);
        entries.delete(key);
      });
    },
    async list() {
      const { read } = await tidy();
      const all = await read(["entries"], ({ entries }) => allOf(entries));
      return all.flatMap(([key, stored]) =>
        isExpired(key, stored) ? [] : readJournalEntry(key, stored.entry),
      );
    },
    claim: (key) => leases.claim(key),
    async reserve(key) {
      const id = crypto.randomUUID();
      const room = { key, writtenAt: dateNow(), room: " ".repeat(RESERVED_SIZE) };
      await database.write(["rooms"], async ({ rooms }) => void rooms.put(room, id));
      return () => database.write(["rooms"], async ({ rooms }) => void rooms.delete(id));
    },
  };
  return inPlace(journal, `indexedDb ${name}`);
}

async function allOf(store: IDBObjectStore): Promise<[string, StoredEntry][]> {
  const [keys, stored] = await Promise.all([
    whenDone(store.getAllKeys()),
    whenDone<StoredEntry[]>(store.getAll()),
  ]);
  return keys.flatMap((key, at) => {
    const each = stored[at];
    return typeof key === "string" && each !== undefined ? [[key, each]] : [];
  });
}

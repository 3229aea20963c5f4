/**
 * Finished uploads, in a database of their own: it stays when rows are removed. Pages read it; the offscreen document
 * alone writes.
 *
 * An entry holds no path and no address that was read, only digests by which the same file or address is recognised.
 */
import { type DBSchema, type IDBPDatabase, openDB } from "idb";
import * as v from "valibot";
import { inTime } from "./list-store.ts";

interface HistorySchema extends DBSchema {
  entries: { key: string; value: HistoryEntry };
}

const HISTORY_NAME = "upcut-history";

/** Entries at most, and those that are left when there are more: to find the oldest, all are read. */
const [MOST_ENTRIES, LEFT_ENTRIES] = [500, 450];

const text = v.pipe(v.string(), v.maxLength(2000));
const count = v.pipe(v.number(), v.finite(), v.minValue(0));
const entrySchema = v.object({
  id: text,
  name: text,
  size: v.exactOptional(count),
  /** Where it was read from; absent for a file. */
  host: v.exactOptional(text),
  /** Milliseconds since 1970. */
  endedAt: count,
  assetId: text,
  playbackId: v.exactOptional(text),
  /** Addresses that the service gave, where the video is to be watched and downloaded. */
  playbackUrl: v.exactOptional(text),
  downloadUrl: v.exactOptional(text),
  /** Digests of the file's details or of the address, see source-kinds.ts. */
  digests: v.array(text),
});

export type HistoryEntry = v.InferOutput<typeof entrySchema>;

/** Kept: to open it takes longer than to write an entry. */
let connection: Promise<IDBPDatabase<HistorySchema>> | undefined;

async function withHistory<Result>(
  work: (history: IDBPDatabase<HistorySchema>) => Promise<Result>,
): Promise<Result> {
  connection ??= openDB<HistorySchema>(HISTORY_NAME, 1, {
    upgrade: (database) => void database.createObjectStore("entries", { keyPath: "id" }),
    blocking(_, __, { target }) {
      (target as IDBDatabase).close();
      forget();
    },
    terminated: forget,
  });
  const opening = connection;
  try {
    return await inTime(opening.then(work));
  } catch (error) {
    // The next one may open it anew, unless another one has.
    if (connection === opening) forget();
    void opening.then((history) => history.close()).catch(() => {});
    throw error;
  }
}

function forget(): void {
  connection = undefined;
}

export async function readHistory(): Promise<HistoryEntry[]> {
  const stored: unknown[] = await withHistory((history) => history.getAll("entries"));
  return stored
    .flatMap((each) => (v.is(entrySchema, each) ? [each] : []))
    .sort((a, b) => b.endedAt - a.endedAt);
}

export async function addToHistory(added: HistoryEntry[]): Promise<void> {
  await withHistory(async (history) => {
    const entries = history.transaction("entries", "readwrite").store;
    await Promise.all(added.map((entry) => entries.put(entry)));
    if ((await entries.count()) <= MOST_ENTRIES) return;
    const all = (await entries.getAll()).sort((a, b) => b.endedAt - a.endedAt);
    await Promise.all(all.slice(LEFT_ENTRIES).map(({ id }) => entries.delete(id)));
  });
}

export async function clearHistory(): Promise<void> {
  await withHistory((history) => history.clear("entries"));
}

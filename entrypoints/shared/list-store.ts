/** The stored job list, in IndexedDB. Pages read it for their first paint; the offscreen document alone writes. */
import { type DBSchema, type IDBPDatabase, openDB } from "idb";
import type { StoredJob } from "./job.ts";
import { byAge } from "./list-order.ts";
import { readStoredJob } from "./stored-job.ts";
import { within } from "./within.ts";

interface ListSchema extends DBSchema {
  jobs: { key: string; value: StoredJob };
}

export const LIST_NAME = "upcut";

/** Of the form that jobs are stored in, which stored-job.ts reads. */
export const LIST_VERSION = 1;

/** Milliseconds until a connection that keeps the list to itself is not waited for any longer. */
const DATABASE_TIMEOUT = 3000;

/**
 * Opens the list, and makes it when it is opened for the first time.
 *
 * @param onLost called when the connection is gone: the list was wiped, or another connection replaces it
 * @throws when the list is of a later version, damaged, or kept closed by another connection
 */
export async function openDatabase(onLost: () => void = () => {}): Promise<ListDatabase> {
  const opening = openDB<ListSchema>(LIST_NAME, LIST_VERSION, {
    upgrade: (database) => void database.createObjectStore("jobs", { keyPath: "id" }),
    blocking(_, __, { target }) {
      (target as IDBDatabase).close();
      onLost();
    },
    terminated: onLost,
  });
  return await inTime(opening, () => void opening.then((list) => list.close()));
}

export type ListDatabase = IDBPDatabase<ListSchema>;

/** Jobs that are read in one task: between two of them a page answers, and the list can be written. */
const JOBS_PER_TASK = 100;

/**
 * All jobs, newest first, without what can't be understood at all.
 *
 * @throws when the list is damaged, or another connection writes to it without an end
 */
export async function readJobs(list: ListDatabase): Promise<StoredJob[]> {
  const jobs: StoredJob[] = [];
  let rest: IDBKeyRange | undefined;
  for (;;) {
    const stored = await inTime(list.getAll("jobs", rest, JOBS_PER_TASK));
    jobs.push(...stored.flatMap((each) => readStoredJob(each) ?? []));
    const last = stored.at(-1);
    if (last === undefined || stored.length < JOBS_PER_TASK) return jobs.sort(byAge);
    rest = IDBKeyRange.lowerBound(last.id, true);
  }
}

/** Reads the list over a connection of its own. */
export async function readList(): Promise<StoredJob[]> {
  const list = await openDatabase();
  return await readJobs(list).finally(() => list.close());
}

/** Ends waiting for the list: everything can do without it. */
export async function inTime<Result>(work: Promise<Result>, onLate: () => void = () => {}): Promise<Result> {
  return await within(DATABASE_TIMEOUT, work, () => {
    onLate();
    throw new Error("the list is kept closed");
  });
}

/** The upload list at rest, in IndexedDB. Pages read it for their first paint; the offscreen document alone writes. */
import { type DBSchema, type IDBPDatabase, openDB } from "idb";
import type { StoredJob } from "./job.ts";

interface ListSchema extends DBSchema {
  jobs: { key: string; value: StoredJob };
}

/** Opens the list, and makes it when it is opened for the first time. */
export function openList(): Promise<IDBPDatabase<ListSchema>> {
  return openDB<ListSchema>("upcut", 1, {
    upgrade(database) {
      database.createObjectStore("jobs", { keyPath: "id" });
    },
  });
}

export type ListDatabase = IDBPDatabase<ListSchema>;

/** All jobs, newest first. */
export async function readJobs(list: ListDatabase): Promise<StoredJob[]> {
  return (await list.getAll("jobs")).sort((a, b) => b.createdAt - a.createdAt);
}

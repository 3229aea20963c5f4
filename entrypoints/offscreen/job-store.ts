/** Keeps the stored list in line with the one at work: what can't be stored is known, and tried again. */
import { deleteDB } from "idb";
import type { StoredJob } from "../shared/job.ts";
import { inTime, LIST_NAME, type ListDatabase, openDatabase, readJobs } from "../shared/list-store.ts";
import { type OpenJob, toStored } from "./job-source.ts";

export interface JobStore {
  /** @throws when the stored list can't be read */
  read(): Promise<StoredJob[]>;
  /** Stores jobs as they are now, and whatever could not be stored before. Says whether these are. */
  write(ids: Iterable<string>): Promise<boolean>;
  /** Whether it is some time since a job was stored, so that mere progress is to be stored too. */
  isDue(id: string): boolean;
  /** Tries again at once to open a list that could not be opened. */
  retry(): void;
  /** Gives up what is stored, for a list that can be stored again. */
  renew(): void;
}

/** Milliseconds for which a list that couldn't be opened isn't tried again: nothing at work is to wait for it. */
const REOPEN_DELAY = 10_000;
/** Milliseconds between two times that mere progress is stored. */
const STORE_INTERVAL = 5_000;

/**
 * @param jobs the list at work
 * @param onWritten called after each try, with whether everything is stored
 */
export function createJobStore(
  jobs: ReadonlyMap<string, OpenJob>,
  onWritten: (isStored: boolean) => void,
): JobStore {
  let opening: Promise<ListDatabase> | undefined;
  const unstored = new Set<string>();
  const writtenAt = new Map<string, number>();

  function open(): Promise<ListDatabase> {
    if (opening !== undefined) return opening;
    const attempt = openDatabase(() => {
      opening = undefined;
      void write(jobs.keys());
    });
    attempt.catch(() => {
      setTimeout(() => {
        if (opening === attempt) opening = undefined;
      }, REOPEN_DELAY);
    });
    opening = attempt;
    return attempt;
  }

  async function writeJob(id: string, again = true): Promise<void> {
    const connection = open();
    try {
      const list = await connection;
      const job = jobs.get(id);
      if (job === undefined) await inTime(list.delete("jobs", id));
      else await inTime(list.put("jobs", toStored(job)));
    } catch (error) {
      // That a connection is lost shows in its use: a new one may be had.
      const lost = error instanceof DOMException && error.name !== "QuotaExceededError";
      if (!again || !lost) throw error;
      if (opening === connection) opening = undefined;
      await writeJob(id, false);
    }
  }

  async function writeOrNote(id: string): Promise<void> {
    try {
      await writeJob(id);
      unstored.delete(id);
    } catch {
      unstored.add(id);
    }
  }

  async function write(ids: Iterable<string>): Promise<boolean> {
    const wanted = [...ids];
    for (const id of wanted) writtenAt.set(id, Date.now());
    await Promise.all([...new Set([...wanted, ...unstored])].map(writeOrNote));
    onWritten(unstored.size === 0);
    return !wanted.some((id) => unstored.has(id));
  }

  return {
    async read() {
      const list = await open();
      const read = await readJobs(list);
      // What can't be understood at all can't be removed by the person.
      const known = new Set(read.map(({ id }) => id));
      const others = (await inTime(list.getAllKeys("jobs"))).filter((key) => !known.has(key));
      await Promise.all(others.map((key) => list.delete("jobs", key)));
      return read;
    },
    write,
    isDue: (id) => Date.now() - (writtenAt.get(id) ?? 0) > STORE_INTERVAL,
    retry() {
      opening = undefined;
    },
    renew() {
      opening = undefined;
      // What is opened from now on waits for it.
      deleteDB(LIST_NAME).catch(() => {});
    },
  };
}

/** The stored list: kept in line with the jobs at work. A change that can't be stored is known, and tried again. */
import { deleteDB } from "idb";
import { inTime, LIST_NAME, type ListDatabase, openDatabase, readJobs } from "../shared/list-store.ts";
import type { ListTrouble } from "../shared/messages.ts";
import { type OpenJob, toStored } from "./job-source.ts";

export interface ListStorage {
  trouble(): ListTrouble | undefined;
  /** Takes over what is stored, except where a newer job is at work already. */
  read(): Promise<void>;
  put(changed: OpenJob[]): Promise<boolean>;
  remove(ids: string[]): Promise<void>;
  /** Tells whether it is some time since a job was stored, so that mere progress is to be stored too. */
  isDue(id: string): boolean;
  repair(discardStored: boolean): Promise<void>;
}

/** Milliseconds for which a list that couldn't be opened isn't tried again: nothing at work is to wait for it. */
const REOPEN_DELAY = 10_000;
const STORE_INTERVAL = 5_000;

/** @param jobs the jobs at work, which this changes */
export function openListStorage(
  jobs: Map<string, OpenJob>,
  onTrouble: (trouble: ListTrouble | undefined) => void,
): ListStorage {
  let trouble: ListTrouble | undefined;
  let opening: Promise<ListDatabase> | undefined;
  const writtenAt = new Map<string, number>();
  /** Ids of jobs that could not be stored as they are. */
  const unstored = new Set<string>();
  const waiting = new Set<string>();
  let next: Promise<void> | undefined;
  let last: Promise<void> = Promise.resolve();

  function setTrouble(now: ListTrouble | undefined): void {
    if (now === trouble) return;
    trouble = now;
    onTrouble(now);
  }

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

  /** Stores jobs as they are by then, together with all others that change meanwhile: says whether these are stored. */
  async function write(ids: Iterable<string>): Promise<boolean> {
    const wanted = [...ids];
    for (const id of wanted) {
      waiting.add(id);
      writtenAt.set(id, performance.now());
    }
    if (next === undefined) {
      next = last.then(writeWaiting);
      last = next;
    }
    await next;
    return !wanted.some((id) => unstored.has(id));
  }

  async function writeWaiting(): Promise<void> {
    next = undefined;
    const ids = [...waiting];
    waiting.clear();
    // By itself: on a full disk, what is removed makes room for what is left.
    if ((await writeTogether(ids)) && unstored.size > 0) await writeTogether([...unstored]);
    // A list that was never read may not be said to be whole.
    if (trouble !== "unreadable") setTrouble(unstored.size === 0 ? undefined : "unstored");
  }

  async function writeTogether(ids: string[], again = true): Promise<boolean> {
    const connection = open();
    try {
      const changes = (await connection).transaction("jobs", "readwrite");
      const requests = ids.map((id) => {
        const job = jobs.get(id);
        return job === undefined ? changes.store.delete(id) : changes.store.put(toStored(job));
      });
      const steps = [...requests, changes.done];
      void Promise.allSettled(steps);
      // Each has the time of one: many of them take longer on a busy machine, and are no trouble.
      for (const step of steps) await inTime<unknown>(step);
    } catch (error) {
      // A lost connection shows only in its use: a new one may be had.
      const lost = error instanceof DOMException && error.name !== "QuotaExceededError";
      if (again && lost) {
        if (opening === connection) opening = undefined;
        return await writeTogether(ids, false);
      }
      for (const id of ids) unstored.add(id);
      return false;
    }
    for (const id of ids) unstored.delete(id);
    return true;
  }

  async function read(): Promise<void> {
    try {
      const list = await open();
      const stored = await readJobs(list);
      // The person can't remove a record that can't be understood at all.
      const known = new Set(stored.map(({ id }) => id));
      const keys = await inTime(list.getAllKeys("jobs"));
      // A job that was stored while the others were read isn't among them.
      const others = keys.filter((key) => !known.has(key) && !jobs.has(key));
      await Promise.all(others.map((key) => list.delete("jobs", key)));
      for (const job of stored) if (!jobs.has(job.id)) jobs.set(job.id, job);
      setTrouble(undefined);
    } catch {
      setTrouble("unreadable");
    }
  }

  return {
    trouble: () => trouble,
    read,
    async put(changed) {
      for (const job of changed) jobs.set(job.id, job);
      return await write(changed.map(({ id }) => id));
    },
    async remove(ids) {
      for (const id of ids) jobs.delete(id);
      await write(ids);
    },
    isDue: (id) => performance.now() - (writtenAt.get(id) ?? Number.NEGATIVE_INFINITY) > STORE_INTERVAL,
    async repair(discardStored) {
      opening = undefined;
      // Connections that are opened from now on wait for it.
      if (discardStored) deleteDB(LIST_NAME).catch(() => {});
      if (trouble === "unreadable") await read();
      await write(jobs.keys());
    },
  };
}

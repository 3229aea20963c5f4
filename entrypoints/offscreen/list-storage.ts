/** The jobs at work and their store: reads them, writes what has changed, and knows when the two differ. */
import type { ListTrouble } from "../shared/messages.ts";
import type { OpenJob } from "./job-source.ts";
import { createJobStore } from "./job-store.ts";

export interface ListStorage {
  /** Why what happens is not stored, while it isn't. */
  trouble(): ListTrouble | undefined;
  /** Takes over what is stored, except where a newer job is at work already. */
  read(): Promise<void>;
  /** Adds jobs or replaces them, and says whether they are stored. */
  put(changed: OpenJob[]): Promise<boolean>;
  remove(ids: string[]): Promise<void>;
  /** Whether it is some time since a job was stored, so that mere progress is to be stored too. */
  isDue(id: string): boolean;
  /** Reads and stores what could not be; `discardStored` gives up what was stored. */
  repair(discardStored: boolean): Promise<void>;
}

/** @param jobs the jobs at work, which this changes */
export function openListStorage(
  jobs: Map<string, OpenJob>,
  onTrouble: (trouble: ListTrouble | undefined) => void,
): ListStorage {
  let trouble: ListTrouble | undefined;
  const store = createJobStore(jobs, (isStored) => {
    // A list that was never read may not be said to be whole.
    if (trouble !== "unreadable") setTrouble(isStored ? undefined : "unstored");
  });

  function setTrouble(now: ListTrouble | undefined): void {
    if (now === trouble) return;
    trouble = now;
    onTrouble(now);
  }

  async function read(): Promise<void> {
    try {
      for (const job of await store.read()) if (!jobs.has(job.id)) jobs.set(job.id, job);
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
      return await store.write(changed.map(({ id }) => id));
    },
    async remove(ids) {
      for (const id of ids) jobs.delete(id);
      await store.write(ids);
    },
    isDue: store.isDue,
    async repair(discardStored) {
      if (discardStored) store.renew();
      else store.retry();
      if (trouble === "unreadable") await read();
      await store.write(jobs.keys());
    },
  };
}

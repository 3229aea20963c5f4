/** Removes jobs so that the person can take it back: they are kept aside for some seconds, and then really go. */
import { UNDO_TIME } from "../shared/messages.ts";
import type { JobList } from "./job-list.ts";
import type { OpenJob } from "./job-source.ts";
import { forgetRequest } from "./requester.ts";
import type { RunningUploads } from "./uploads.ts";

export interface Removals {
  remove(jobIds: string[]): Promise<void>;
  /** Puts back what was removed lately, as it was. */
  undo(): Promise<void>;
  /** Lets it go at once. */
  forget(): void;
}

/** Milliseconds more than a page shows the button: a click at the last moment counts. */
const UNDO_MARGIN = 500;

export function createRemovals(
  list: Pick<JobList, "get" | "add" | "remove">,
  uploads: Pick<RunningUploads, "stop" | "startQueued">,
): Removals {
  /** Several removals in a row are taken back together. */
  let aside: OpenJob[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  function takeAside(): OpenJob[] {
    clearTimeout(timer);
    const taken = aside;
    aside = [];
    return taken;
  }

  function forget(): void {
    for (const { id } of takeAside()) void forgetRequest(id);
  }

  return {
    async remove(jobIds) {
      // A job that is being cancelled would come back as it was.
      const jobs = jobIds.flatMap((id) => list.get(id) ?? []).filter(({ ending }) => !ending);
      if (jobs.length === 0) return;
      await Promise.all(jobs.map(({ id }) => uploads.stop(id)));
      clearTimeout(timer);
      aside.push(...jobs);
      timer = setTimeout(forget, UNDO_TIME + UNDO_MARGIN);
      await list.remove(
        jobs.map(({ id }) => id),
        aside.length,
      );
    },
    async undo() {
      const jobs = takeAside();
      if (jobs.length === 0) return;
      await list.add(jobs);
      void uploads.startQueued();
    },
    forget,
  };
}

/** The seconds before a new upload starts by itself. Its name can't be changed later, nor its asset removed. Pure. */
import type { Job } from "./job.ts";

/** Milliseconds before a new upload starts by itself. */
export const START_DELAY = 5_000;

/** Milliseconds until a job starts by itself; 0 where nothing holds it, or not for this reason. */
export function graceLeft({ state, startsAt }: Job, now: number): number {
  if (state !== "queued" || startsAt === undefined) return 0;
  const left = startsAt - now;
  // The clock may have been set back meanwhile.
  return left > 0 && left <= START_DELAY ? left : 0;
}

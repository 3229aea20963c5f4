/** The order of the list, and of its queue. Pure. */

import type { Job, JobState } from "./job.ts";
import { entryOf } from "./record.ts";

/** Running first, then what needs the person, then what waits for its turn, what isn't started, and what has ended. */
const GROUPS: Record<JobState, number> = {
  requesting: 0,
  uploading: 0,
  waiting: 0,
  paused: 1,
  "needs-file": 1,
  "needs-permission": 1,
  "asset-unknown": 1,
  failed: 1,
  queued: 2,
  draft: 3,
  done: 4,
  cancelled: 4,
};

export type Placed = Pick<Job, "state" | "createdAt" | "place" | "movedUpAt" | "endedAt">;

/** Groups by state; in each what was done last, then the newest batch first, but for the queue, which has its own order. */
export function byPlace(a: Placed, b: Placed): number {
  const groups = groupOf(a) - groupOf(b);
  if (groups !== 0) return groups;
  return a.state === "queued" ? byTurn(a, b) : (b.endedAt ?? 0) - (a.endedAt ?? 0) || byAge(a, b);
}

/** The newest batch first, and each in its own order. */
export function byAge(a: Placed, b: Placed): number {
  return b.createdAt - a.createdAt || (a.place ?? 0) - (b.place ?? 0);
}

/** A state that this version doesn't know comes last. */
function groupOf({ state }: Placed): number {
  return entryOf(GROUPS, state) ?? 5;
}

/** The latest that was moved up goes first. Batches take their turn as they came, and each in its own order. */
export function byTurn(a: Placed, b: Placed): number {
  return (b.movedUpAt ?? 0) - (a.movedUpAt ?? 0) || a.createdAt - b.createdAt || byAge(a, b);
}

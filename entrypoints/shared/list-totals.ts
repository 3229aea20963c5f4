/** How the whole list stands, in numbers. Pure. */
import { fractionOf, hasFailed, isRunning, isUnfinished, type Job, type JobState, knownSize } from "./job.ts";
import { byPlace } from "./list-order.ts";
import { canBeRetried } from "./next-steps.ts";

export interface ListTotals {
  /** Uploads that are under way together: what is open, and what is done since something was always open. */
  all: number;
  done: number;
  /** Uploads that failed since then: they go no further, and must not keep the rest from coming to an end. */
  failed: number;
  /** Bytes of those whose size is known or estimated. */
  sent: number;
  size: number;
  unsized: number;
  /** Bytes that go on without the person, and how many of them go in a second; no number where that can't be told. */
  left: number;
  speed: number;
  /** From 0 to 1, and never 1; nothing while no size is known. */
  fraction?: number;
  running: number;
  /** What the buttons would do something for. */
  pausable: number;
  paused: number;
  retryable: number;
}

const HELD: readonly JobState[] = ["paused", "needs-file", "needs-permission"];
export const isPaused = ({ state, ending }: Job): boolean => state === "paused" && !ending;
const isOpen = (job: Job): boolean => isUnfinished(job) || HELD.includes(job.state);

export function totalsOf(all: readonly Job[]): ListTotals {
  const jobs = all.filter(isWhole);
  const since = begunAt(jobs);
  const count = (which: (job: Job) => boolean) => jobs.filter(which).length;
  const totals: ListTotals = {
    all: 0,
    done: 0,
    failed: 0,
    sent: 0,
    size: 0,
    unsized: 0,
    left: 0,
    speed: 0,
    running: count(isRunning),
    pausable: count(isUnfinished),
    paused: count(isPaused),
    retryable: count(canBeRetried),
  };
  for (const job of jobs) if (isCounted(job, since)) add(job, totals);
  const { sent, size } = totals;
  return size > 0 ? { ...totals, fraction: fractionOf(sent, size) } : totals;
}

/** What can't be shown must not keep the others from being counted. */
export function isWhole({ source, fields, progress }: Partial<Job>): boolean {
  return [source, fields, progress].every((part) => part instanceof Object);
}

/** Since when something was open at any time: else the end of one batch would take it out of the totals of the next. */
function begunAt(jobs: readonly Job[]): number {
  const oldest = (begun: number, { createdAt }: Job) => Math.min(begun, createdAt);
  const done = jobs.filter((job) => job.endedAt !== undefined).sort(byPlace);
  return done.reduce(
    (begun, job) => ((job.endedAt ?? 0) < begun ? begun : oldest(begun, job)),
    jobs.filter(isOpen).reduce(oldest, Number.POSITIVE_INFINITY),
  );
}

/** Uploads that ended before belong to another time. */
function isCounted(job: Job, since: number): boolean {
  const hasEnded = job.state === "done" || hasFailed(job);
  return isOpen(job) || (hasEnded && job.createdAt >= since);
}

function add(job: Job, totals: ListTotals): void {
  const { state, source, progress } = job;
  if (hasFailed(job)) {
    totals.failed++;
    return;
  }
  totals.all++;
  if (state === "done") totals.done++;
  if (state === "uploading") totals.speed += progress.speed;
  const size = knownSize(source);
  if (size === undefined) {
    if (state !== "done") totals.unsized++;
    if (isUnfinished(job)) totals.left = Number.NaN;
    return;
  }
  const sent = state === "done" ? size : Math.min(progress.sent, size);
  totals.size += size;
  totals.sent += sent;
  if (isUnfinished(job)) totals.left += size - sent;
}

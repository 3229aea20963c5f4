/** How the whole list stands, in numbers. Pure. */
import { fractionOf } from "../shared/format.ts";
import { type Job, type JobState, knownSize } from "../shared/job.ts";
import { canBeRetried } from "../shared/retry.ts";

export interface ListTotals {
  /** Uploads that are under way together: what is open, and what has ended since the oldest of it was added. */
  all: number;
  done: number;
  /** Bytes of those whose size is known or estimated, without what failed. */
  sent: number;
  size: number;
  /** How many of them have no known size yet. */
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

const RUNNING: ReadonlySet<JobState> = new Set(["requesting", "uploading", "waiting"]);
const OPEN: ReadonlySet<JobState> = new Set([
  ...RUNNING,
  "queued",
  "paused",
  "needs-file",
  "needs-permission",
]);

export function totalsOf(all: readonly Job[]): ListTotals {
  const jobs = all.filter(isWhole);
  const open = jobs.filter(({ state }) => OPEN.has(state));
  const since = open.reduce((oldest, { createdAt }) => Math.min(oldest, createdAt), Infinity);
  const count = (which: (job: Job) => boolean) => jobs.filter(which).length;
  const totals: ListTotals = {
    all: 0,
    done: 0,
    sent: 0,
    size: 0,
    unsized: 0,
    left: 0,
    speed: 0,
    running: count(({ state }) => RUNNING.has(state)),
    pausable: count(goesOn),
    paused: count(({ state, ending }) => state === "paused" && !ending),
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

/** True if it goes on without the person, now or when its turn comes. */
function goesOn({ state }: Job): boolean {
  return RUNNING.has(state) || state === "queued";
}

/** What ended before everything that is open was added belongs to another time. */
function isCounted({ state, createdAt }: Job, since: number): boolean {
  if (OPEN.has(state)) return true;
  const hasEnded = state === "done" || state === "failed" || state === "asset-unknown";
  return hasEnded && createdAt >= since;
}

function add(job: Job, totals: ListTotals): void {
  const { state, source, progress } = job;
  totals.all++;
  if (state === "done") totals.done++;
  // What failed goes no further, and must not keep the rest from coming to an end.
  if (state === "failed" || state === "asset-unknown") return;
  if (state === "uploading") totals.speed += progress.speed;
  const size = knownSize(source);
  if (size === undefined) {
    if (state !== "done") totals.unsized++;
    if (goesOn(job)) totals.left = Number.NaN;
    return;
  }
  const sent = state === "done" ? size : Math.min(progress.sent, size);
  totals.size += size;
  totals.sent += sent;
  if (goesOn(job)) totals.left += size - sent;
}

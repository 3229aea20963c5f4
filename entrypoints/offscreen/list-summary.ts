/** The whole list in a few numbers, and the reports of them to the background. */
import {
  type Ends,
  hasFailed,
  isEnded,
  isRunning,
  isUnfinished,
  type Job,
  type JobState,
  type ListSummary,
  withEnd,
} from "../shared/job.ts";
import { totalsOf } from "../shared/list-totals.ts";
import { callBackground } from "../shared/messages.ts";
import type { OpenJob } from "./job-source.ts";

const WAITING: readonly JobState[] = ["draft", "needs-file", "needs-permission"];

export function summarise(jobs: Iterable<Job>): ListSummary {
  const all = [...jobs];
  const count = (which: (job: Job) => boolean) => all.filter(which).length;
  return {
    unfinished: count(isUnfinished),
    running: count(isRunning),
    unended: count((job) => !isEnded(job)),
    waiting: count((job) => hasFailed(job) || WAITING.includes(job.state)),
    fraction: totalsOf(all).fraction ?? 0,
  };
}

/** Milliseconds in which ends of uploads are gathered. */
const ENDED_INTERVAL = 1_000;

/** Milliseconds between two reports: many short uploads end within a second, and each report takes the worker some time. */
const REPORT_INTERVAL = 200;

export interface SummaryReport {
  /** Reports how the list stands, if that has changed: at once, or as soon as the last report is long enough ago. */
  send(): void;
  /** Notes the new state of a job: a later report tells of uploads that are done or have failed. */
  noteState(job: Job): void;
}

/** @param isUnstored whether the list is known in this document alone */
export function createSummaryReport(
  jobs: ReadonlyMap<string, OpenJob>,
  isUnstored: () => boolean,
): SummaryReport {
  let reported = "";
  let noted: Ends | undefined;
  let isResting = false;
  let isDue = false;

  function sendEnded(): void {
    const ended = noted;
    noted = undefined;
    if (ended !== undefined) callBackground("list-changed", { summary: summary(), ended }).catch(() => {});
  }

  function summary(): ListSummary {
    const all = summarise(jobs.values());
    // A change that is not stored is known here alone: this document must not be taken for idle.
    return { ...all, unended: isUnstored() ? Math.max(1, all.unended) : all.unended };
  }

  function send(): void {
    isDue = isResting;
    if (isResting) return;
    isResting = true;
    setTimeout(() => {
      isResting = false;
      if (isDue) send();
    }, REPORT_INTERVAL);
    const now = summary();
    const text = JSON.stringify({ ...now, fraction: Math.floor(now.fraction * 100) });
    if (text === reported) return;
    reported = text;
    // The badge can wait: a worker that dies now is told again at the next change.
    callBackground("list-changed", { summary: now }).catch(() => {});
  }

  return {
    send,
    noteState(job) {
      const isDone = job.state === "done";
      if (!isDone && !hasFailed(job)) return;
      if (noted === undefined) setTimeout(sendEnded, ENDED_INTERVAL);
      noted = withEnd(noted, job, isDone);
    },
  };
}

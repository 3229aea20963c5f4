/** The whole list in a few numbers, and the reports of them to the background. */
import { type EndedUploads, isEnded, type Job, knownSize, type ListSummary } from "../shared/job.ts";
import { callBackground } from "../shared/messages.ts";
import { isRunning, isUnfinished } from "./job-reducer.ts";
import type { OpenJob } from "./job-source.ts";

export function summarise(jobs: Iterable<Job>): ListSummary {
  const summary: ListSummary = {
    unfinished: 0,
    running: 0,
    open: 0,
    needsAttention: 0,
    failed: 0,
    drafts: 0,
    done: 0,
    fraction: 0,
  };
  let sent = 0;
  let total = 0;
  for (const job of jobs) {
    if (isUnfinished(job)) {
      summary.unfinished++;
      // Of what has no known size nothing can be said in percent.
      const size = knownSize(job.source);
      if (size !== undefined) sent += Math.min(size, job.progress.sent);
      total += size ?? 0;
    }
    if (isRunning(job)) summary.running++;
    if (!isEnded(job)) summary.open++;
    if (job.state === "failed" || job.state === "asset-unknown") summary.failed++;
    if (job.state === "needs-file" || job.state === "needs-permission") summary.needsAttention++;
    if (job.state === "draft") summary.drafts++;
    if (job.state === "done") summary.done++;
  }
  summary.fraction = total === 0 ? 0 : Math.min(0.99, sent / total);
  return summary;
}

/** Milliseconds in which ends of uploads are gathered. */
const ENDED_INTERVAL = 1_000;

export interface SummaryReport {
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
  let noted: EndedUploads | undefined;

  /** Tells together of uploads that end within a moment. */
  function sendEnded(): void {
    const ended = noted;
    noted = undefined;
    if (ended !== undefined) callBackground("list-changed", { summary: summary(), ended }).catch(() => {});
  }

  function summary(): ListSummary {
    const all = summarise(jobs.values());
    // A change that is not stored is known here alone: this document must not be taken for idle.
    return { ...all, open: isUnstored() ? Math.max(1, all.open) : all.open };
  }

  return {
    send() {
      const now = summary();
      const text = JSON.stringify({ ...now, fraction: Math.floor(now.fraction * 100) });
      if (text === reported) return;
      reported = text;
      // The badge can wait: a worker that dies now is told again at the next change.
      callBackground("list-changed", { summary: now }).catch(() => {});
    },
    noteState({ id: jobId, state, fields: { name } }) {
      const isDone = state === "done";
      if (!isDone && state !== "failed" && state !== "asset-unknown") return;
      const { done, failed, last } = noted ?? { done: 0, failed: 0, last: undefined };
      if (noted === undefined) setTimeout(sendEnded, ENDED_INTERVAL);
      noted = {
        done: done + (isDone ? 1 : 0),
        failed: failed + (isDone ? 0 : 1),
        last: isDone && failed > 0 && last !== undefined ? last : { jobId, name },
      };
    },
  };
}

/** Tells the background how the list stands, whenever that has changed. */
import type { EndedUploads, Job, ListSummary } from "../shared/job.ts";
import { callBackground } from "../shared/messages.ts";
import type { OpenJob } from "./job-source.ts";
import { summarise } from "./list-summary.ts";

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

  /** What ends within a moment is told together. */
  function sendEnded(): void {
    const ended = noted;
    noted = undefined;
    if (ended !== undefined) callBackground("list-changed", { summary: summary(), ended }).catch(() => {});
  }

  function summary(): ListSummary {
    const all = summarise(jobs.values());
    // What is not stored is known here alone: this document must not be taken for idle.
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

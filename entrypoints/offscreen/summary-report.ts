/** Tells the background how the list stands, whenever that has changed. */
import type { EndedUpload, Job } from "../shared/job.ts";
import { callBackground } from "../shared/messages.ts";
import type { OpenJob } from "./job-source.ts";
import { summarise } from "./list-summary.ts";

export interface SummaryReport {
  send(): void;
  /** Notes the new state of a job: the next report tells of an upload that is done or has failed. */
  noteState(job: Job): void;
}

/** @param isUnstored whether the list is known in this document alone */
export function createSummaryReport(
  jobs: ReadonlyMap<string, OpenJob>,
  isUnstored: () => boolean,
): SummaryReport {
  let reported = "";
  let noted: EndedUpload | undefined;
  return {
    send() {
      const all = summarise(jobs.values());
      // What is not stored is known here alone: this document must not be taken for idle.
      const summary = { ...all, open: isUnstored() ? Math.max(1, all.open) : all.open };
      const text = JSON.stringify({ ...summary, fraction: Math.floor(summary.fraction * 100) });
      if (text === reported && noted === undefined) return;
      reported = text;
      const ended = noted;
      noted = undefined;
      // The badge can wait: a worker that dies now is told again at the next change.
      callBackground("list-changed", { summary, ...(ended && { ended }) }).catch(() => {});
    },
    noteState({ state, fields: { name } }) {
      if (state === "done") noted = { name, state };
      else if (state === "failed" || state === "asset-unknown") noted = { name, state: "failed" };
    },
  };
}

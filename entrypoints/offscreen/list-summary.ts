/** The whole list in a few numbers. Pure. */
import { isEnded, type Job, knownSize, type ListSummary } from "../shared/job.ts";
import { isRunning, isUnfinished } from "./job-reducer.ts";

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

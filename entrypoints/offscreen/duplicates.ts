/** Recognises what is given again while it is still being uploaded, and what becomes of that upload. */
import { findKnown, sourceKind } from "../shared/source-kinds.ts";
import type { JobList } from "./job-list.ts";
import { isUnfinished, type JobEvent } from "./job-reducer.ts";
import type { OpenJob } from "./job-source.ts";

/** The id of the job that uploads the same file or address, for each source of these digests. */
export async function findDuplicates(given: string[][], jobs: OpenJob[]): Promise<(string | undefined)[]> {
  const known = new Map<string, string>();
  for (const { id, source } of jobs.filter(isUnderWay))
    for (const digest of await sourceKind(source).digests(source)) known.set(digest, id);
  return given.map((digests) => findKnown(digests, known));
}

/** Settles the drafts that were given while these jobs were under way, once they are no longer. */
export async function settleDuplicates(list: JobList, jobIds: string[]): Promise<void> {
  const over = new Set(jobIds.filter((id) => !isUnderWay(list.get(id))));
  if (over.size === 0) return;
  const events = new Map<string, JobEvent>();
  for (const { id, duplicateOf } of list.all()) {
    if (duplicateOf === undefined || !over.has(duplicateOf)) continue;
    const isDone = list.get(duplicateOf)?.state === "done";
    events.set(id, { type: "duplicate-over", ...(isDone && { uploadedAt: Date.now() }) });
  }
  if (events.size > 0) await list.applyAll(events);
}

function isUnderWay(job: OpenJob | undefined): boolean {
  return job !== undefined && (isUnfinished(job) || job.state === "paused");
}

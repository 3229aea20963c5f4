/** The uploads of the list at work: restored, queued, and run one by one. */

import { assetUnknown } from "../../core/extension.ts";
import { hasFailed, isEnded } from "../shared/job.ts";
import { callBackground } from "../shared/messages.ts";
import type { JobList } from "./job-list.ts";
import { findSource, reachSource, runJob } from "./run-job.ts";
import type { SettingsCopy } from "./settings-copy.ts";
import { createUploadQueue, type UploadQueue } from "./upload-queue.ts";

export interface RunningUploads extends Pick<UploadQueue, "startQueued" | "stop"> {
  /** Resumes jobs that were running when an earlier document ended, as far as their source and location are known. */
  restore(): Promise<void>;
}

export async function startUploads(list: JobList, settings: SettingsCopy): Promise<RunningUploads> {
  const { startQueued, stop, isRunning } = createUploadQueue({
    jobs: list.all,
    limit: async () => (await settings.read()).uploadsAtATime,
    run: async (id, stopper) => {
      // From now on it can't be edited any more.
      await list.apply(id, { type: "started" });
      // Whatever else goes wrong, no job is run by two documents at once.
      await navigator.locks.request(`upcut-job-${id}`, { ifAvailable: true }, async (lock) => {
        if (lock !== null) await runJob({ list, settings, id, stopper });
      });
    },
  });
  const restore = () => restoreJobs(list, isRunning);
  await restore();
  void startQueued();
  return { restore, startQueued, stop };
}

/** @param isRunning whether a job is at work in this document */
export async function restoreJobs(list: JobList, isRunning: (jobId: string) => boolean): Promise<void> {
  const left = list
    .all()
    .filter((job) => !isEnded(job) && !job.ending && job.state !== "needs-file" && !isRunning(job.id));
  const requested = left.filter((job) => job.state === "requesting" && job.journal === undefined);
  await Promise.all(requested.map(({ id }) => settleRequest(list, id)));
  // Each by itself: a file on a drive that doesn't answer keeps nothing else waiting.
  for (const { id } of left) void restoreSource(list, id);
}

async function settleRequest(list: JobList, jobId: string): Promise<void> {
  const response = await callBackground("recall-location", { jobId }).catch(() => null);
  if (response === null)
    await list.apply(jobId, { type: "failed", error: assetUnknown("the browser ended").toJSON() });
}

async function restoreSource(list: JobList, jobId: string): Promise<void> {
  const job = list.get(jobId);
  // A failed job says why; that its file is out of reach shows when the person continues it.
  if (job !== undefined && hasFailed(job)) await findSource(list, jobId);
  else await reachSource(list, jobId);
}

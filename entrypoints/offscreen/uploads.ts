/** The uploads of the list at work: restored, queued, and run one by one. */
import type { JobList } from "./job-list.ts";
import { restoreJobs } from "./restore-jobs.ts";
import { runJob } from "./run-job.ts";
import type { SettingsCopy } from "./settings-copy.ts";
import { createUploadQueue, type UploadQueue } from "./upload-queue.ts";

export interface Uploads extends Pick<UploadQueue, "startQueued" | "stop"> {
  /** Resumes jobs that were running when an earlier document ended, as far as their source and location are known. */
  restore(): Promise<void>;
}

export async function startUploads(list: JobList, settings: SettingsCopy): Promise<Uploads> {
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

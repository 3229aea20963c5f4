/**
 * The uploads of the list at work: restored, queued, and some at a time.
 *
 * A job whose run ends and leaves it as it was is begun again after a pause, whatever is wrong with it.
 */

import { assetUnknown } from "../../core/extension.ts";
import { logName } from "../shared/fault.ts";
import { graceLeft, hasFailed, isEnded, isUnfinished } from "../shared/job.ts";
import { byTurn } from "../shared/list-order.ts";
import { callBackground } from "../shared/messages.ts";
import type { JobList } from "./job-list.ts";
import type { OpenJob } from "./job-source.ts";
import { findSource, reachSource, runJob } from "./run-job.ts";
import type { SettingsCopy } from "./settings-copy.ts";

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

export interface UploadQueue {
  startQueued(): Promise<void>;
  isRunning(jobId: string): boolean;
  /** Stops a job that is at work, and resolves when it is. */
  stop(jobId: string): Promise<void>;
}

export interface UploadQueueOptions {
  jobs(): OpenJob[];
  limit(): Promise<number>;
  run(jobId: string, stopper: AbortController): Promise<void>;
}

/** Milliseconds until a job is begun again that its run left unfinished. */
const RESTART_DELAY = 5_000;

export function createUploadQueue({ jobs, limit, run }: UploadQueueOptions): UploadQueue {
  const running = new Map<string, { stopper: AbortController; ended: Promise<void> }>();
  /** Jobs whose run ended and left them unfinished, until they are begun again. */
  const waitingForRestart = new Set<string>();
  let graceEnd: ReturnType<typeof setTimeout> | undefined;

  async function startQueued(): Promise<void> {
    const most = await limit();
    const now = Date.now();
    const unfinished = jobs().filter(isUnfinished).sort(byTurn);
    comeBack(unfinished.map((job) => graceLeft(job, now)).filter((left) => left > 0));
    for (const job of unfinished) {
      const { id } = job;
      if (running.size >= most) return;
      if (!running.has(id) && !waitingForRestart.has(id) && graceLeft(job, now) === 0) start(id);
    }
  }

  /** Looks again as soon as the first of the jobs in their grace is to start. */
  function comeBack(graces: number[]): void {
    clearTimeout(graceEnd);
    if (graces.length > 0) graceEnd = setTimeout(() => void startQueued(), Math.min(...graces));
  }

  function start(id: string): void {
    const stopper = new AbortController();
    const ended = run(id, stopper)
      .catch(logName)
      .then(() => {
        running.delete(id);
        const isLeft = jobs().some((job) => job.id === id && isUnfinished(job));
        if (!stopper.signal.aborted && isLeft) restartLater(id);
        void startQueued();
      });
    running.set(id, { stopper, ended });
  }

  function restartLater(id: string): void {
    waitingForRestart.add(id);
    setTimeout(() => {
      waitingForRestart.delete(id);
      void startQueued();
    }, RESTART_DELAY);
  }

  return {
    startQueued,
    isRunning: (jobId) => running.has(jobId),
    async stop(jobId) {
      const job = running.get(jobId);
      job?.stopper.abort();
      await job?.ended;
    },
  };
}

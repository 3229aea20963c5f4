/** Runs the queued jobs of the list, some at a time. Knows nothing of how a job is run. */
import type { Job } from "../shared/job.ts";
import { isUnfinished } from "./job-reducer.ts";
import type { OpenJob } from "./job-source.ts";

export interface UploadQueue {
  /** Starts what is queued, as many at a time as are wanted. */
  startQueued(): Promise<void>;
  isRunning(jobId: string): boolean;
  /** Stops a job that is at work, and resolves when it is. */
  stop(jobId: string): Promise<void>;
}

export interface UploadQueueOptions {
  jobs(): OpenJob[];
  /** How many may run at a time, now. */
  limit(): Promise<number>;
  /** Runs a job until it has ended or is stopped. */
  run(jobId: string, stopper: AbortController): Promise<void>;
}

export function createUploadQueue({ jobs, limit, run }: UploadQueueOptions): UploadQueue {
  const running = new Map<string, { stopper: AbortController; ended: Promise<void> }>();

  async function startQueued(): Promise<void> {
    const most = await limit();
    for (const { id } of jobs().filter(isUnfinished).sort(byTurn)) {
      if (running.size >= most) return;
      if (!running.has(id)) start(id);
    }
  }

  function start(id: string): void {
    const stopper = new AbortController();
    const ended = run(id, stopper).finally(() => {
      running.delete(id);
      void startQueued();
    });
    running.set(id, { stopper, ended });
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

/** Batches take their turn as they came, and each in its own order. */
export function byTurn(a: Job, b: Job): number {
  return Math.ceil(a.createdAt) - Math.ceil(b.createdAt) || b.createdAt - a.createdAt;
}

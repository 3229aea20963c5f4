/**
 * Runs the queued jobs of the list, some at a time. Knows nothing of how a job is run.
 *
 * A job whose run ends and leaves it as it was is begun again after a pause, whatever is wrong with it.
 */
import { logName } from "../shared/fault.ts";
import { graceLeft, isUnfinished } from "../shared/job.ts";
import { byTurn } from "../shared/list-order.ts";
import type { OpenJob } from "./job-source.ts";

export interface UploadQueue {
  startQueued(): Promise<void>;
  isRunning(jobId: string): boolean;
  /** Stops a job that is at work, and resolves when it is. */
  stop(jobId: string): Promise<void>;
}

export interface UploadQueueOptions {
  jobs(): OpenJob[];
  /** How many may run at a time, now. */
  limit(): Promise<number>;
  run(jobId: string, stopper: AbortController): Promise<void>;
  /** Milliseconds until a job is begun again that its run left unfinished. @default 5000 */
  restartDelay?: number;
}

export function createUploadQueue({
  jobs,
  limit,
  run,
  restartDelay = 5_000,
}: UploadQueueOptions): UploadQueue {
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
    }, restartDelay);
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

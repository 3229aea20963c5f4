/**
 * One job: uploads its video, and says to the queue what is to become of it.
 *
 * @module
 */

import { DelayedError, type Job, UnrecoverableError, Worker } from "bullmq";
import type { ListableJournal } from "../../journals/redis.ts";
import { type Client, isUpcutError, type Progress, type Requester, upload } from "../../mod.ts";
import { beforeWrites, forgetsRequest } from "./journal-writes.ts";
import type { VideoNotes } from "./notes.ts";
import { LEASE_TIMEOUT, type Outcome, type Video, type VideoQueue } from "./settings.ts";

/** A job, and what a worker has for it. */
export interface VideoTask {
  job: Job<Video, Outcome>;
  token: string | undefined;
  /** Aborts when the job has become another worker's, or the worker is to stop. */
  signal: AbortSignal | undefined;
  client: Client;
  journal: ListableJournal;
  notes: VideoNotes;
  queue: VideoQueue;
  /** Whether the worker is to stop. */
  stopping: AbortSignal;
}

/** Milliseconds between two reports of a job's progress. */
const PROGRESS_INTERVAL = 2_000;
/** Milliseconds for which nobody asks for a location after the service said that it is too soon, and named no time. */
const DEFAULT_PAUSE = 5_000;

/** The service asks everybody to wait. */
class TooSoon extends Error {
  readonly wait: number;
  constructor(wait: number) {
    super("the service asks to wait");
    this.wait = wait;
  }
}

/** An earlier worker had uploaded the video, and was gone before it told the queue. */
class DoneBefore extends Error {
  readonly outcome: Outcome;
  constructor(outcome: Outcome) {
    super("the video was uploaded before");
    this.outcome = outcome;
  }
}

/** Uploads the video of a job. */
export async function uploadVideo(task: VideoTask): Promise<Outcome> {
  const { job, signal = new AbortController().signal } = task;
  const noted = noting(task);
  try {
    const { asset, size, resumed } = await upload(noted.requester, new URL(job.data.address), {
      journal: noted.journal,
      onProgress: noted.onProgress,
      signal,
      // A direct upload can't be asked how far it came: killed at its last byte, it would look refused.
      method: "resumable",
      // The queue tries again later, and meanwhile another video has the place.
      retry: { attempts: 6 },
    });
    return { assetId: asset.id, size, resumed };
  } catch (error) {
    if (error instanceof DoneBefore) return error.outcome;
    return await decide(task, error, noted.hasAsked());
  }
}

/**
 * Client, journal and progress of one try, with the notes that let another worker go on from anywhere. All of them are made
 * while this try has the lease of the video, and before what they make good for.
 */
function noting({ client, journal, notes, job }: VideoTask): {
  requester: Requester;
  journal: ListableJournal;
  onProgress(progress: Progress): void;
  /** Whether this try has asked for an asset itself. */
  hasAsked(): boolean;
} {
  const { line } = job.data;
  let hasAsked = false;
  let isWhole: Promise<void> | undefined;
  let reported = 0;

  const requester: Requester = {
    ...client,
    async requestUpload(request, options) {
      // The journal knows of no upload: it never began, or is done and was forgotten.
      const { asset, whole } = await notes.read();
      if (asset !== undefined && whole !== undefined)
        throw new DoneBefore({ assetId: asset, size: whole, resumed: true });
      if (asset !== undefined) await notes.doubt(line);
      hasAsked = true;
      const location = await client.requestUpload(request, options).catch(async (error: unknown) => {
        if (!isUpcutError(error)) throw error;
        if (error.code === "asset-unknown") await notes.doubt(line);
        throw error.code === "rate-limited" ? new TooSoon(error.retryAfter ?? DEFAULT_PAUSE) : error;
      });
      // Without it the journal's note says that there is an asset, though not which.
      await notes.made(location.asset.id).catch(() => {});
      return location;
    },
  };

  return {
    requester,
    hasAsked: () => hasAsked,
    // Before the journal forgets that an upload was done, or that one asked in vain.
    journal: beforeWrites(journal, async (key, next) => {
      await isWhole;
      if (!hasAsked && (await forgetsRequest(journal, key, next))) await notes.doubt(line);
    }),
    onProgress({ state, asset, acknowledged, total, speed, timeLeft }) {
      if (asset !== undefined && acknowledged === total)
        isWhole ??= notes.isWhole(asset.id, total).catch(() => {});
      if (Date.now() - reported < PROGRESS_INTERVAL && state !== "done") return;
      reported = Date.now();
      // What is undefined has no place in JSON.
      const known = { total: total ?? null, speed: speed ?? null, timeLeft: timeLeft ?? null };
      void job.updateProgress({ state, acknowledged, ...known }).catch(() => {});
    },
  };
}

/** Whether a job comes back, when, and at whose cost; or is set aside with its error. */
async function decide(
  { job, token, signal, queue, stopping }: VideoTask,
  error: unknown,
  hasAsked: boolean,
): Promise<never> {
  const later = async (milliseconds: number): Promise<never> => {
    await job.moveToDelayed(Date.now() + milliseconds, token);
    throw new DelayedError();
  };
  if (stopping.aborted) return await later(0);
  // The job is another worker's.
  if (signal?.aborted) throw new Error("another worker has taken over");
  if (error instanceof TooSoon) {
    console.log(`The service asks to wait for ${error.wait / 1000} s`);
    await queue.rateLimit(error.wait);
    throw Worker.RateLimitError();
  }
  if (!isUpcutError(error)) throw error;
  // Whoever has the video gives it back, or is gone by then.
  if (error.code === "in-progress") return await later(LEASE_TIMEOUT / 5);
  // It has been noted. A service that loses its own answers is asked again as often as for any other failure.
  if (error.code === "asset-unknown" && !hasAsked) return await later(0);
  const sentence = `${error.code}: ${error.message}`;
  const isTriedAgain = error.retryable || error.code === "asset-unknown";
  throw isTriedAgain ? new Error(sentence) : new UnrecoverableError(sentence);
}

/** One job: uploads its video, and says to the queue what is to become of it. */
import { DelayedError, type Job, UnrecoverableError, Worker } from "bullmq";
import { type Client, isUpcutError, type Journal, type Progress, type Requester, upload } from "../../mod.ts";
import type { VideoNotes } from "./notes.ts";
import { LEASE_TIMEOUT, type Outcome, type Video, type VideoQueue } from "./settings.ts";

export interface VideoTask {
  job: Job<Video, Outcome>;
  token: string | undefined;
  /** Aborts when the job has become another worker's, or the worker is to stop. */
  signal: AbortSignal | undefined;
  client: Client;
  journal: Journal;
  notes: VideoNotes;
  queue: VideoQueue;
  /** True if the worker is to stop. */
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

export async function uploadVideo(task: VideoTask): Promise<Outcome> {
  const { job, journal, notes, signal = new AbortController().signal } = task;
  let hasAsked = false;
  const requester = noting(task, () => {
    hasAsked = true;
  });
  try {
    const { asset, size, ...result } = await upload(requester, new URL(job.data.address), {
      journal,
      // A worker that was killed before it told the queue leaves its result to this one.
      once: true,
      onProgress: reporting(job),
      signal,
      // The queue tries again later, and meanwhile another video has the place.
      retry: 6,
    });
    const doubtful = await notes.doubts(asset.id);
    const resumed = result.resumed || result.uploadedBefore;
    return { assetId: asset.id, size, resumed, ...(doubtful.length > 0 && { doubtful }) };
  } catch (error) {
    return await decide(task, error, hasAsked);
  }
}

/** After these an asset may exist. */
const UNKNOWN: ReadonlySet<string> = new Set(["asset-unknown", "unexpected-answer"]);

/** The client of one try, which notes what it asks for. */
function noting({ client, notes }: VideoTask, onAsk: () => void): Requester {
  return {
    ...client,
    async requestUpload(request, options) {
      const asked = await notes.ask();
      onAsk();
      const location = await client.requestUpload(request, options).catch(async (error: unknown) => {
        if (!isUpcutError(error)) throw error;
        if (!UNKNOWN.has(error.code)) await asked.refused();
        throw error.code === "rate-limited" ? new TooSoon(error.retryAfter ?? DEFAULT_PAUSE) : error;
      });
      await asked.made(location.asset.id);
      return location;
    },
  };
}

function reporting(job: VideoTask["job"]): (progress: Progress) => void {
  let reported = 0;
  return ({ state, acknowledged, total, speed, timeLeft }) => {
    if (Date.now() - reported < PROGRESS_INTERVAL && state !== "done") return;
    reported = Date.now();
    // JSON has no undefined.
    const known = { total: total ?? null, speed: speed ?? null, timeLeft: timeLeft ?? null };
    void job.updateProgress({ state, acknowledged, ...known }).catch(() => {});
  };
}

/** Decides when a job comes back, and at whose cost; or sets it aside with its error. */
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
  // The worker that has the video gives it back, or is gone by then.
  if (error.code === "in-progress") return await later(LEASE_TIMEOUT / 5);
  // The doubt has been noted. A service that loses its own answers is asked again as often as for any other failure.
  if (error.code === "asset-unknown" && !hasAsked) return await later(0);
  const sentence = `${error.code}: ${error.message}`;
  const isTriedAgain = error.retryable || error.code === "asset-unknown";
  throw isTriedAgain ? new Error(sentence) : new UnrecoverableError(sentence);
}

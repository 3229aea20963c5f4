/**
 * One step of a Workflow: sends some parts of a video, from where the last one ended.
 *
 * A step may end at any moment and be run again. What it did is known from the journal and the service: the journal remembers
 * a video that is whole, so that a step which ended before its result was kept gives that again.
 */
import { durableObjectJournal, openR2Object } from "../../edge.ts";
import { type Client, createClient, discard, isUpcutError, type Journal, upload } from "../../mod.ts";
import type { Bindings } from "./bindings.ts";

export interface VideoUpload {
  env: Bindings;
  /** Key of the object in the bucket. */
  key: string;
  /** Id of the Workflow. */
  id: string;
}

export interface Reached {
  /** Bytes that the service has. */
  acknowledged: number;
  /** Set once those are all of them. */
  assetId?: string;
  /** True if an asset may exist of which nobody knows: an earlier step ended while it asked for it. */
  isDoubtful?: true;
  /** Why the video can't be uploaded: trying again would end in the same. */
  failure?: string;
}

const MiB = 1024 * 1024;
const PART = 8 * MiB;
const DEFAULT_STEP = 64;
/** A Workflow has 1,024 steps. */
const MOST_STEPS = 500;
/** Milliseconds of a step: less than its time limit, and few enough for the requests that a step may make. */
const LONGEST_STEP = 5 * 60_000;
/** Entries outlive Workflows that wait to be tried again. */
const YEAR = 365 * 24 * 60 * 60 * 1000;

/** An object of its own for each video. */
function journalOf({ env, id }: VideoUpload): Required<Journal> {
  return durableObjectJournal(env.JOURNAL, {
    name: id,
    leaseTimeout: Number(env.UPCUT_LEASE ?? 30_000),
    maxAge: YEAR,
  });
}

/** Clears what says that an asset may exist, once the Workflow has counted it: what has no asset is only forgotten. */
export async function clearDoubt(video: VideoUpload): Promise<void> {
  const journal = journalOf(video);
  for (const unfinished of await journal.list())
    if (unfinished.assetId === undefined) await discard(clientOf(video), unfinished, { journal });
}

function clientOf({ env }: VideoUpload): Client {
  return createClient({ baseUrl: env.UPCUT_URL, token: env.UPCUT_TOKEN });
}

export async function sendParts(video: VideoUpload): Promise<Reached> {
  const { env, key } = video;
  const journal = journalOf(video);
  // The doubt is told before the journal forgets it.
  if ((await journal.list()).some(({ assetId }) => assetId === undefined))
    return { acknowledged: 0, isDoubtful: true };
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), LONGEST_STEP);
  let reached = 0;
  /** True if the parts of this step are there. */
  let isSent = false;
  /** Where this step began to send, and how far it came. */
  let [first, last] = [Number.POSITIVE_INFINITY, 0];
  try {
    const source = await openR2Object(env.BUCKET, key);
    const { asset, size } = await upload(clientOf(video), source, {
      once: true,
      chunkSize: stepSize(Number(env.UPCUT_STEP ?? DEFAULT_STEP) * MiB, source.size ?? 0),
      signal: stop.signal,
      // The Workflow tries again later.
      retry: 6,
      journal,
      onResponse({ request: { kind }, status }) {
        isSent ||= kind === "content" && status !== undefined && status < 300;
      },
      onProgress({ state, sent, acknowledged, total }) {
        reached = acknowledged;
        if (state === "sending") [first, last] = [Math.min(first, sent), Math.max(last, sent)];
        // Between two requests: nothing is under way.
        if (isSent && acknowledged !== total) stop.abort();
      },
    });
    return { acknowledged: size, assetId: asset.id };
  } catch (error) {
    // On a slow line the parts of a step may take too long; those that came through are kept.
    if (stop.signal.aborted && (isSent || last - first >= PART)) return { acknowledged: reached };
    if (!isUpcutError(error)) throw error;
    // The Workflow keeps it: code and sentence, without a secret.
    const failure = `${error.code}: ${error.message}`;
    if (error.code === "asset-unknown") return { acknowledged: 0, isDoubtful: true };
    if (!error.retryable) return { acknowledged: reached, failure };
    throw new Error(failure);
  } finally {
    clearTimeout(timer);
  }
}

/** Whole parts, and no more steps than a Workflow has. */
function stepSize(wanted: number, size: number): number {
  return Math.ceil(Math.max(wanted, size / MOST_STEPS, PART) / PART) * PART;
}

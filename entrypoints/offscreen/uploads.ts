/** Runs the jobs of the list through core, some at a time. Knows no HTTP. */
import { type ErrorRecord, isUpcutError, type Progress, type UpcutError, upload } from "../../core/mod.ts";
import { faultOf } from "../shared/fault.ts";
import { byTurn, isEnded, isUnfinished, type StoredJob } from "../shared/job.ts";
import { askBackground } from "../shared/messages.ts";
import { DEFAULT_SETTINGS } from "../shared/settings.ts";
import { needAfter, needToAsk, needToConnect } from "./host-needs.ts";

import { jobJournal } from "./job-journal.ts";
import { type OpenJob, openSource } from "./job-source.ts";
import type { UploadList } from "./list.ts";
import { jobRequester } from "./requester.ts";
import { begunAt, goOnAt } from "./same-video.ts";
import { speedMeter } from "./speed.ts";

/** The uploads of the list at work. */
export interface Uploads {
  /** Has jobs go on that were at work when another document ended, as far as their file and location are known. */
  restore(): Promise<void>;
  /**
   * What a job is read from: its file, at hand or through its handle, or its address. Where a file is out of reach,
   * the list says what is needed.
   */
  reachSource(jobId: string): Promise<Blob | URL | undefined>;
  /** Starts what is queued, as many at a time as are wanted. */
  pump(): Promise<void>;
  /** Stops a job that is at work, and resolves when it is. */
  stop(jobId: string): Promise<void>;
}

/** The attempt at which a connection that never was is looked into. */
const SUSPICIOUS = 2;

export async function createUploads(list: UploadList): Promise<Uploads> {
  const stoppers = new Map<string, AbortController>();
  const running = new Map<string, Promise<void>>();

  await restore();
  void pump();

  async function restore(): Promise<void> {
    const left = list
      .all()
      .filter((job) => !isEnded(job) && job.state !== "needs-file" && !running.has(job.id));
    const asked = left.filter((job) => job.state === "requesting" && job.journal === undefined);
    await Promise.all(asked.map(({ id }) => settleRequest(id)));
    // Each by itself: a file on a drive that doesn't answer keeps nothing else waiting.
    for (const { id } of left) void restoreSource(id);
  }

  async function settleRequest(id: string): Promise<void> {
    if (!(await wasAnswered(id))) await list.apply(id, { type: "failed", error: lostWithTheBrowser });
  }

  async function restoreSource(id: string): Promise<void> {
    // What failed says why; that its file is out of reach shows when the person goes on.
    if (hasFailed(list.get(id))) await takeSource(id);
    else await reachSource(id);
  }

  async function takeSource(id: string): Promise<Blob | URL | "ask" | undefined> {
    const job = list.get(id);
    const source = job && (await openSource(job.source));
    if (source instanceof Blob) list.hold(id, source);
    return source;
  }

  async function reachSource(id: string): Promise<Blob | URL | undefined> {
    const source = await takeSource(id);
    if (source === "ask") await list.apply(id, { type: "permission-needed", needs: { permission: "file" } });
    else if (source === undefined) await list.apply(id, { type: "file-lost" });
    else return source;
    return undefined;
  }

  async function wasAnswered(jobId: string): Promise<boolean> {
    return (await askBackground("recall-location", { jobId }).catch(() => null)) !== null;
  }

  async function pump(): Promise<void> {
    // A background that can't answer stops no upload.
    const { uploadsAtATime } = await askBackground("read-settings", {}).catch(() => DEFAULT_SETTINGS);
    const queue = list.all().filter(isUnfinished).sort(byTurn);
    for (const job of queue) {
      if (running.size >= uploadsAtATime) return;
      if (running.has(job.id)) continue;
      const work = run(job).finally(() => {
        running.delete(job.id);
        void pump();
      });
      running.set(job.id, work);
    }
  }

  async function run(job: OpenJob): Promise<void> {
    const stopper = new AbortController();
    // From now on: looking for its source may take long already.
    stoppers.set(job.id, stopper);
    try {
      // Whatever else goes wrong, no job is run by two documents at once.
      await navigator.locks.request(`upcut-job-${job.id}`, { ifAvailable: true }, async (lock) => {
        if (lock !== null) await uploadJob(job, stopper);
      });
    } finally {
      stoppers.delete(job.id);
    }
  }

  async function uploadJob({ id, fields, source: from }: OpenJob, stopper: AbortController): Promise<void> {
    const source = await reachSource(id);
    if (source === undefined || (await isMerged(id, stopper.signal))) return;
    const speed = speedMeter();
    const { name, method, staticMp4, playbackPolicy, profiles, further } = fields;
    let hostToAllow: string | undefined;
    const holdUntilAllowed = async () => {
      if (hostToAllow === undefined) return;
      await list.apply(id, { type: "permission-needed", needs: { permission: "host", origin: hostToAllow } });
      stopper.abort();
    };
    try {
      const needs = await needToAsk(list.get(id));
      if (needs !== undefined) return await list.apply(id, { type: "permission-needed", needs });
      const { asset, task, mismatches, size, resent, duration, resumed } = await upload(
        jobRequester(list, id, (origin) => {
          hostToAllow = origin;
        }),
        source,
        {
          name,
          method,
          ...(staticMp4 && { staticMp4 }),
          ...(playbackPolicy && { playbackPolicy }),
          ...(profiles && { profiles }),
          fields: further,
          // With the cookies of its site, as the page itself reads it; servers that let everybody read refuse them.
          ...(from.kind === "url" && { sourceCredentials: from.open ? "omit" : "include" }),
          ...(from.kind === "url" && from.type !== "" && { type: from.type }),
          journal: jobJournal(list, id, holdUntilAllowed),
          signal: stopper.signal,
          onProgress: (progress) => void show(id, progress, speed),
        },
      );
      const outcome = { resent, duration, resumed };
      await list.apply(id, { type: "finished", size, asset, mismatches, outcome, ...(task && { task }) });
    } catch (error) {
      // Paused, cancelled or removed: whoever stopped it says what it is now.
      if (stopper.signal.aborted) return;
      await fail(id, error, source);
    }
  }

  /** A new job of a video that was begun before, which could not be told when it was handed over. */
  async function isMerged(id: string, signal: AbortSignal): Promise<boolean> {
    const job = list.get(id);
    if (job?.source.kind !== "url" || job.source.url === undefined || job.journal !== undefined) return false;
    const { url: address, page, open } = job.source;
    const video = { address, ...(page !== undefined && { page }), ...(open && { open }) };
    const begun = await begunAt(video, list.all());
    if (begun === undefined || signal.aborted) return false;
    await goOnAt(list, begun.id, video);
    await list.remove([id]);
    return true;
  }

  async function show(id: string, progress: Progress, speed: (bytes: number) => number): Promise<void> {
    const { state, sent, acknowledged, total, asset, waiting } = progress;
    const address = list.get(id)?.address ?? "";
    if (state === "requesting") return await list.apply(id, { type: "requesting", address });
    if (waiting !== undefined) {
      if (waiting.reason === "connection" && waiting.attempt === SUSPICIOUS) void suspectHost(id);
      return await list.apply(id, { type: "waiting", waiting });
    }
    const now = { sent, acknowledged, speed: speed(sent) };
    const known = { ...(asset && { asset }), ...(total !== undefined && { size: total }) };
    if (state !== "done") await list.apply(id, { type: "progressed", progress: now, ...known });
  }

  async function suspectHost(id: string): Promise<void> {
    const stopper = stoppers.get(id);
    const needs = await needToConnect(list.get(id));
    if (needs === undefined || list.get(id)?.state !== "waiting") return;
    await list.apply(id, { type: "permission-needed", needs });
    stopper?.abort();
  }

  async function fail(id: string, error: unknown, source: Blob | URL): Promise<void> {
    // Nothing may stay at work that isn't: it would be begun again at once, for ever.
    if (!isUpcutError(error)) {
      return await list.apply(id, { type: "failed", error: faultOf("upload the video") });
    }
    const needs = await needAfter(error, list.get(id), source);
    if (needs !== undefined) return await list.apply(id, { type: "permission-needed", needs });
    const record = { ...error.toJSON(), ...resumeOf(list.get(id), error) };
    const { details: _, ...silent } = record;
    // A background that can't answer leaves out what the host said.
    const clean = await askBackground("clean-error", { error: record }).catch(() => silent);
    await list.apply(id, { type: "failed", error: clean });
    // It was given a new address meanwhile.
    const now = list.get(id)?.source;
    const renewed = source instanceof URL && now?.kind === "url" && now.url !== source.href;
    if (renewed && error.code === "source-refused") await list.apply(id, { type: "continued" });
  }

  async function stop(id: string): Promise<void> {
    stoppers.get(id)?.abort();
    await running.get(id);
  }

  return { restore, reachSource, pump, stop };
}

/** What was sent stays, also where an error came before core could look at it. */
function resumeOf(
  { journal, asset, progress }: Partial<StoredJob> = {},
  { resume }: UpcutError,
): Pick<ErrorRecord, "resume"> {
  if (resume !== undefined || journal === undefined || asset === undefined) return {};
  return { resume: { assetId: asset.id, offset: progress?.acknowledged ?? 0, possible: true } };
}

function hasFailed(job: StoredJob | undefined): boolean {
  return job?.state === "failed" || job?.state === "asset-unknown";
}

const lostWithTheBrowser = {
  name: "ConnectionError",
  code: "asset-unknown",
  message:
    "Cannot tell whether the asset was created: the browser ended before the answer came. Look into the account before trying again",
  retryable: true,
} as const;

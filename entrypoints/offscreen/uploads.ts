/** Runs the jobs of the list through core, some at a time, and answers what pages ask. Knows no HTTP. */
import { type Asset, discard, isUpcutError, type Progress, upload } from "../../core/mod.ts";
import { faultRecord } from "../shared/fault.ts";
import { isEnded, isRunning, isUnfinished, type StoredJob, visible } from "../shared/job.ts";
import { askBackground, type OffscreenAsk, type OffscreenNews } from "../shared/messages.ts";
import type { Settings } from "../shared/settings.ts";
import { factsOf, hostOf, isSame, readHandle, standIn } from "./job-file.ts";
import { jobJournal } from "./job-journal.ts";
import type { UploadList } from "./list.ts";
import { jobRequester } from "./requester.ts";
import { speedMeter } from "./speed.ts";
import { pictureOf } from "./thumbnail.ts";

/** Milliseconds a person waits for a cancellation; the service forgets what is unfinished by itself later. */
const PATIENCE = 15_000;

export interface Uploads {
  answer(ask: OffscreenAsk): Promise<void>;
}

export async function createUploads(list: UploadList, tell: (news: OffscreenNews) => void): Promise<Uploads> {
  const files = new Map<string, File>();
  const stoppers = new Map<string, AbortController>();
  const running = new Map<string, Promise<void>>();
  let pictures: Promise<unknown> = Promise.resolve();

  await restore();
  void pump();

  /** What was at work when this document ended goes on, as far as its file and its location are known. */
  async function restore(): Promise<void> {
    for (const job of list.all()) {
      if (isEnded(job) || job.state === "needs-file") continue;
      if (job.state === "requesting" && job.journal === undefined && !(await wasAnswered(job.id))) {
        await list.apply(job.id, { type: "failed", error: lostWithTheBrowser });
      }
      const file = await readHandle(job);
      if (file instanceof File) files.set(job.id, file);
      // What failed says why; that its file is out of reach shows when the person goes on.
      else if (!hasFailed(list.get(job.id))) await needFile(job.id, file);
    }
  }

  async function needFile(jobId: string, file: "ask" | undefined): Promise<void> {
    if (file === "ask") await list.apply(jobId, { type: "permission-needed", needs: { permission: "file" } });
    else await list.apply(jobId, { type: "file-lost" });
  }

  async function wasAnswered(jobId: string): Promise<boolean> {
    return (await askBackground("recall-location", { jobId }).catch(() => null)) !== null;
  }

  /** Starts what is queued, as many at a time as are wanted. */
  async function pump(): Promise<void> {
    const { uploadsAtATime } = await readSettings();
    const queue = list
      .all()
      .filter(isUnfinished)
      .sort((a, b) => a.createdAt - b.createdAt);
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

  async function run(job: StoredJob): Promise<void> {
    // Whatever else goes wrong, no job is run by two documents at once.
    await navigator.locks.request(`upcut-job-${job.id}`, { ifAvailable: true }, async (lock) => {
      if (lock !== null) await uploadJob(job);
    });
  }

  async function uploadJob({ id, fields }: StoredJob): Promise<void> {
    const file = files.get(id) ?? (await readHandle(list.get(id)));
    if (!(file instanceof File)) return await needFile(id, file);
    files.set(id, file);
    const stopper = new AbortController();
    stoppers.set(id, stopper);
    const speed = speedMeter();
    const { name, method, staticMp4, playbackPolicy, profiles, further } = fields;
    let hostToAllow: string | undefined;
    const holdUntilAllowed = async () => {
      if (hostToAllow === undefined) return;
      await list.apply(id, { type: "permission-needed", needs: { permission: "host", origin: hostToAllow } });
      stopper.abort();
    };
    try {
      if (!(await mayAsk(id))) return;
      const { asset, task, mismatches, resent, duration, continued } = await upload(
        jobRequester(list, id, (origin) => {
          hostToAllow = origin;
        }),
        file,
        {
          name,
          method,
          ...(staticMp4 && { staticMp4 }),
          ...(playbackPolicy && { playbackPolicy }),
          ...(profiles && { profiles }),
          fields: further,
          journal: jobJournal(list, id, holdUntilAllowed),
          signal: stopper.signal,
          onProgress: (progress) => void show(id, progress, speed),
        },
      );
      files.delete(id);
      const outcome = { resent, duration, continued };
      await list.apply(id, { type: "finished", asset, mismatches, outcome, ...(task && { task }) });
    } catch (error) {
      // Paused, cancelled or removed: whoever stopped it says what it is now.
      if (stopper.signal.aborted) return;
      await fail(id, error);
    } finally {
      stoppers.delete(id);
    }
  }

  /** A call to a host that isn't allowed looks like a lost answer, so it is not even made. */
  async function mayAsk(id: string): Promise<boolean> {
    const { address } = await readSettings();
    if (list.get(id)?.journal !== undefined || !URL.canParse(address)) return true;
    if (await askBackground("is-permitted", { address })) return true;
    const { origin } = new URL(address);
    await list.apply(id, { type: "permission-needed", needs: { permission: "host", origin } });
    return false;
  }

  async function show(id: string, progress: Progress, speed: (bytes: number) => number): Promise<void> {
    const { state, sent, acknowledged, asset, waiting } = progress;
    const address = list.get(id)?.address ?? "";
    if (state === "requesting") return await list.apply(id, { type: "requesting", address });
    if (waiting !== undefined) return await list.apply(id, { type: "waiting", waiting });
    const now = { sent, acknowledged, speed: speed(sent) };
    if (state !== "done")
      await list.apply(id, { type: "progressed", progress: now, ...(asset && { asset }) });
  }

  async function fail(id: string, error: unknown): Promise<void> {
    // Nothing may stay at work that isn't: it would be begun again at once, for ever.
    if (!isUpcutError(error)) {
      return await list.apply(id, { type: "failed", error: faultRecord("upload the file") });
    }
    const origin = hostOf(
      list.get(id),
      error.code === "not-reached" ? (await readSettings()).address : undefined,
    );
    const network =
      error.code === "not-reached" || (error.code === "interrupted" && error.status === undefined);
    // What looks like a network that is down may be a host that doesn't let us in.
    const shut = network && origin !== undefined && !(await isPermitted(origin));
    if (shut) {
      return await list.apply(id, { type: "permission-needed", needs: { permission: "host", origin } });
    }
    const record = error.toJSON();
    const { sentences: _, ...silent } = record;
    // A background that can't answer leaves out what the host said.
    const clean = await askBackground("clean-error", { error: record }).catch(() => silent);
    await list.apply(id, { type: "failed", error: clean });
  }

  async function stop(id: string): Promise<void> {
    stoppers.get(id)?.abort();
    await running.get(id);
  }

  async function add(ask: Extract<OffscreenAsk, { type: "files" }>): Promise<void> {
    const { fields, method, startAtOnce } = await readSettings();
    const jobIds: string[] = [];
    for (const { file, handle } of ask.files) {
      const id = crypto.randomUUID();
      jobIds.push(id);
      files.set(id, file);
      await list.add({
        id,
        // The list shows the newest first, and a batch in its own order.
        createdAt: Date.now() - jobIds.length / 1000,
        file: factsOf(file),
        fields: { ...fields, method, name: file.name },
        state: "draft",
        progress: { sent: 0, acknowledged: 0, speed: 0 },
        ...(handle && { handle }),
      });
      if (startAtOnce) await list.apply(id, { type: "started" });
      pictures = pictures.then(() => picture(id, file));
    }
    tell({ type: "taken", batch: ask.batch, jobIds });
    void pump();
  }

  async function picture(id: string, file: File): Promise<void> {
    const thumbnail = await pictureOf(file);
    if (thumbnail !== undefined) await list.apply(id, { type: "pictured", thumbnail });
  }

  async function giveFile({
    jobId,
    file,
    handle,
  }: Extract<OffscreenAsk, { type: "give-file" }>): Promise<void> {
    const job = list.get(jobId);
    if (job === undefined) return;
    const got = factsOf(file);
    if (job.asset !== undefined && !isSame(job.file, got)) {
      return await list.apply(jobId, { type: "file-refused", refused: got });
    }
    files.set(jobId, file);
    if (handle !== undefined) await list.keep(jobId, { handle });
    await list.apply(jobId, { type: "file-given", file: got });
    void pump();
  }

  async function permissionGiven(jobId: string): Promise<void> {
    const job = list.get(jobId);
    if (job === undefined) return;
    if (!files.has(jobId)) {
      const file = await readHandle(job);
      if (!(file instanceof File)) return await needFile(jobId, file);
      files.set(jobId, file);
    }
    await list.apply(jobId, { type: "permission-given" });
    void pump();
  }

  async function hostsChanged(): Promise<void> {
    for (const { id, needs } of list.all()) {
      if (needs?.permission !== "host") continue;
      if (await askBackground("is-permitted", { address: needs.origin })) await permissionGiven(id);
    }
  }

  /** Ends the upload at the service, which needs no file: what core remembers says enough. */
  async function cancel(jobId: string): Promise<void> {
    await list.apply(jobId, { type: "paused" });
    await stop(jobId);
    const job = list.get(jobId);
    if (job === undefined) return;
    const endedAtService = job.journal === undefined || (await endAtService(job));
    const asset = job.journal === undefined ? await forgetRequest(jobId) : undefined;
    files.delete(jobId);
    await list.apply(jobId, { type: "cancelled", endedAtService, ...(asset && { asset }) });
  }

  /** A request that was on its way has its answer by now, perhaps; nothing is left of it but its asset. */
  async function forgetRequest(jobId: string): Promise<Asset | undefined> {
    const answer = await askBackground("recall-location", { jobId }).catch(() => null);
    await askBackground("location-kept", { jobId }).catch(() => {});
    return answer?.location.asset;
  }

  async function endAtService(job: StoredJob): Promise<boolean> {
    const how = { journal: jobJournal(list, job.id), anyType: true, signal: AbortSignal.timeout(PATIENCE) };
    const { ended } = await discard(standIn(job), how).catch(() => ({ ended: 0 }));
    return ended > 0;
  }

  async function remove(jobIds: string[]): Promise<void> {
    await Promise.all(jobIds.map(stop));
    for (const id of jobIds) {
      files.delete(id);
      if (list.get(id)?.state === "requesting") void forgetRequest(id);
    }
    await list.remove(jobIds);
  }

  /** A new asset, on purpose: what was begun is forgotten. */
  async function startOver(jobId: string): Promise<void> {
    const job = list.get(jobId);
    if (job === undefined) return;
    const { journal: _, asset: __, ...rest } = job;
    await list.add({ ...rest, progress: { sent: 0, acknowledged: 0, speed: 0 } });
    await list.apply(jobId, { type: "continued" });
    void pump();
  }

  async function change(jobId: string, type: "started" | "continued"): Promise<void> {
    await list.apply(jobId, { type });
    void pump();
  }

  return {
    async answer(ask) {
      switch (ask.type) {
        case "hello":
          tell({ type: "ready" });
          // What is stored may lag some seconds behind.
          return tell({ type: "changed", jobs: list.all().filter(isRunning).map(visible) });
        case "hosts-changed":
          return await hostsChanged();
        case "redraft":
          return await list.apply(ask.jobId, { type: "redrafted" });
        case "files":
          return await add(ask);
        case "edit":
          return await list.apply(ask.jobId, { type: "edited", fields: ask.fields });
        case "start":
          return await change(ask.jobId, "started");
        case "continue":
          return await change(ask.jobId, "continued");
        case "pause":
          await list.apply(ask.jobId, { type: "paused" });
          return await stop(ask.jobId);
        case "cancel":
          return await cancel(ask.jobId);
        case "remove":
          return await remove([ask.jobId]);
        case "start-over":
          return await startOver(ask.jobId);
        case "give-file":
          return await giveFile(ask);
        case "permission-given":
          return await permissionGiven(ask.jobId);
        case "clear-ended":
          return await remove(
            list.all().flatMap(({ id, state }) => (state === "done" || state === "cancelled" ? [id] : [])),
          );
      }
    },
  };
}

/** Whether a host is allowed; one that can't be asked about is. */
async function isPermitted(address: string): Promise<boolean> {
  return await askBackground("is-permitted", { address }).catch(() => true);
}

function hasFailed(job: StoredJob | undefined): boolean {
  return job?.state === "failed" || job?.state === "asset-unknown";
}

async function readSettings(): Promise<Settings> {
  return await askBackground("read-settings", {});
}

const lostWithTheBrowser = {
  name: "ConnectionError",
  code: "asset-unknown",
  message:
    "Cannot tell whether the asset was created: the browser ended before the answer came. Look into the account before trying again",
  retryable: true,
} as const;

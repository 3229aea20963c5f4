/** Runs one job of the list through core. Knows no HTTP. */
import { type Progress, type Uploadable, type UploadOptions, upload } from "../../core/mod.ts";
import { filledFields } from "../../core/validate.ts";
import { sourceKind } from "../shared/source-kinds.ts";
import { forgetRequest } from "./forget-request.ts";
import { needBeforeRequest, needToConnect } from "./host-needs.ts";
import { reportFailure } from "./job-failure.ts";
import { jobJournal } from "./job-journal.ts";
import type { JobRun } from "./job-run.ts";
import type { OpenJob } from "./job-source.ts";
import { openPieceAccess } from "./piece-access.ts";
import { findOtherLength, isInPieces, openPieces, type PiecesSource } from "./pieces.ts";
import { reachSource } from "./reach-source.ts";
import { jobRequester } from "./requester.ts";
import { findByUrl, resumeAt } from "./same-video.ts";
import { openUploadAccess } from "./upload-access.ts";

/** The attempt from which on a connection that never was is looked into. */
const SUSPICIOUS_ATTEMPT = 2;

export async function runJob(run: JobRun): Promise<void> {
  const { list, settings, id, stopper } = run;
  let source: Blob | URL | undefined;
  try {
    source = await reachSource(list, id);
    if (source === undefined || (await resumesEarlierJob(run))) return;
    const job = list.get(id);
    if (job === undefined) return;
    const needs = await needBeforeRequest(job, settings);
    if (needs !== undefined) return await list.apply(id, { type: "permission-needed", needs });
    if (isInPieces(job.source)) await uploadPieces(run, job, job.source);
    else await uploadSource(run, job, source);
  } catch (error) {
    // Paused, cancelled or removed: whoever stopped it says what it is now.
    if (!stopper.signal.aborted) await reportFailure(run, error, source);
  }
}

async function uploadPieces(run: JobRun, job: OpenJob, source: PiecesSource): Promise<void> {
  const { list, id, stopper } = run;
  const { url: address, page, referrer, open, quality, playedSeconds } = source;
  // What is begun was compared, and about what has another length the person was asked.
  const isNew = job.journal === undefined && job.asset === undefined && job.otherLength === undefined;
  if (playedSeconds !== undefined && isNew) {
    const foundSeconds = await findOtherLength({ ...source, playedSeconds }, stopper.signal);
    if (foundSeconds !== undefined)
      return await list.apply(id, { type: "length-differs", lengths: { playedSeconds, foundSeconds } });
  }
  const onForbidden = (origin: string) => {
    if (stopper.signal.aborted) return;
    void list.apply(id, {
      type: "permission-needed",
      needs: { permission: "host", origin, reads: true },
    });
    stopper.abort();
  };
  const access = openPieceAccess({
    jobId: id,
    address,
    page,
    referrer,
    open,
    isBegun: () => list.get(id)?.journal !== undefined,
    onForbidden,
  });
  try {
    const video = await openPieces(address, {
      quality,
      language: job.fields.language,
      access,
      signal: stopper.signal,
      onProgress: (progress) => void list.apply(id, { type: "fetched", ...progress }),
    });
    await uploadSource(run, job, video);
  } finally {
    await access.close();
  }
}

async function uploadSource(run: JobRun, job: OpenJob, source: Uploadable): Promise<void> {
  const { list, settings, id, stopper } = run;
  let hostToAllow: string | undefined;
  const access = openUploadAccess(list, settings, id);
  const requester = jobRequester(list, settings, id, access, (origin) => {
    hostToAllow = origin;
  });
  const holdUntilAllowed = async () => {
    if (hostToAllow === undefined) return;
    await list.apply(id, { type: "permission-needed", needs: { permission: "host", origin: hostToAllow } });
    stopper.abort();
  };
  const { asset, task, mismatches, size, resent, duration, resumed } = await upload(requester, source, {
    ...optionsOf(job),
    journal: jobJournal(list, id, holdUntilAllowed),
    signal: stopper.signal,
    onProgress: (progress) => void showProgress(run, progress),
  }).finally(access.close);
  const outcome = { resent, duration, resumed };
  await list.apply(id, { type: "finished", size, asset, mismatches, outcome, ...(task && { task }) });
}

function optionsOf({ fields, source }: OpenJob): UploadOptions {
  const { method, further } = fields;
  return { ...filledFields(fields), method, fields: further, ...sourceKind(source).options(source) };
}

/** Whether an earlier job has the same video, which did not show when it was handed over: then that one resumes. */
async function resumesEarlierJob({ list, id, stopper }: JobRun): Promise<boolean> {
  const job = list.get(id);
  if (job?.source.url === undefined || job.journal !== undefined) return false;
  const { url: address, page, referrer, open, pieces, quality } = job.source;
  const { language } = job.fields;
  const video = {
    address,
    ...(page !== undefined && { page }),
    ...(referrer !== undefined && { referrer }),
    ...(open && { open }),
    ...(pieces !== undefined && { pieces }),
    ...(quality !== undefined && { quality }),
    ...(language !== undefined && { language }),
  };
  const earlier = await findByUrl(video, list.all(), stopper.signal);
  stopper.signal.throwIfAborted();
  if (earlier === undefined || !(await resumeAt(list, earlier.id, video))) return false;
  void forgetRequest(id);
  await list.remove([id]);
  return true;
}

async function showProgress(run: JobRun, progress: Progress): Promise<void> {
  const { list, id } = run;
  const { state, sent, acknowledged, speed = 0, total, asset, waiting } = progress;
  const address = list.get(id)?.address ?? "";
  if (state === "requesting") return await list.apply(id, { type: "requesting", address });
  if (waiting !== undefined) {
    if (waiting.reason === "connection" && waiting.attempt >= SUSPICIOUS_ATTEMPT) void checkHost(run);
    return await list.apply(id, { type: "waiting", waiting });
  }
  const now = { sent, acknowledged, speed };
  const known = { ...(asset && { asset }), ...(total !== undefined && { size: total }) };
  if (state !== "done") await list.apply(id, { type: "progressed", progress: now, ...known });
}

/** Holds the job where the network works, but its host isn't allowed. */
async function checkHost(run: JobRun): Promise<void> {
  const { list, id, stopper } = run;
  const needs = await needToConnect(list.get(id));
  // One that came back since the attempt answers as well: it takes the next one.
  const isFirst = !run.isReachable;
  run.isReachable = needs !== undefined;
  if (needs === undefined || isFirst || list.get(id)?.state !== "waiting") return;
  await list.apply(id, { type: "permission-needed", needs });
  stopper.abort();
}

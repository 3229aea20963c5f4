/** Runs one job of the list through core. Knows no HTTP. */
import { type Progress, type UploadOptions, upload } from "../../core/mod.ts";
import { needBeforeRequest, needToConnect } from "./host-needs.ts";
import { reportFailure } from "./job-failure.ts";
import { jobJournal } from "./job-journal.ts";
import type { JobRun } from "./job-run.ts";
import type { OpenJob } from "./job-source.ts";
import { reachSource } from "./reach-source.ts";
import { jobRequester } from "./requester.ts";
import { findByUrl, resumeAt } from "./same-video.ts";
import { speedMeter } from "./speed.ts";

/** The attempt at which a connection that never was is looked into. */
const SUSPICIOUS_ATTEMPT = 2;

export async function runJob(run: JobRun): Promise<void> {
  const { list, settings, id, stopper } = run;
  const source = await reachSource(list, id);
  if (source === undefined || (await resumesEarlierJob(run))) return;
  const job = list.get(id);
  if (job === undefined) return;
  try {
    const needs = await needBeforeRequest(job, settings);
    if (needs !== undefined) return await list.apply(id, { type: "permission-needed", needs });
    await uploadSource(run, job, source);
  } catch (error) {
    // Paused, cancelled or removed: whoever stopped it says what it is now.
    if (!stopper.signal.aborted) await reportFailure(run, error, source);
  }
}

async function uploadSource(run: JobRun, job: OpenJob, source: Blob | URL): Promise<void> {
  const { list, settings, id, stopper } = run;
  let hostToAllow: string | undefined;
  const requester = jobRequester(list, settings, id, (origin) => {
    hostToAllow = origin;
  });
  const holdUntilAllowed = async () => {
    if (hostToAllow === undefined) return;
    await list.apply(id, { type: "permission-needed", needs: { permission: "host", origin: hostToAllow } });
    stopper.abort();
  };
  const speed = speedMeter();
  const { asset, task, mismatches, size, resent, duration, resumed } = await upload(requester, source, {
    ...optionsOf(job),
    journal: jobJournal(list, id, holdUntilAllowed),
    signal: stopper.signal,
    onProgress: (progress) => void showProgress(run, progress, speed),
  });
  const outcome = { resent, duration, resumed };
  await list.apply(id, { type: "finished", size, asset, mismatches, outcome, ...(task && { task }) });
}

function optionsOf({ fields, source }: OpenJob): UploadOptions {
  const { name, method, staticMp4, playbackPolicy, profiles, further } = fields;
  return {
    name,
    method,
    ...(staticMp4 && { staticMp4 }),
    ...(playbackPolicy && { playbackPolicy }),
    ...(profiles && { profiles }),
    fields: further,
    // With the cookies of its site, as the page itself reads it; servers that let everybody read refuse them.
    ...(source.kind === "url" && { sourceCredentials: source.open ? "omit" : "include" }),
    ...(source.kind === "url" && source.type !== "" && { type: source.type }),
  };
}

/** Whether an earlier job has the same video, which did not show when it was handed over: then that one resumes. */
async function resumesEarlierJob({ list, id, stopper }: JobRun): Promise<boolean> {
  const job = list.get(id);
  if (job?.source.kind !== "url" || job.source.url === undefined || job.journal !== undefined) return false;
  const { url: address, page, open } = job.source;
  const video = { address, ...(page !== undefined && { page }), ...(open && { open }) };
  const earlier = await findByUrl(video, list.all());
  if (earlier === undefined || stopper.signal.aborted) return false;
  await resumeAt(list, earlier.id, video);
  await list.remove([id]);
  return true;
}

async function showProgress(
  run: JobRun,
  progress: Progress,
  speed: (bytes: number) => number,
): Promise<void> {
  const { list, id } = run;
  const { state, sent, acknowledged, total, asset, waiting } = progress;
  const address = list.get(id)?.address ?? "";
  if (state === "requesting") return await list.apply(id, { type: "requesting", address });
  if (waiting !== undefined) {
    if (waiting.reason === "connection" && waiting.attempt === SUSPICIOUS_ATTEMPT) void checkHost(run);
    return await list.apply(id, { type: "waiting", waiting });
  }
  const now = { sent, acknowledged, speed: speed(sent) };
  const known = { ...(asset && { asset }), ...(total !== undefined && { size: total }) };
  if (state !== "done") await list.apply(id, { type: "progressed", progress: now, ...known });
}

/** Holds the job where the network works, but its host isn't allowed. */
async function checkHost({ list, id, stopper }: JobRun): Promise<void> {
  const needs = await needToConnect(list.get(id));
  if (needs === undefined || list.get(id)?.state !== "waiting") return;
  await list.apply(id, { type: "permission-needed", needs });
  stopper.abort();
}

/** Runs one job of the list through core. Knows no HTTP. */

import { BEGINNING_SIZE, beginsAsText, filledFields } from "../../core/extension.ts";
import {
  type ErrorCode,
  type ErrorRecord,
  errorFromRecord,
  isUpcutError,
  type Progress,
  type Source,
  type UpcutError,
  type Uploadable,
  type UploadOptions,
  upload,
} from "../../core/mod.ts";
import { isPermitted } from "../reach/host-access.ts";
import { needAfter, needToConnect } from "../reach/host-needs.ts";
import { openPieceAccess } from "../reach/piece-access.ts";
import { failureOf } from "../shared/fault.ts";
import type { AccountNeed, HostNeed } from "../shared/job.ts";
import { callBackground } from "../shared/messages.ts";
import { isInPieces, sourceKind } from "../shared/source-kinds.ts";
import { within } from "../shared/within.ts";
import { asBegun, digestSent } from "./given-files.ts";
import { jobJournal } from "./job-journal.ts";
import type { JobList } from "./job-list.ts";
import { type OpenJob, openSource } from "./job-source.ts";
import { createLineProgress, type LineProgress } from "./line-progress.ts";
import { findOtherLength, openPieces, type PiecesSource } from "./pieces.ts";
import { forgetRequest, jobRequester } from "./requester.ts";
import { findByUrl, resumeAt } from "./same-video.ts";
import type { SettingsCopy } from "./settings-copy.ts";
import { openUploadAccess } from "./upload-access.ts";

/** The attempt from which on a connection that never was is looked into. */
const SUSPICIOUS_ATTEMPT = 2;

export async function runJob(run: JobRun): Promise<void> {
  const { list, id, stopper } = run;
  const address = list.get(id)?.source.url;
  try {
    const source = await reachSource(list, id);
    if (source === undefined || (await resumesEarlierJob(run))) return;
    const job = list.get(id);
    if (job === undefined) return;
    if (source instanceof File && job.journal === undefined) await refuseText(source);
    // Only a worker that is awake is told where a video's host redirects to.
    if (address !== undefined) await isPermitted(address);
    if (isInPieces(job.source)) await uploadPieces(run, job, job.source);
    else await uploadSource(run, job, source);
  } catch (error) {
    // Paused, cancelled or removed: whoever stopped it says what it is now.
    if (!stopper.signal.aborted) await reportFailure(run, error, address);
  }
}

/** Milliseconds for a drive to give the beginning of a file. */
const BEGINNING_TIMEOUT = 5_000;

/** A text that is named as a video is none: the popup has no time to look before it hands a file over. */
async function refuseText(file: File): Promise<void> {
  const reading = file
    .slice(0, BEGINNING_SIZE)
    .arrayBuffer()
    .catch(() => undefined);
  const bytes = await within(BEGINNING_TIMEOUT, reading, () => undefined);
  if (bytes === undefined || !beginsAsText(new Uint8Array(bytes))) return;
  const message = "Cannot upload the file: it holds a text, whatever its name says";
  throw errorFromRecord({ name: "InputError", code: "not-a-video", message, retryable: false });
}

async function uploadPieces(run: JobRun, job: OpenJob, source: PiecesSource): Promise<void> {
  const { list, id, stopper } = run;
  const { url: address, page, referrer, open, quality, playedSeconds } = source;
  // A begun upload was compared, and the person was asked about one of another length.
  const isNew = job.journal === undefined && job.asset === undefined && job.otherLength === undefined;
  if (playedSeconds !== undefined && isNew) {
    const foundSeconds = await findOtherLength({ ...source, playedSeconds }, stopper.signal);
    if (foundSeconds !== undefined)
      return await list.apply(id, { type: "length-differs", lengths: { playedSeconds, foundSeconds } });
  }
  const onNeeds = (needs: HostNeed) => {
    if (stopper.signal.aborted) return;
    void list.apply(id, { type: "permission-needed", needs });
    stopper.abort();
  };
  const access = openPieceAccess({
    jobId: id,
    address,
    page,
    referrer,
    open,
    isBegun: () => list.get(id)?.journal !== undefined,
    onNeeds,
  });
  try {
    const video = await openPieces(address, {
      quality,
      language: job.fields.language,
      access,
      signal: stopper.signal,
      onProgress: (progress) => void list.apply(id, { type: "fetched", ...progress }),
      onLacking: (seconds) => void list.apply(id, { type: "lacking", seconds }),
    });
    await uploadSource(run, job, video);
  } finally {
    await access.close();
  }
}

/** Milliseconds between two looks at what the line holds. */
const LINE_INTERVAL = 250;

async function uploadSource(run: JobRun, job: OpenJob, source: Uploadable): Promise<void> {
  const { list, settings, id, stopper } = run;
  let needed: HostNeed | undefined;
  const access = openUploadAccess(list, settings, id);
  const hold = async (needs: HostNeed | AccountNeed) => {
    await list.apply(id, { type: "permission-needed", needs });
    stopper.abort();
  };
  const onNeeds = (needs: HostNeed) => {
    needed = needs;
  };
  const requester = jobRequester(list, settings, id, access, onNeeds, hold);
  const holdUntilAllowed = async () => {
    if (needed !== undefined) await hold(needed);
  };
  const line = createLineProgress();
  let last: Progress | undefined;
  const onProgress = (progress: Progress) => {
    last = progress;
    void showProgress(run, progress, line);
  };
  // What the line holds goes out while core has nothing to report.
  const ticking = setInterval(() => {
    if (last === undefined || last.waiting !== undefined || last.state === "requesting") return;
    if (line.taken(last, performance.now()) !== list.get(id)?.progress.sent)
      void showProgress(run, last, line);
  }, LINE_INTERVAL);
  const uploading = upload(requester, source, {
    ...optionsOf(job),
    journal: jobJournal(list, id, holdUntilAllowed),
    signal: stopper.signal,
    onProgress,
  }).finally(() => clearInterval(ticking));
  await uploading.then(
    () => access.close(true),
    () => access.close(),
  );
  const { asset, size, resent, duration, resumed } = await uploading;
  const outcome = { resent, duration, resumed };
  await list.apply(id, { type: "finished", endedAt: Date.now(), size, asset, outcome });
}

function optionsOf({ fields, source }: OpenJob): UploadOptions {
  const { method, further } = fields;
  return { ...filledFields(fields), method, fields: further, ...sourceKind(source).options(source) };
}

/** Tells whether an earlier job has the same video, which did not show when it was handed over: then that one resumes. */
async function resumesEarlierJob({ list, id, stopper }: JobRun): Promise<boolean> {
  const job = list.get(id);
  if (job?.source.url === undefined || job.journal !== undefined) return false;
  const { url: address, page, referrer, open, pieces, quality } = job.source;
  const { language } = job.fields;
  const video = { address, page, referrer, open, pieces, quality, language };
  const earlier = await findByUrl(video, list.all(), stopper.signal);
  stopper.signal.throwIfAborted();
  if (earlier === undefined || !(await resumeAt(list, earlier.id, video))) return false;
  void forgetRequest(id);
  await list.remove([id]);
  return true;
}

async function showProgress(run: JobRun, progress: Progress, line: LineProgress): Promise<void> {
  const { list, id } = run;
  const { state, sent, acknowledged, speed = 0, total, asset, waiting } = progress;
  // The job's requester says so, before it asks.
  if (state === "requesting") return;
  if (waiting !== undefined) {
    if (waiting.reason === "connection" && waiting.attempt >= SUSPICIOUS_ATTEMPT) void checkHost(run);
    return await list.apply(id, { type: "waiting", waiting });
  }
  const taken = line.taken(progress, performance.now());
  const now = { sent: taken, acknowledged, speed };
  const known = { ...(asset && { asset }), ...(total !== undefined && { size: total }) };
  void digestSent(list, id, sent);
  if (state !== "done") await list.apply(id, { type: "progressed", progress: now, ...known });
}

/** Holds the job where the network works, but its host isn't allowed. */
async function checkHost(run: JobRun): Promise<void> {
  const { list, id, stopper } = run;
  const needs = await needToConnect(list.get(id));
  // A host that came back since the attempt answers as well: it takes the next one.
  const isFirst = !run.isReachable;
  run.isReachable = needs !== undefined;
  if (needs === undefined || isFirst || list.get(id)?.state !== "waiting") return;
  await list.apply(id, { type: "permission-needed", needs });
  stopper.abort();
}

export interface JobRun {
  list: JobList;
  settings: SettingsCopy;
  id: string;
  /** The code that aborts it says what the job is then. */
  stopper: AbortController;
  /** True if the upload host could be reached at the last look, though no attempt gets an answer. */
  isReachable?: boolean;
}

const UNUSABLE: readonly ErrorCode[] = ["unexpected-answer", "location-refused"];

export async function reportFailure(
  { list, settings, id }: Omit<JobRun, "stopper">,
  error: unknown,
  address: string | undefined,
): Promise<void> {
  // A job that stayed in a running state would be started again without an end.
  if (!isUpcutError(error)) return await list.apply(id, { type: "failed", error: failureOf(error) });
  const needs = await needAfter(error, list.get(id), address, settings);
  if (needs !== undefined) return await list.apply(id, { type: "permission-needed", needs });
  // The next try would be given the same location again.
  if (UNUSABLE.includes(error.code) && list.get(id)?.journal === undefined) await forgetRequest(id);
  const record = { ...error.toJSON(), ...resumeOf(list.get(id), error) };
  const { details: _, ...silent } = record;
  // A background that can't answer leaves out what the host said.
  const clean = await callBackground("clean-error", { error: record }).catch(() => silent);
  await list.apply(id, { type: "failed", error: clean });
  // Another account may be set since it began.
  const { account } = await settings.read();
  if (account !== undefined) await list.apply(id, { type: "account-set", account });
  // The person has given a new address meanwhile.
  const now = list.get(id)?.source;
  const isRenewed = address !== undefined && now !== undefined && now.url !== address;
  if (isRenewed && error.code === "source-refused") await list.apply(id, { type: "continued" });
}

/** Bytes that were sent stay, also where an error came before core could look at them. */
function resumeOf(
  { journal, asset, progress }: Partial<OpenJob> = {},
  { resume }: UpcutError,
): Pick<ErrorRecord, "resume"> {
  if (resume !== undefined || journal === undefined || asset === undefined) return {};
  return { resume: { assetId: asset.id, offset: progress?.acknowledged ?? 0, possible: true } };
}

export async function findSource(list: JobList, id: string): Promise<Blob | Source | "ask" | undefined> {
  const job = list.get(id);
  const opened = job && (await openSource(job.source));
  const source = opened instanceof File && job?.journal ? ((await asBegun(job, opened)) ?? opened) : opened;
  if (source instanceof Blob) list.hold(id, { blob: source });
  return source;
}

/** Opens the source of a job, and says in the list what is needed where it is out of reach. */
export async function reachSource(list: JobList, id: string): Promise<Blob | Source | undefined> {
  const source = await findSource(list, id);
  if (source === "ask") await list.apply(id, { type: "permission-needed", needs: { permission: "file" } });
  else if (source === undefined) await list.apply(id, { type: "file-lost" });
  else return source;
  return undefined;
}

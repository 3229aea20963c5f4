/** One upload of the list, as a pure state machine: the offscreen document runs it, every page draws from it. */
import type {
  Asset,
  JournalEntry,
  Mismatch,
  Progress,
  UploadLocation,
  UploadOptions,
} from "../../core/mod.ts";
import type { Failure } from "./fault.ts";
import type { UploadFields } from "./settings.ts";

/**
 * - `draft`: chosen, not started; its fields can be edited
 * - `queued`: waits for a free place
 * - `requesting`, `uploading`, `waiting`: core is at work; `waiting` was interrupted and goes on by itself
 * - `paused`: by the person
 * - `needs-file`: the browser was closed, and the file must be chosen again, or given again by its page
 * - `needs-permission`: the file can be read again after a click, or a host must be allowed
 * - `asset-unknown`: the answer to the request was lost, so an asset may have been created
 */
export type JobState = (typeof STATES)[number];

export const STATES = [
  "draft",
  "queued",
  "requesting",
  "uploading",
  "waiting",
  "paused",
  "needs-file",
  "needs-permission",
  "asset-unknown",
  "done",
  "failed",
  "cancelled",
] as const;

/** What a draft's form edits. */
export interface DraftFields extends UploadFields {
  name: string;
  method: NonNullable<UploadOptions["method"]>;
}

/** What is known of a video's bytes, however they are reached. */
export interface FileDetails {
  name: string;
  /** Not known of a video at an address until it is read, and never where its server doesn't tell. */
  size?: number;
  type: string;
  lastModified: number;
}

/** Where a video was found that is no chosen file. Its address may hold a signature, so a host stands for it. */
interface Place {
  host: string;
  /** Whether the page it was found on is known, so that it can be opened again. */
  hasPage: boolean;
}

/**
 * Where a job's bytes come from, as pages may know it.
 *
 * - `file`: a chosen or dropped file
 * - `url`: a video that is read at its address
 * - `page-blob`: a video that only its page can read, and has sent
 */
export type JobSource =
  | ({ kind: "file" } & FileDetails)
  | ({ kind: "url" } & FileDetails & Place)
  | ({ kind: "page-blob" } & FileDetails & Place);

/** The same with what is needed to read the bytes again: stored, and never sent to a page. */
export type StoredSource =
  /** `handle`: where the tab's picker or a drop gave one. */
  | (Extract<JobSource, { kind: "file" }> & { handle?: FileSystemFileHandle })
  /** `url`: absent once the job has ended. `open`: whether the server lets everybody read it, without cookies. */
  | (Extract<JobSource, { kind: "url" }> & { url?: string; page?: string; open?: boolean })
  | (Extract<JobSource, { kind: "page-blob" }> & { page?: string });

/** A host that must be allowed, to send to it, or to read the video from it. */
export interface HostNeed {
  permission: "host";
  origin: string;
  reads?: boolean;
}

export interface Job {
  id: string;
  /** Milliseconds since 1970; of a batch, each one microsecond before the one ahead of it, since lists show the newest first. */
  createdAt: number;
  source: JobSource;
  /** A small picture as a data: address, where one could be made. */
  thumbnail?: string;
  fields: DraftFields;
  state: JobState;
  /** The address it was begun with; a later change of the settings leaves it alone. */
  address?: string;
  progress: { sent: number; acknowledged: number; speed: number };
  /** While waiting: why, and until when. */
  waiting?: NonNullable<Progress["waiting"]>;
  asset?: Asset;
  task?: NonNullable<UploadLocation["task"]>;
  mismatches?: Mismatch[];
  error?: Failure;
  /** Why permission is needed. */
  needs?: { permission: "file" } | HostNeed;
  /** The file that was given in place of the lost one and is another. */
  refused?: FileDetails;
  /** Bytes this upload was given before and had to be sent again, and its duration, once done. */
  outcome?: { resent: number; duration: number; resumed: boolean };
  /** Whether a finished cancellation also ended the upload at the service. */
  endedAtService?: boolean;
}

/** A job as the store keeps it: with what is never sent to a page. */
export interface StoredJob extends Job {
  source: StoredSource;
  /** What core remembers to continue the same asset, and the source it is for. Holds locations, which are secrets. */
  journal?: { key: string; entry: JournalEntry };
}

export type JobEvent =
  | { type: "edited"; fields: DraftFields }
  | { type: "started" }
  | { type: "requesting"; address: string }
  | { type: "progressed"; progress: Job["progress"]; asset?: Asset; size?: number }
  | { type: "waiting"; waiting: NonNullable<Job["waiting"]> }
  | { type: "paused" }
  | { type: "continued" }
  | {
      type: "finished";
      size: number;
      asset: Asset;
      task?: NonNullable<UploadLocation["task"]>;
      mismatches: Mismatch[];
      outcome: NonNullable<Job["outcome"]>;
    }
  | { type: "failed"; error: Failure }
  | { type: "cancelled"; endedAtService: boolean; asset?: Asset }
  | { type: "file-lost" }
  | { type: "file-given"; source: JobSource }
  | { type: "file-refused"; refused: FileDetails }
  | { type: "redrafted" }
  | { type: "permission-needed"; needs: NonNullable<Job["needs"]> }
  | { type: "permission-given" }
  | { type: "pictured"; thumbnail: string };

const RUNNING: readonly JobState[] = ["requesting", "uploading", "waiting"];
const UNFINISHED: readonly JobState[] = [...RUNNING, "queued"];
const ENDED: readonly JobState[] = ["done", "cancelled"];

/** Whether core is at work on it. */
export const isRunning = ({ state }: Job): boolean => RUNNING.includes(state);
/** Whether it goes on without the person, now or when a place is free. */
export const isUnfinished = ({ state }: Job): boolean => UNFINISHED.includes(state);
/** Whether nothing more can come of it. */
export const isEnded = ({ state }: Job): boolean => ENDED.includes(state);

/** Batches take their turn as they came, and each in its own order. */
export function byTurn(a: Job, b: Job): number {
  return Math.ceil(a.createdAt) - Math.ceil(b.createdAt) || b.createdAt - a.createdAt;
}

/** The states each event is for; in any other it changes nothing. */
const FROM: Record<JobEvent["type"], readonly JobState[] | "any"> = {
  edited: ["draft"],
  started: ["draft"],
  requesting: ["queued", "uploading", "waiting", "requesting"],
  progressed: RUNNING,
  waiting: RUNNING,
  paused: UNFINISHED,
  continued: ["paused", "failed", "asset-unknown", "needs-permission"],
  // What is whole is whole, also where it was paused in the moment of its last answer.
  finished: [...UNFINISHED, "paused"],
  failed: UNFINISHED,
  cancelled: "any",
  "file-lost": [...UNFINISHED, "draft", "paused", "needs-permission"],
  "file-given": ["needs-file", "needs-permission", "failed"],
  "file-refused": ["needs-file", "needs-permission", "failed"],
  redrafted: ["failed"],
  "permission-needed": [...UNFINISHED, "paused", "draft", "failed"],
  "permission-given": ["needs-permission"],
  pictured: "any",
};

/** The job after an event; the same object where the event doesn't apply. */
export function step(job: Job, event: JobEvent): Job {
  const from = FROM[event.type];
  if (from !== "any" && !from.includes(job.state)) return job;
  if (event.type === "cancelled" && job.state === "done") return job;
  switch (event.type) {
    case "edited":
      return { ...job, fields: event.fields };
    case "started":
    case "continued":
    case "permission-given":
      return { ...resting(job), state: "queued" };
    case "requesting":
      return { ...resting(job), state: "requesting", address: event.address };
    case "progressed":
      return {
        ...resting(job),
        state: "uploading",
        progress: event.progress,
        ...(event.asset && { asset: event.asset }),
        ...(event.size !== undefined && { source: { ...job.source, size: event.size } }),
      };
    case "waiting":
      return { ...job, state: "waiting", waiting: event.waiting };
    case "paused":
      return { ...resting(job), state: "paused" };
    case "finished": {
      const { type: _, size, ...result } = event;
      const progress = { ...job.progress, sent: size, acknowledged: size };
      return { ...resting(job), ...result, state: "done", source: { ...job.source, size }, progress };
    }
    case "failed":
      return { ...resting(job), state: stateAfter(event.error), error: event.error };
    case "cancelled":
      return {
        ...resting(job),
        state: "cancelled",
        endedAtService: event.endedAtService,
        ...(event.asset && { asset: event.asset }),
      };
    case "file-lost":
      return { ...resting(job), state: "needs-file" };
    case "file-given":
      return { ...resting(job), source: event.source, state: job.asset === undefined ? "draft" : "queued" };
    case "file-refused":
      return { ...job, refused: event.refused };
    case "redrafted":
      return job.asset === undefined ? { ...resting(job), state: "draft" } : job;
    case "permission-needed":
      return { ...resting(job), state: "needs-permission", needs: event.needs };
    case "pictured":
      return { ...job, thumbnail: event.thumbnail };
  }
}

function stateAfter({ code }: Failure): JobState {
  return code === "asset-unknown" ? "asset-unknown" : "failed";
}

/** Without what only its former state meant. */
function resting({ waiting: _, error: __, needs: ___, refused: ____, ...job }: Job): Job {
  return job;
}

/** What a page may know of a job. */
export function withoutSecrets({ journal: _, source, ...job }: StoredJob): Job {
  return { ...job, source: publicSource(source) };
}

/** Names what is given on, so that whatever else a source holds stays behind. */
export function publicSource(source: StoredSource): JobSource {
  const { name, type, lastModified, size } = source;
  const details = { name, type, lastModified, ...(size !== undefined && { size }) };
  if (source.kind === "file") return { kind: "file", ...details };
  const { kind, host, hasPage } = source;
  return { kind, ...details, host, hasPage };
}

/** The whole list in a few figures, for the badge and the notifications. */
export interface ListSummary {
  unfinished: number;
  running: number;
  /** Jobs that have not ended: their files must be kept at hand. */
  open: number;
  /** Jobs the person must do something for. */
  needy: number;
  failed: number;
  done: number;
  /** Overall progress of what is unfinished, from 0 to 1. */
  fraction: number;
}

export function summarise(jobs: Iterable<Job>): ListSummary {
  const summary: ListSummary = {
    unfinished: 0,
    running: 0,
    open: 0,
    needy: 0,
    failed: 0,
    done: 0,
    fraction: 0,
  };
  let sent = 0;
  let total = 0;
  for (const job of jobs) {
    if (isUnfinished(job)) {
      summary.unfinished++;
      // Of what has no known size nothing can be said in percent.
      if (job.source.size !== undefined) sent += job.progress.sent;
      total += job.source.size ?? 0;
    }
    if (isRunning(job)) summary.running++;
    if (!isEnded(job)) summary.open++;
    if (job.state === "failed" || job.state === "asset-unknown") summary.failed++;
    if (job.state === "needs-file" || job.state === "needs-permission") summary.needy++;
    if (job.state === "done") summary.done++;
  }
  summary.fraction = total === 0 ? 0 : Math.min(0.99, sent / total);
  return summary;
}

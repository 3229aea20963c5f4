/** One upload of the list: what pages know of it, and what the store keeps beside that; job-fields.ts has what it may lack. */

import type { JournalEntry } from "../../core/extension.ts";
import type { UploadOptions } from "../../core/mod.ts";
import type { JobFields, SourceFields } from "./job-fields.ts";
import type { UploadFields } from "./settings.ts";

/**
 * - `draft`: chosen, not started; its fields can be edited
 * - `queued`: waits for a free place
 * - `requesting`, `uploading`, `waiting`: core is at work; `waiting` was interrupted and resumes by itself
 * - `paused`: by the person
 * - `needs-file`: the browser was closed, and the file must be chosen again, or given again by its page
 * - `needs-permission`: the file can be read again after a click, a host must be allowed, or another account is set
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

export interface DraftFields extends UploadFields {
  name: string;
  /** The id of the language of the sound, where somebody chose it. */
  language?: string;
  method: NonNullable<UploadOptions["method"]>;
}

/**
 * Where a job's bytes come from, with what is needed to read them again: stored, and never sent to a page whole.
 * source-kinds.ts says what each kind can do.
 *
 * - `file`: a chosen or dropped file
 * - `url`: a video that is read at its address; with `pieces`, that of a manifest which names its pieces
 * - `page-blob`: a video that only its page can read, and has sent
 */
export interface StoredSource extends SourceFields {
  kind: "file" | "url" | "page-blob";
  name: string;
  type: string;
  lastModified: number;
}

/** The same as pages may know it. */
export type JobSource = Pick<StoredSource, (typeof SHOWN)[number]>;

export type FileDetails = Pick<StoredSource, "name" | "size" | "estimated" | "type" | "lastModified">;

/** Tracks that the manifest of a video names, of which not all are taken. */
export type NamedTracks = Pick<StoredSource, "languages" | "subtitles">;

export type Processing = NonNullable<JobFields["processing"]>;
export type HostNeed = Extract<JobFields["needs"], { permission: "host" }>;
export type AccountNeed = Extract<JobFields["needs"], { permission: "account" }>;

export interface Job extends JobFields {
  id: string;
  /** Milliseconds since 1970: the same for all of a batch, and later than those of all batches before it. */
  createdAt: number;
  source: JobSource;
  fields: DraftFields;
  state: JobState;
  /** Bytes. `fetched`: of a video in pieces, up to where in the file they were fetched. */
  progress: { sent: number; acknowledged: number; speed: number; fetched?: number };
}

/** A job as the store keeps it: with what is never sent to a page. */
export interface StoredJob extends Job {
  source: StoredSource;
  /** Core's record to continue the same asset, and the source it is for. Holds locations, which are secrets. */
  journal?: { key: string; entry: JournalEntry };
  /** The digest of the first bytes of its file that were sent, by which one of another date is compared. */
  sentContent?: { size: number; digest: string };
}

const RUNNING: readonly JobState[] = ["requesting", "uploading", "waiting"];

/** Tells whether core is at work on it. */
export const isRunning = ({ state }: Pick<Job, "state">): boolean => RUNNING.includes(state);

/** Tells whether it continues without the person, now or when its turn comes. */
export const isUnfinished = ({ state }: Pick<Job, "state">): boolean =>
  RUNNING.includes(state) || state === "queued";

export const hasFailed = ({ state }: Pick<Job, "state">): boolean =>
  state === "failed" || state === "asset-unknown";

export const NOTHING_SENT: Job["progress"] = { sent: 0, acknowledged: 0, speed: 0 };

/** Milliseconds before a new upload starts by itself. Its name can't be changed later, nor its asset removed. */
export const START_DELAY = 5_000;

/** Milliseconds until a job starts by itself; 0 where nothing holds it, or not for this reason. */
export function graceLeft({ state, startsAt }: Job, now: number): number {
  if (state !== "queued" || startsAt === undefined) return 0;
  const left = startsAt - now;
  // The clock may have been set back meanwhile.
  return left > 0 && left <= START_DELAY ? left : 0;
}

/** Tells whether nothing more can come of it. */
export const isEnded = ({ state }: Job): boolean => state === "done" || state === "cancelled";

/** Milliseconds for which the service is asked what it makes of a video, at most. */
export const LONGEST_FOLLOWED = 24 * 60 * 60 * 1000;

/** Tells whether the service is through with an uploaded video. */
export const isProcessed = (job: Pick<Job, "processing">): boolean =>
  job.processing?.stage === "ready" || isUnusable(job);

/** Tells whether nothing can come of what was uploaded. */
export const isUnusable = ({ processing }: Pick<Job, "processing">): boolean =>
  processing?.stage === "failed" || processing?.stage === "differs";

/** Tells whether the person is asked before it is uploaded, or uploaded once more: nothing else starts it. */
export const isAskedAbout = ({ uploadedBefore, duplicateOf, otherLength }: Job): boolean =>
  uploadedBefore !== undefined || duplicateOf !== undefined || otherLength !== undefined;

/** True if its request would go without what was set for it. The service has that of an upload that has begun. */
export const lacksFields = ({ fieldsLeftOut, asset }: Pick<Job, "fieldsLeftOut" | "asset">): boolean =>
  fieldsLeftOut !== undefined && asset === undefined;

export function withoutSecrets({ journal: _, sentContent: __, source, ...job }: StoredJob): Job {
  return { ...job, source: publicSource(source) };
}

/** Bytes of a source, as far as they are known or estimated. */
export function knownSize({ size, estimated }: Pick<FileDetails, "size" | "estimated">): number | undefined {
  return size ?? estimated;
}

/** How much of a whole is reached, from 0 to 1, and never 1: only the end itself is. */
export function fractionOf(part: number, whole: number): number {
  if (!(whole > 0)) return 0;
  return Math.min(0.99, Math.max(0, part / whole));
}

const SHOWN = [
  "kind",
  "name",
  "size",
  "estimated",
  "type",
  "lastModified",
  "pieces",
  "host",
  "hasPage",
  "languages",
  "subtitles",
  "lacking",
] as const satisfies readonly (keyof StoredSource)[];

/** Names what is given on, so that whatever else a source holds stays behind. */
export function publicSource(source: StoredSource): JobSource {
  const shown = SHOWN.flatMap((name) => (source[name] === undefined ? [] : [[name, source[name]]]));
  return Object.fromEntries(shown) as JobSource;
}

/** Uploads that ended within a moment, or that the service is through with, for one notification. */
export interface Ends {
  done: number;
  failed: number;
  /** The last one that failed, else the last one that is done. */
  last: { jobId: string; name: string };
}

export function withEnd(ends: Ends | undefined, { id: jobId, fields: { name } }: Job, isDone: boolean): Ends {
  const { done = 0, failed = 0, last = { jobId, name } } = ends ?? {};
  return {
    done: done + (isDone ? 1 : 0),
    failed: failed + (isDone ? 0 : 1),
    last: isDone && failed > 0 ? last : { jobId, name },
  };
}

/** The whole list in a few numbers, for the badge and the notifications. */
export interface ListSummary {
  unfinished: number;
  running: number;
  /** Jobs that have not ended: their files must be kept at hand. */
  unended: number;
  /** Jobs that wait for the person. */
  waiting: number;
  /** Overall progress, from 0 to 1, as the list tells it. */
  fraction: number;
}

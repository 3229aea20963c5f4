/** One upload of the list: what pages know of it, and what the store keeps beside that. */

import type { Asset, Progress, UploadLocation, UploadOptions } from "../../core/mod.ts";
import type { JournalEntry, Mismatch } from "../../core/validate.ts";
import type { Failure } from "./fault.ts";
import type { UploadFields } from "./settings.ts";

/**
 * - `draft`: chosen, not started; its fields can be edited
 * - `queued`: waits for a free place
 * - `requesting`, `uploading`, `waiting`: core is at work; `waiting` was interrupted and resumes by itself
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

export interface DraftFields extends UploadFields {
  name: string;
  /** The id of the language of the sound, where somebody chose it. */
  language?: string;
  method: NonNullable<UploadOptions["method"]>;
}

export interface FileDetails {
  name: string;
  /** Not known of a video at an address until it is read, and never where its server doesn't tell. */
  size?: number;
  /** The same as far as it can be estimated: of a video in pieces. */
  estimated?: number;
  type: string;
  lastModified: number;
}

/** Tracks that the manifest of a video names, of which not all are taken. */
export interface NamedTracks {
  /** The languages of its sound, the one that is taken by default first. */
  languages?: { id: string; label: string }[];
  /** How many subtitles it has. */
  subtitles?: number;
}

/**
 * Where a job's bytes come from, as pages may know it. source-kinds.ts says what each kind can do.
 *
 * - `file`: a chosen or dropped file
 * - `url`: a video that is read at its address; with `pieces`, that of a manifest which names its pieces
 * - `page-blob`: a video that only its page can read, and has sent
 */
export interface JobSource extends FileDetails, NamedTracks {
  kind: "file" | "url" | "page-blob";
  pieces?: "hls" | "dash";
  /** Where a video was found that is no chosen file: its address may hold a signature, so this stands for it. */
  host?: string;
  /** True if the page it was found on is known, so that it can be opened again. */
  hasPage?: boolean;
}

/** The same with what is needed to read the bytes again: stored, and never sent to a page. */
export interface StoredSource extends JobSource {
  /** Of a file, where the tab's picker or a drop gave one. */
  handle?: FileSystemFileHandle;
  /** Where it is read; absent once the job is done. */
  url?: string;
  page?: string;
  /** The address of the frame in the page, where that plays it. */
  referrer?: string;
  /** True if the server lets everybody read it, without cookies. */
  open?: boolean;
  /** Which one of those that a manifest names. @default the best */
  quality?: string;
  /** Of the element that plays it, where the manifest was not compared with it. */
  playedSeconds?: number;
}

/** A host that must be allowed, to send to it, or to read the video from it. */
export interface HostNeed {
  permission: "host";
  origin: string;
  reads?: boolean;
}

/** The service's work on an uploaded video, as far as it says so. */
export interface Processing {
  /** When it was first asked, in milliseconds since 1970: it is asked for a day at most. */
  since: number;
  /**
   * `working` stands for every phase but the two last ones, `differs` for whatever they are where other content is stored;
   * absent until the service has said anything.
   */
  stage?: "working" | "ready" | "failed" | "differs";
  /** The part of the stored video that is the same as what was sent, as far as the service names it. */
  same?: "content" | "size";
  /** From 0 to 1, where the service names it. */
  progress?: number;
  /** The service's own words for why it failed. */
  reason?: string;
  /** Why it is asked no more. */
  error?: Failure;
}

export interface Job {
  id: string;
  /** Milliseconds since 1970: the same for all of a batch, and later than those of all batches before it. */
  createdAt: number;
  /** Its place in that batch. @default 0 */
  place?: number;
  source: JobSource;
  /** A small picture as a data: address, where one could be made. */
  thumbnail?: string;
  fields: DraftFields;
  state: JobState;
  /** The service's address when it was started; a later change of the settings doesn't change it. */
  address?: string;
  /** Bytes. `fetched`: of a video in pieces, up to where in the file they were fetched. */
  progress: { sent: number; acknowledged: number; speed: number; fetched?: number };
  /** While queued and never begun: when it starts, after a grace in which it can still be edited or removed. */
  startsAt?: number;
  /** While waiting: why, with the status of the answer, and until when. */
  waiting?: NonNullable<Progress["waiting"]>;
  asset?: Asset;
  task?: NonNullable<UploadLocation["task"]>;
  mismatches?: Mismatch[];
  error?: Failure;
  /** Names of its fields that are stored and can't be used, so that they were left out: it failed for that. */
  fieldsLeftOut?: string[];
  /** True if what it failed for, the token or the address, was replaced since, so that it may work now. */
  retryOffered?: boolean;
  needs?: { permission: "file" } | HostNeed;
  /** While its file is lost or has to be allowed: whether it was still a draft, which it becomes again. */
  unstarted?: boolean;
  /** The file that was given in place of the lost one and is another. */
  refused?: FileDetails;
  /** Bytes this upload was given before and had to be sent again, and its duration, once done. */
  outcome?: { resent: number; duration: number; resumed: boolean };
  /** Once done, where the service can be asked. */
  processing?: Processing;
  /** When it was done, in milliseconds since 1970. */
  endedAt?: number;
  /** While it is being cancelled, for which the service may take its time: nothing begins it again. */
  ending?: boolean;
  /** True if a finished cancellation also ended the upload at the service. */
  endedAtService?: boolean;
  /** When the person put it at the head of the queue, in milliseconds since 1970. */
  movedUpAt?: number;
  /** When the same file or address was uploaded before, in milliseconds since 1970: it is not started by itself. */
  uploadedBefore?: number;
  /** The id of the job that was uploading the same file or address when it was given: it is not started by itself. */
  duplicateOf?: string;
  /** How long the player's video and what was found for it are, where they differ: it may be another video. */
  otherLength?: { playedSeconds: number; foundSeconds: number };
}

/** A job as the store keeps it: with what is never sent to a page. */
export interface StoredJob extends Job {
  source: StoredSource;
  /** Core's record to continue the same asset, and the source it is for. Holds locations, which are secrets. */
  journal?: { key: string; entry: JournalEntry };
}

const RUNNING: readonly JobState[] = ["requesting", "uploading", "waiting"];

/** Tells whether core is at work on it. */
export const isRunning = ({ state }: Pick<Job, "state">): boolean => RUNNING.includes(state);

/** Tells whether it continues without the person, now or when its turn comes. */
export const isUnfinished = ({ state }: Pick<Job, "state">): boolean =>
  RUNNING.includes(state) || state === "queued";

export const hasFailed = ({ state }: Pick<Job, "state">): boolean =>
  state === "failed" || state === "asset-unknown";

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

/** A job as pages may know it. */
export function withoutSecrets({ journal: _, source, ...job }: StoredJob): Job {
  return { ...job, source: publicSource(source) };
}

/** Bytes of a source, as far as they are known or estimated. */
export function knownSize({ size, estimated }: Pick<FileDetails, "size" | "estimated">): number | undefined {
  return size ?? estimated;
}

/** Details of a source that pages may know. */
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
] as const satisfies readonly (keyof JobSource)[];

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

/** The same with one more. */
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
  open: number;
  /** Jobs the person must do something for. */
  needsAttention: number;
  failed: number;
  drafts: number;
  /** Overall progress of what is unfinished, from 0 to 1. */
  fraction: number;
}

/** The state machine of a job. Pure: the list applies its events, and everything else happens around it. */

import type { Asset } from "../../core/mod.ts";
import type { Failure } from "../shared/fault.ts";
import {
  type DraftFields,
  type FileDetails,
  isAskedAbout,
  isRunning,
  isUnfinished,
  type Job,
  type JobSource,
  type JobState,
  type Processing,
  STATES,
} from "../shared/job.ts";
import type { KnownAccount } from "../shared/known-account.ts";
import { type AccountFault, accountFault, goesOnWithOwn } from "../shared/next-steps.ts";
import { known, without } from "../shared/record.ts";

type RunEvent =
  | { type: "requesting"; address: string }
  | { type: "progressed"; progress: Job["progress"]; asset?: Asset; size?: number }
  /** Pieces were fetched, before they are sent. */
  | { type: "fetched"; fetched: number; estimated: number }
  /** Pieces of the video lack so many seconds, and are taken without them. */
  | { type: "lacking"; seconds: number }
  | { type: "waiting"; waiting: NonNullable<Job["waiting"]> }
  /** The address may give another video than the one that was picked. */
  | { type: "length-differs"; lengths: NonNullable<Job["otherLength"]> }
  | {
      type: "finished";
      endedAt: number;
      size: number;
      asset: Asset;
      outcome: NonNullable<Job["outcome"]>;
    }
  | { type: "failed"; error: Failure }
  /** The service says how far it is with the video, and names its links by then. */
  | { type: "processed"; processing: Processing; links?: Partial<Asset> };

/** Events of the person, and of the job's file, its hosts and its account. */
type ListEvent =
  | { type: "edited"; fields: DraftFields }
  | { type: "started" }
  | { type: "scheduled"; startsAt: number }
  | { type: "paused" }
  | { type: "continued" }
  | { type: "ending" }
  | { type: "cancelled"; endedAtService: boolean; asset?: Asset }
  | { type: "file-lost" }
  | { type: "file-given"; source: JobSource }
  | { type: "file-refused"; refused: FileDetails }
  | { type: "redrafted" }
  | { type: "account-changed"; faults: AccountFault[] }
  /** It is set now: what was given for another one waits. */
  | { type: "account-set"; account: KnownAccount }
  | { type: "account-used"; account: KnownAccount }
  | { type: "account-kept" }
  | { type: "permission-needed"; needs: NonNullable<Job["needs"]> }
  | { type: "permission-given" }
  | { type: "pictured"; thumbnail: string }
  | { type: "moved-up"; at: number }
  | { type: "duplicate-over"; uploadedAt?: number };

export type JobEvent = RunEvent | ListEvent;

const RUNNING = STATES.filter((state) => isRunning({ state }));
const UNFINISHED = STATES.filter((state) => isUnfinished({ state }));

/** The states each event is for; in any other it changes nothing. */
const FROM: Record<JobEvent["type"], readonly JobState[] | "any"> = {
  edited: ["draft"],
  started: ["draft", "queued"],
  scheduled: ["draft"],
  requesting: ["queued", "uploading", "waiting", "requesting"],
  progressed: RUNNING,
  fetched: UNFINISHED,
  lacking: UNFINISHED,
  waiting: RUNNING,
  paused: UNFINISHED,
  continued: ["paused", "failed", "asset-unknown", "needs-permission"],
  // A whole upload is whole, also where it was paused in the moment of its last answer.
  finished: [...UNFINISHED, "paused"],
  failed: UNFINISHED,
  processed: ["done"],
  ending: [
    ...UNFINISHED,
    ...(["draft", "paused", "needs-file", "needs-permission", "asset-unknown", "failed"] as const),
  ],
  cancelled: "any",
  "length-differs": UNFINISHED,
  "file-lost": [...UNFINISHED, "draft", "paused", "needs-permission"],
  "file-given": ["needs-file", "needs-permission", "failed"],
  "file-refused": ["needs-file", "needs-permission", "failed"],
  // A job that has begun to run can't be edited any more.
  redrafted: ["failed", "queued"],
  "account-changed": ["failed"],
  "account-set": STATES.filter((state) => state !== "done"),
  "account-used": STATES.filter((state) => state !== "done"),
  "account-kept": STATES.filter((state) => state !== "done"),
  "permission-needed": [...UNFINISHED, "paused", "draft", "failed"],
  "permission-given": ["needs-permission"],
  pictured: "any",
  "moved-up": ["queued"],
  "duplicate-over": "any",
};

/** Events of a job that is being cancelled: none begins it, or it would run on as a cancelled one. */
const WHILE_ENDING: readonly JobEvent["type"][] = ["cancelled", "finished", "pictured", "duplicate-over"];

/** The job after an event; the same object where the event doesn't apply. */
export function reduce(job: Job, event: JobEvent): Job {
  const from = FROM[event.type];
  if (from !== "any" && !from.includes(job.state)) return job;
  if (event.type === "cancelled" && job.state === "done") return job;
  if (job.ending && !WHILE_ENDING.includes(event.type)) return job;
  switch (event.type) {
    case "requesting":
      return { ...clearTransient(job), state: "requesting", address: event.address };
    case "progressed":
      return {
        ...clearTransient(job),
        state: "uploading",
        progress: { ...known({ fetched: job.progress.fetched }), ...event.progress },
        ...(event.asset && { asset: event.asset }),
        ...(event.size !== undefined && { source: { ...job.source, size: event.size } }),
      };
    case "fetched": {
      const { fetched, estimated } = event;
      return { ...job, progress: { ...job.progress, fetched }, source: { ...job.source, estimated } };
    }
    case "lacking": {
      // A piece that is read again tells it again.
      const lacking = Math.max(event.seconds, job.source.lacking ?? 0);
      return { ...job, source: { ...job.source, lacking } };
    }
    case "waiting":
      return { ...job, state: "waiting", waiting: event.waiting };
    case "length-differs":
      if (job.asset !== undefined) return job;
      return { ...clearTransient(job), state: "draft", otherLength: event.lengths };
    case "finished": {
      const { type: _, size, ...result } = event;
      const source = { ...without(job.source, "estimated"), size };
      const progress = { ...without(job.progress, "fetched"), sent: size, acknowledged: size };
      return { ...clearTransient(job), ...result, state: "done", source, progress };
    }
    case "failed":
      return {
        ...clearTransient(job),
        state: event.error.code === "asset-unknown" ? "asset-unknown" : "failed",
        error: event.error,
      };
    case "processed": {
      const { processing, links } = event;
      return { ...job, processing, ...(job.asset && { asset: { ...job.asset, ...links } }) };
    }
    default:
      return reduceInList(job, event);
  }
}

function reduceInList(job: Job, event: ListEvent): Job {
  switch (event.type) {
    case "edited":
      return { ...job, fields: event.fields };
    case "started":
      // Nothing holds it.
      if (job.state === "queued" && job.startsAt === undefined) return job;
      return { ...clearTransient(job), state: "queued" };
    case "scheduled":
      if (isAskedAbout(job)) return job;
      return { ...clearTransient(job), state: "queued", startsAt: event.startsAt };
    case "continued":
    case "permission-given":
      return goOn(job);
    case "paused":
      return { ...clearTransient(job), state: "paused" };
    case "ending":
      return isUnfinished(job)
        ? { ...clearTransient(job), state: "paused", ending: true }
        : { ...job, ending: true };
    case "cancelled":
      return {
        ...clearTransient(job),
        state: "cancelled",
        endedAtService: event.endedAtService,
        ...(event.asset && { asset: event.asset }),
      };
    case "file-lost":
      return { ...clearTransient(job), ...unstarted(job), state: "needs-file" };
    case "file-given":
      return {
        ...clearTransient(job),
        source: event.source,
        state: job.asset === undefined ? "draft" : "queued",
      };
    case "file-refused":
      return { ...job, refused: event.refused };
    case "redrafted":
      if (job.asset !== undefined || (job.state === "queued" && job.startsAt === undefined)) return job;
      return { ...clearTransient(job), state: "draft" };
    case "account-changed": {
      const fault = accountFault(job);
      return fault === undefined || !event.faults.includes(fault) ? job : { ...job, retryOffered: true };
    }
    case "account-set":
      return withAccount(job, event.account);
    case "account-used": {
      const own = { ...without(job, "otherAccount"), account: event.account };
      return job.needs?.permission === "account" ? goOn(own) : own;
    }
    case "account-kept":
      return job.otherAccount ? { ...job, otherAccount: { ...job.otherAccount, isKept: true } } : job;
    case "permission-needed":
      return hold(job, event.needs);
    case "pictured":
      return { ...job, thumbnail: event.thumbnail };
    case "moved-up":
      return { ...job, movedUpAt: event.at };
    case "duplicate-over":
      return { ...without(job, "duplicateOf"), ...known({ uploadedBefore: event.uploadedAt }) };
  }
}

function goOn(job: Job): Job {
  return { ...clearTransient(job), state: job.unstarted ? "draft" : "queued" };
}

function hold(job: Job, needs: NonNullable<Job["needs"]>): Job {
  const held: Job = { ...clearTransient(job), ...unstarted(job), state: "needs-permission", needs };
  return needs.permission === "account" ? { ...held, otherAccount: otherThan(job, needs.id) } : held;
}

/** What is to begin with another account waits; what has begun goes on, and what runs is asked about when it asks. */
function withAccount(job: Job, account: KnownAccount): Job {
  const { id } = account;
  if (job.account === undefined) return { ...job, account };
  if (job.account.id === id) {
    if (job.otherAccount === undefined && job.account.name === account.name) return job;
    const own = { ...without(job, "otherAccount"), account };
    return job.needs?.permission === "account" ? goOn(own) : own;
  }
  if (goesOnWithOwn(job) || job.otherAccount?.id === id) return job;
  if (job.state === "queued" || job.needs?.permission === "account")
    return hold(job, { permission: "account", id });
  return { ...job, otherAccount: otherThan(job, id) };
}

/** A person who has decided is asked again about yet another account alone. */
function otherThan({ otherAccount }: Job, id: string): NonNullable<Job["otherAccount"]> {
  return otherAccount?.id === id ? otherAccount : { id, isKept: false };
}

/** A permission to read a draft doesn't start it. */
function unstarted(job: Job): Pick<Job, "unstarted"> {
  return job.state === "draft" || job.unstarted ? { unstarted: true } : {};
}

/** Fields that have a meaning in one state only. */
const TRANSIENT = [
  ...(["startsAt", "waiting", "error", "fieldsLeftOut", "retryOffered"] as const),
  ...(["needs", "refused", "unstarted", "ending"] as const),
];

const clearTransient = (job: Job): Job => without(job, ...TRANSIENT);

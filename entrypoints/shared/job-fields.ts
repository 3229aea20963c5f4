/**
 * The fields that a job and its source may lack, each with its schema: their types follow from these, and so do the fields
 * that are left out of a stored job.
 */
import * as v from "valibot";
import { WAITING_REASONS } from "../../core/extension.ts";
import type { Asset } from "../../core/mod.ts";
import type { Failure } from "./fault.ts";
import { isWebAddress } from "./web-address.ts";

export const count = v.pipe(v.number(), v.finite(), v.minValue(0));
export const text = v.string();
const webAddress = v.pipe(text, v.check(isWebAddress));

const failure = v.looseObject({
  name: text,
  code: text,
  message: text,
  retryable: v.boolean(),
  httpStatus: v.optional(v.number()),
  retryAfter: v.optional(v.number()),
  details: v.optional(v.array(text)),
  resume: v.optional(v.object({ assetId: text, offset: count, possible: v.boolean() })),
}) as v.GenericSchema as v.GenericSchema<unknown, Failure>;

export const JOB_FIELDS = {
  /** The job's place in its batch. @default 0 */
  place: count,
  /** A small picture as a data: address, where one could be made. */
  thumbnail: v.pipe(text, v.startsWith("data:image/")),
  /** The service's address when it was started; a later change of the settings doesn't change it. */
  address: text,
  /** The account that it was given for: until it has an asset, it goes to no other one unless the person says so. */
  account: v.object({ id: text, name: text, ending: text }),
  /** Set while another account is: that one's id, and whether the person wants it to wait for its own. */
  otherAccount: v.object({ id: text, isKept: v.boolean() }),
  /** While queued and never begun: when it starts, after a grace in which it can still be edited or removed. */
  startsAt: v.number(),
  /** While waiting: why, with the status of the answer, and until when. */
  waiting: v.object({
    reason: v.picklist(WAITING_REASONS),
    httpStatus: v.optional(v.number()),
    until: v.optional(v.number()),
    attempt: count,
  }),
  asset: v.looseObject({ id: text }) as v.GenericSchema<unknown, Asset>,
  error: failure,
  /** Names of its fields that are stored and can't be used, so that they were left out: it failed for that. */
  fieldsLeftOut: v.array(text),
  /** True if what it failed for, the token or the address, was replaced since, so that it may work now. */
  retryOffered: v.boolean(),
  needs: v.union([
    v.object({ permission: v.literal("file") }),
    /** The account with this id is set, which is not its own. */
    v.object({ permission: v.literal("account"), id: text }),
    /** A host that must be allowed, to send to it, or to read the video from it. */
    v.object({ permission: v.literal("host"), origin: webAddress, reads: v.exactOptional(v.boolean()) }),
  ]),
  /** While its file is lost or has to be allowed: whether it was still a draft, which it becomes again. */
  unstarted: v.boolean(),
  /** The file that was given in place of the lost one and is another. */
  refused: v.object({ name: text, size: v.exactOptional(count), type: text, lastModified: v.number() }),
  /** Bytes this upload was given before and had to be sent again, and its duration, once done. */
  outcome: v.object({ resent: count, duration: count, resumed: v.boolean() }),
  /** Once done, the service's work on the video, as far as it can be asked and says so. */
  processing: v.object({
    /** When it was first asked, in milliseconds since 1970: it is asked for a day at most. */
    since: count,
    /**
     * `working` stands for every phase but the two last ones, `differs` for whatever they are where other content is stored;
     * absent until the service has said anything.
     */
    stage: v.exactOptional(v.picklist(["working", "ready", "failed", "differs"])),
    /** The part of the stored video that is the same as what was sent, as far as the service names it. */
    same: v.exactOptional(v.picklist(["content", "size"])),
    /** From 0 to 1, where the service names it. */
    progress: v.exactOptional(v.pipe(count, v.maxValue(1))),
    /** The service's own words for why it failed. */
    reason: v.exactOptional(text),
    /** Why it is asked no more. */
    error: v.exactOptional(failure),
  }),
  /** When it was done, in milliseconds since 1970. */
  endedAt: count,
  /** While it is being cancelled, for which the service may take its time: nothing begins it again. */
  ending: v.boolean(),
  /** True if a finished cancellation also ended the upload at the service. */
  endedAtService: v.boolean(),
  /** When the person put it at the head of the queue, in milliseconds since 1970. */
  movedUpAt: count,
  /** When the same file or address was uploaded before, in milliseconds since 1970: it is not started by itself. */
  uploadedBefore: count,
  /** The id of the job that was uploading the same file or address when it was given: it is not started by itself. */
  duplicateOf: text,
  /** How long the player's video and what was found for it are, where they differ: it may be another video. */
  otherLength: v.object({ playedSeconds: count, foundSeconds: count }),
} as const;

export const SOURCE_FIELDS = {
  type: text,
  lastModified: v.number(),
  /** Not known of a video at an address until it is read, and never where its server doesn't tell. */
  size: count,
  /** The same as far as it can be estimated: of a video in pieces. */
  estimated: count,
  /** A manifest is at the address, and the video is the pieces that it names. */
  pieces: v.picklist(["hls", "dash"]),
  /** Where a video was found that is no chosen file: its address may hold a signature, so this stands for it. */
  host: text,
  /** True if the page it was found on is known, so that it can be opened again. */
  hasPage: v.boolean(),
  /** The languages of its sound, the one that is taken by default first. */
  languages: v.array(v.object({ id: text, label: text })),
  /** How many subtitles its manifest names. */
  subtitles: count,
  /** Seconds that its manifest names and its pieces lack. */
  lacking: count,
  /** Of a file, where the tab's picker or a drop gave one. */
  handle: v.custom<FileSystemFileHandle>(
    (value) => typeof value === "object" && value !== null && "getFile" in value,
  ),
  /** Where it is read; absent once the job is done. */
  url: webAddress,
  page: webAddress,
  /** The address of the frame in the page, where that plays it. */
  referrer: webAddress,
  /** True if the server lets everybody read it, without cookies. */
  open: v.boolean(),
  /** Which one of those that a manifest names. @default the best */
  quality: text,
  /** Of the element that plays it, where the manifest was not compared with it. */
  playedSeconds: count,
} as const;

type Fields<Schemas extends Record<string, v.GenericSchema>> = {
  [Name in keyof Schemas]?: v.InferOutput<Schemas[Name]>;
};
export type JobFields = Fields<typeof JOB_FIELDS>;
export type SourceFields = Fields<typeof SOURCE_FIELDS>;

/**
 * What `upload()` is called with, checked before anything is sent.
 *
 * @module
 */

import type { AssetRequest, PlaybackPolicy, TranscodeProfile, UploadLocation } from "./asset.ts";
import { type Journal, memoryJournal } from "./journal.ts";
import { OptionCheck } from "./options.ts";
import type { Progress } from "./progress.ts";
import { isRecord } from "./record.ts";
import type { Fetch } from "./request.ts";
import { DEFAULT_RETRY, type RetryOptions } from "./retry.ts";
import { checkSourceOptions, type SourceOptions } from "./source/open.ts";
import { PART_SIZE } from "./transfer/parts.ts";
import { DEFAULT_TIMEOUTS, type TransferTimeouts } from "./transfer/transport.ts";

/**
 * Whoever can ask for a location: a client, or anything with these two members, for example a message to another
 * context or a call to a gateway. So a context without a token uploads with the same code.
 */
export interface Requester {
  /** Stands for base address and account in a journal; no secret. */
  readonly scope: string | (() => string | Promise<string>);
  /** Creates an asset and returns where its content goes. */
  requestUpload(request: AssetRequest, options: { signal: AbortSignal }): Promise<UploadLocation>;
  /**
   * Whether this requester is for one upload alone and gives the same answer when it is asked again. Otherwise a call
   * that ends while it asks leaves a note in the journal, and the next one says that an asset may exist.
   * @default false
   */
  readonly repeatable?: boolean;
  /** The journal used unless the options name one. @default a journal in memory, one per requester */
  readonly journal?: Journal;
  /** Used for the transfer as well. @default the runtime's best way */
  readonly fetch?: Fetch;
  /** Further headers for the upload host. @default none */
  uploadHeaders?(): Promise<Record<string, string>>;
  /** Whether the upload host is sent the account's authorization by other means. @default false */
  authorizesUploads?(): Promise<boolean>;
}

/**
 * How a source is sent.
 *
 * - `resumable` continues where it was (interface document: "Resumable upload")
 * - `direct` is one PUT, which begins again when it is interrupted: for small files and fast lines ("Direct upload")
 * - `auto` sends up to 1 MiB directly, if the service gives a location for it and `uploadAuthorization` is off, and
 *   anything else resumably
 */
export type UploadMethod = "auto" | "resumable" | "direct";

/** What to ask for, how to send it, and whom to tell. */
export interface UploadOptions extends SourceOptions {
  /** Name of the asset. @default the source's file name */
  name?: string;
  /** Whether MP4 renditions are generated. */
  staticMp4?: boolean;
  /** Whether playback is public or signed. */
  playbackPolicy?: PlaybackPolicy;
  /** Output renditions requested. */
  profiles?: TranscodeProfile[];
  /** Further request fields, passed through; the interface document leaves two unnamed. */
  fields?: Record<string, unknown>;
  /** How it is sent. @default "auto" */
  method?: UploadMethod;
  /**
   * Remembers the upload until it is whole. One that can't be written ends the call before an asset is made; should
   * it fail later, the upload goes on and its progress says so.
   * @default the requester's
   */
  journal?: Journal;
  /** Starts a new asset even if an unfinished upload of this source could be continued. @default false */
  fresh?: boolean;
  /** Stops the upload; what was sent is kept. `upload()` then rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Told often; an error it throws ends the upload. */
  onProgress?: (progress: Progress) => void;
  /** How interruptions are met. */
  retry?: RetryOptions;
  /** How long to wait for signs of life. */
  timeouts?: TransferTimeouts;
  /**
   * Most bytes of one request, a multiple of 8 MiB, for proxies that limit a body. Streams hold this much; one of
   * unknown length and over 80 GB needs more than 8 MiB, since stores take 10,000 parts.
   * @default all whole parts of a source that can be read again; 8388608 for streams, and in browsers
   */
  chunkSize?: number;
}

/** `UploadOptions` with the defaults filled in. */
export interface UploadSettings {
  /** The request's fields that were given. */
  request: AssetRequest;
  method: UploadMethod;
  journal: Journal;
  fresh: boolean;
  retry: Required<RetryOptions>;
  timeouts: Required<TransferTimeouts>;
  chunkSize: number | undefined;
}

const OPTION_NAMES = (
  "name staticMp4 playbackPolicy profiles fields method journal fresh signal onProgress retry timeouts chunkSize " +
  "filename type size sourceHeaders sourceCredentials anyType"
).split(" ");

const check = new OptionCheck("upload");
const ownJournals = new WeakMap<Requester, Journal>();

/**
 * Checks the options and fills in their defaults.
 *
 * @throws {InputError} `invalid-option`, naming the option and what was found.
 */
export function readUploadOptions(requester: Requester, options: UploadOptions): UploadSettings {
  if (typeof requester?.requestUpload !== "function" || !/^(string|function)$/.test(typeof requester.scope)) {
    check.refuse("the requester", requester, "a client or anything with requestUpload() and scope");
  }
  check.record(options, OPTION_NAMES, ". Further request fields go into fields");
  const { method = "auto", fresh = false, chunkSize, fields = {}, onProgress, retry, timeouts } = options;
  const methods = ["auto", "resumable", "direct"];
  check.that("method", method, methods.includes(method), '"auto", "resumable" or "direct"');
  check.flag("fresh", fresh);
  const parts =
    Number.isSafeInteger(chunkSize) && Number(chunkSize) > 0 && Number(chunkSize) % PART_SIZE === 0;
  check.that("chunkSize", chunkSize, parts, `a multiple of ${PART_SIZE} (8 MiB): services lose other parts`);
  check.that("onProgress", onProgress, typeof onProgress === "function", "a function");
  check.signal(options.signal);
  check.journal(options.journal);
  check.journal(requester.journal);
  checkSourceOptions(options, check);
  return {
    request: { ...readFields(fields), ...requestFields(options) },
    method,
    journal: options.journal ?? requester.journal ?? ownJournal(requester),
    fresh,
    retry: check.numbers("retry", retry, DEFAULT_RETRY),
    timeouts: check.numbers("timeouts", timeouts, DEFAULT_TIMEOUTS),
    chunkSize,
  };
}

function requestFields({ staticMp4, playbackPolicy, profiles }: UploadOptions): AssetRequest {
  return {
    ...(staticMp4 !== undefined && { staticMp4 }),
    ...(playbackPolicy !== undefined && { playbackPolicy }),
    ...(profiles !== undefined && { profiles }),
  };
}

function readFields(fields: Record<string, unknown>): AssetRequest {
  check.that("fields", fields, isRecord(fields), "an object");
  for (const name of ["name", "staticMp4", "playbackPolicy", "profiles"]) {
    if (Object.hasOwn(fields, name))
      throw check.error(`fields.${name} has an option of its own: give ${name}`);
  }
  return fields;
}

function ownJournal(requester: Requester): Journal {
  const journal = ownJournals.get(requester) ?? memoryJournal();
  ownJournals.set(requester, journal);
  return journal;
}

/**
 * What `upload()` is called with, checked before anything is sent.
 *
 * @module
 */

import type { AssetRequest, PlaybackPolicy, TranscodeProfile, UploadLocation } from "./asset.ts";
import { InputError, show } from "./errors.ts";
import { type Journal, memoryJournal } from "./journal.ts";
import type { Progress } from "./progress.ts";
import type { Fetch } from "./request.ts";
import { DEFAULT_RETRY, type RetryOptions } from "./retry.ts";
import type { SourceOptions } from "./source/open.ts";
import { PART } from "./transfer/body.ts";
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
  /** The journal used unless the options name one. @default a journal in memory, one per requester */
  readonly journal?: Journal;
  /** Used for the transfer as well. @default the runtime's best way */
  readonly fetch?: Fetch;
  /** Further headers for the upload host. @default none */
  uploadHeaders?(): Promise<Record<string, string>>;
}

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
  /** `resumable` continues where it was; `direct` is one PUT, for small files and fast lines. @default "resumable" */
  method?: "resumable" | "direct";
  /** Remembers the upload until it is whole. @default the requester's */
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
   * Bytes of one request where a source can't be sent in one, a multiple of 8 MiB. Streams hold this much.
   * @default 8388608
   */
  chunkSize?: number;
}

/** `UploadOptions` with the defaults filled in. */
export interface UploadSettings {
  /** The request's fields that were given. */
  request: AssetRequest;
  method: "resumable" | "direct";
  journal: Journal;
  fresh: boolean;
  retry: Required<RetryOptions>;
  timeouts: Required<TransferTimeouts>;
  chunkSize: number | undefined;
}

const OPTION_NAMES = new Set(
  (
    "name staticMp4 playbackPolicy profiles fields method journal fresh signal onProgress retry timeouts chunkSize " +
    "filename type size sourceHeaders sourceCredentials anyType"
  ).split(" "),
);

const ownJournals = new WeakMap<Requester, Journal>();

/**
 * Checks the options and fills in their defaults.
 *
 * @throws {InputError} `invalid-option`, naming the option and what was found.
 */
export function readUploadOptions(requester: Requester, options: UploadOptions): UploadSettings {
  if (typeof requester?.requestUpload !== "function")
    refuse("the requester", requester, "a client or anything with requestUpload() and scope");
  if (typeof options !== "object" || options === null) refuse("options", options, "an object");
  for (const name of Object.keys(options)) {
    if (!OPTION_NAMES.has(name))
      throw optionError(`there is no option ${show(name)}. Further request fields go into fields`);
  }
  const { method = "resumable", fresh = false, chunkSize, fields = {}, size, onProgress, signal } = options;
  if (method !== "resumable" && method !== "direct") refuse("method", method, '"resumable" or "direct"');
  if (typeof fresh !== "boolean") refuse("fresh", fresh, "true or false");
  if (
    chunkSize !== undefined &&
    !(Number.isSafeInteger(chunkSize) && chunkSize > 0 && chunkSize % PART === 0)
  ) {
    refuse("chunkSize", chunkSize, `a multiple of ${PART} (8 MiB): services lose other parts`);
  }
  if (size !== undefined && !(Number.isSafeInteger(size) && size >= 0))
    refuse("size", size, "a whole number of bytes");
  if (onProgress !== undefined && typeof onProgress !== "function")
    refuse("onProgress", onProgress, "a function");
  if (signal !== undefined && !(signal instanceof AbortSignal)) refuse("signal", signal, "an AbortSignal");
  for (const name of ["filename", "type"] as const) {
    const value = options[name];
    if (value !== undefined && (typeof value !== "string" || value.trim() === ""))
      refuse(name, value, "a text that isn't blank");
  }
  if (options.type !== undefined && !/^[\w.+-]+\/[\w.+-]+(\s*;.*)?$/.test(options.type))
    refuse("type", options.type, 'a media type such as "video/mp4"');
  return {
    request: { ...readFields(fields), ...requestFields(options) },
    method,
    journal: readJournal(options.journal) ?? readJournal(requester.journal) ?? ownJournal(requester),
    fresh,
    retry: numbers("retry", options.retry, DEFAULT_RETRY),
    timeouts: numbers("timeouts", options.timeouts, DEFAULT_TIMEOUTS),
    chunkSize,
  };
}

/** Fills in defaults for a group of numbers, and refuses what is none. */
export function numbers<T extends object>(
  group: string,
  given: T | undefined,
  defaults: Required<T>,
): Required<T> {
  if (given === undefined) return defaults;
  if (typeof given !== "object" || given === null) refuse(group, given, "an object");
  for (const [name, value] of Object.entries(given)) {
    if (!(name in defaults)) throw optionError(`there is no option ${show(`${group}.${name}`)}`);
    if (value !== undefined && !(typeof value === "number" && value >= 0))
      refuse(`${group}.${name}`, value, "a number from 0 on");
  }
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return { ...defaults, ...set };
}

function requestFields({ staticMp4, playbackPolicy, profiles }: UploadOptions): AssetRequest {
  return {
    ...(staticMp4 !== undefined && { staticMp4 }),
    ...(playbackPolicy !== undefined && { playbackPolicy }),
    ...(profiles !== undefined && { profiles }),
  };
}

function readFields(fields: Record<string, unknown>): AssetRequest {
  if (typeof fields !== "object" || fields === null) refuse("fields", fields, "an object");
  for (const name of ["name", "staticMp4", "playbackPolicy", "profiles"]) {
    if (name in fields) throw optionError(`fields.${name} has an option of its own: give ${name}`);
  }
  return fields;
}

function readJournal(journal: Journal | undefined): Journal | undefined {
  if (journal === undefined) return undefined;
  for (const method of ["get", "set", "delete", "claim"] as const) {
    if (typeof journal?.[method] !== "function")
      refuse("journal", journal, `a journal; it has no ${method}()`);
  }
  return journal;
}

function ownJournal(requester: Requester): Journal {
  const journal = ownJournals.get(requester) ?? memoryJournal();
  ownJournals.set(requester, journal);
  return journal;
}

function refuse(option: string, value: unknown, expected: string): never {
  throw optionError(`${option} is ${show(value)}, expected ${expected}`);
}

function optionError(state: string): InputError {
  return new InputError("invalid-option", `Cannot upload: ${state}`);
}

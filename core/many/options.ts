/** The options of `uploadAll()`, checked before the first source is taken, and the items of its list. */
import * as v from "valibot";
import { asUpcutError, InputError, isUpcutError, type UpcutError } from "../errors/errors.ts";
import { callback, expected, invalidOption, readOptions, refusedOption } from "../options/checks.ts";
import type { Requester } from "../service/requester.ts";
import type { Uploadable } from "../source/open.ts";
import { isObject } from "../text/is-object.ts";
import type { BandwidthLimit } from "../transfer/transport.ts";
import { readUploadOptions, type UploadOptions } from "../upload/options.ts";
import type { UploadResult } from "../upload.ts";

/** Options for all sources of a call; what is one source's own stands in the list beside it. */
export interface UploadAllOptions
  extends Omit<UploadOptions, "name" | "filename" | "size" | "onProgress" | "bandwidth"> {
  /** Uploads at a time, from 1 to 100. @default 4 */
  concurrency?: number | undefined;
  /** Most bytes per second of all uploads together, from 1024; see `upload()`. @default no limit */
  bandwidth?: number | undefined;
  /** Called often with what all uploads have reached together; an error it throws ends the call. */
  onProgress?:
    | ((progress: {
        /** Sources of the list; `undefined` until its end was reached, for a list that can't tell its length. */
        sources: number | undefined;
        /** Sources that were taken from the list so far. */
        started: number;
        /** Uploads under way. */
        running: number;
        /** Sources that were uploaded. */
        uploaded: number;
        /** Sources that failed. */
        failed: number;
        /** Bytes handed over, or found at the service, of all sources. */
        sent: number;
        /**
         * Bytes of all sources, less what is left of those that failed: an estimate by the average of those whose size is known,
         * exact once all are. `undefined` until one is known, or without a length of the list.
         */
        total: number | undefined;
        /** From 0 to 1 for a progress bar, at most 0.99 until all have ended; `undefined` without a total. */
        fraction: number | undefined;
        /** Bytes handed over per second by all of them, a moving average; `undefined` until it is known. */
        speed: number | undefined;
        /** Milliseconds that what is left takes at this speed; `undefined` until that is known. */
        timeLeft: number | undefined;
      }) => void)
    | undefined;
}

/** A report of all uploads of a call. */
export type UploadAllProgress = Parameters<NonNullable<UploadAllOptions["onProgress"]>>[0];

export interface UploadAllSettings {
  concurrency: number;
  onProgress: ((progress: UploadAllProgress) => void) | undefined;
  bandwidth: BandwidthLimit | undefined;
  shared: UploadOptions;
}

const uploadsAtATime = expected<number>(
  (count) => Number.isInteger(count) && Number(count) >= 1 && Number(count) <= 100,
  "a whole number from 1 to 100",
);

/** The options of one source, which a list can't share. */
const OF_ONE_SOURCE: Record<Exclude<keyof UploadOptions, keyof UploadAllOptions>, true> = {
  name: true,
  filename: true,
  size: true,
};

/** The options that `upload()` doesn't have, or has another function for. */
type OwnOptions = Pick<UploadAllOptions, Exclude<keyof UploadAllOptions, keyof UploadOptions> | "onProgress">;

const ownOptions = v.strictObject({
  concurrency: v.optional(uploadsAtATime, 4),
  onProgress: v.optional(callback<(progress: UploadAllProgress) => void>()),
});

/** @throws {InputError} `invalid-option`, naming the option and what was found. */
export function readUploadAllOptions(requester: Requester, options: UploadAllOptions): UploadAllSettings {
  if (!isObject(options)) throw refusedOption("upload", "options", options, "an object");
  const own = Object.keys(OF_ONE_SOURCE).find((name) => Object.hasOwn(options, name));
  if (own !== undefined)
    throw invalidOption("upload", `${own} is one source's own: give { source, ${own} } in the list`);
  const { concurrency: count, onProgress: report, ...shared }: UploadAllOptions = options;
  const given: OwnOptions = { concurrency: count, onProgress: report };
  const { concurrency, onProgress } = readOptions("upload", ownOptions, given);
  const { bandwidth } = readUploadOptions(requester, shared);
  return { concurrency, onProgress, bandwidth, shared };
}

/** A source with options of its own, which come before those of the call. */
export interface UploadItem extends Omit<UploadOptions, "signal" | "bandwidth"> {
  /**
   * The source, or a function that opens it when its turn comes: `() => openFile(path)`. Its error is a failure
   * of this source alone.
   */
  source: Uploadable | (() => Uploadable | Promise<Uploadable>);
  /** Anything of the caller's, such as a path or a row's number: it comes back with the outcome. */
  data?: unknown;
}

/** The outcome of one source: a result or an error. */
export type UploadOutcome<Item = Uploadable | UploadItem> = {
  /** Position of the source in the list. */
  index: number;
  /** The source, as it stood in the list. */
  source: Item;
} & ({ result: UploadResult; error?: undefined } | { result?: undefined; error: UpcutError });

export function readItem(item: Uploadable | UploadItem): UploadItem {
  return typeof item === "object" && item !== null && "source" in item ? item : { source: item };
}

export async function openItem(source: UploadItem["source"]): Promise<Uploadable> {
  if (typeof source !== "function") return source;
  try {
    return await source();
  } catch (error) {
    if (isUpcutError(error)) throw error;
    // The message of a caller's error may hold anything.
    const { message } = asUpcutError("open the source", error);
    throw new InputError("invalid-source", message, { cause: error });
  }
}

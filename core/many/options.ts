/** The options of `uploadAll()`, checked before the first source is taken. */

import * as v from "valibot";
import { isObject } from "../is-object.ts";
import { callback, expected, invalidOption, readOptions, refusedOption } from "../options.ts";
import type { Requester } from "../requester.ts";
import type { BandwidthLimit } from "../transfer/bandwidth.ts";
import { readUploadOptions, type UploadOptions } from "../upload/options.ts";
import type { UploadAllProgress } from "./total-progress.ts";

/** Options for all sources of a call; what is one source's own stands in the list beside it. */
export interface UploadAllOptions
  extends Omit<UploadOptions, "name" | "filename" | "size" | "onProgress" | "bandwidth"> {
  /** Uploads at a time, from 1 to 100. @default 4 */
  concurrency?: number | undefined;
  /** Most bytes per second of all uploads together, from 1024; see `upload()`. @default no limit */
  bandwidth?: number | undefined;
  /** Called often with what all uploads have reached together; an error it throws ends the call. */
  onProgress?: ((progress: UploadAllProgress) => void) | undefined;
}

/** `UploadAllOptions`, taken apart. */
export interface UploadAllSettings {
  concurrency: number;
  onProgress: ((progress: UploadAllProgress) => void) | undefined;
  bandwidth: BandwidthLimit | undefined;
  /** Options of each upload. */
  shared: UploadOptions;
}

const ownOptions = v.strictObject({
  concurrency: v.optional(
    expected<number>(
      (count) => Number.isInteger(count) && Number(count) >= 1 && Number(count) <= 100,
      "a whole number from 1 to 100",
    ),
    4,
  ),
  onProgress: v.optional(callback<(progress: UploadAllProgress) => void>()),
});

/**
 * Checks the options of a call.
 *
 * @throws {InputError} `invalid-option`, naming the option and what was found.
 */
export function readUploadAllOptions(requester: Requester, options: UploadAllOptions): UploadAllSettings {
  if (!isObject(options)) throw refusedOption("upload", "options", options, "an object");
  const own = ["name", "filename", "size"].find((name) => Object.hasOwn(options, name));
  if (own !== undefined)
    throw invalidOption("upload", `${own} is one source's own: give { source, ${own} } in the list`);
  const { concurrency: count, onProgress: report, ...shared } = options;
  const given = { concurrency: count, onProgress: report };
  const { concurrency, onProgress } = readOptions("upload", ownOptions, given);
  const { bandwidth } = readUploadOptions(requester, shared);
  return { concurrency, onProgress, bandwidth, shared };
}

/** The key of a source in a journal. */
import * as v from "valibot";
import { runtimeFetch } from "../http/fetch.ts";
import { abortSignal, readOptions } from "../options/checks.ts";
import { openUnchecked, type SourceReading, type Uploadable } from "../source/open.ts";
import { isObject } from "../text/is-object.ts";

const keyOptions = v.strictObject({ signal: v.optional(abortSignal) });

/**
 * The key under which a journal remembers a source: the same for the same content in every runtime.
 *
 * Reads three samples of a file; asks the server of an address for a byte.
 *
 * @param given a Blob or File, bytes, a URL, or an opened file
 * @param options a signal that ends the wait
 * @returns the key, or `undefined` for a stream, which can't be resumed
 * @throws {InputError} for what can't be uploaded.
 * @throws {UploadError} `source-unreadable` and its like where it can't be read.
 * @example Tell whether two files are the same video
 * ```ts
 * import { journalKey } from "@upcut/core";
 *
 * const [a, b] = ["one.mp4", "two.mp4"].map((name) => new File(["…"], name, { type: "video/mp4", lastModified: 0 }));
 * console.log((await journalKey(a)) === (await journalKey(b))); // true: names don't count
 * ```
 */
export async function journalKey(
  given: Uploadable,
  options: { signal?: AbortSignal | undefined } = {},
): Promise<string | undefined> {
  const { signal = new AbortController().signal } = readOptions("read a journal key", keyOptions, options);
  signal.throwIfAborted();
  return await keyOf(given, { fetch: runtimeFetch, signal });
}

async function keyOf(given: Uploadable, reading: SourceReading): Promise<string | undefined> {
  const source = await openUnchecked(given, {}, reading);
  try {
    return await source.identity();
  } finally {
    await source.close();
  }
}

export async function keyOfGiven(
  given: Uploadable | { journalKey: string },
  reading: SourceReading,
): Promise<string | undefined> {
  const isKey = isObject(given) && "journalKey" in given && typeof given.journalKey === "string";
  return isKey ? given.journalKey : await keyOf(given as Uploadable, reading);
}

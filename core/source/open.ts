/**
 * Makes a source of what a caller has, and refuses anything else before anything is sent.
 *
 * @module
 */

import * as v from "valibot";
import { InputError } from "../errors.ts";
import type { Fetch } from "../http/fetch.ts";
import { expected, flag, headers, oneOf, type SchemasOf, text } from "../options.ts";
import { describeValue } from "../redaction.ts";
import { blobSource } from "./blob.ts";
import { mayBeVideo } from "./media-type.ts";
import { isSource, type ReadableSource, type Source } from "./source.ts";
import { streamSource } from "./stream.ts";
import { urlSource } from "./url.ts";

/** What `upload()` takes: a Blob or File, a web stream, the address of a video, or a file opened by `openFile`. */
export type Uploadable = Blob | ReadableStream<Uint8Array> | URL | Source;

/** What a caller knows about a source better than the source itself. */
export interface SourceOptions {
  /** File name, instead of the source's own. */
  filename?: string;
  /** Media type, instead of the source's own. */
  type?: string;
  /** Bytes of a stream that can't tell its length. */
  size?: number;
  /** Headers for reading a video from an address; sent to its origin alone, never across a redirect to another. */
  sourceHeaders?: Record<string, string>;
  /** For browsers: whether cookies go along when a video is read from an address. */
  sourceCredentials?: "omit" | "same-origin" | "include";
  /** Whether a source is accepted whose type and name aren't a video's. @default false */
  anyType?: boolean;
}

/** What a caller may say of a source. */
export const sourceOptions: SchemasOf<SourceOptions> = {
  filename: v.optional(text),
  type: v.optional(
    expected<string>(
      (type) => typeof type === "string" && /^[\w.+-]+\/[\w.+-]+(\s*;.*)?$/.test(type),
      'a media type such as "video/mp4"',
    ),
  ),
  size: v.optional(
    expected<number>((size) => Number.isSafeInteger(size) && Number(size) >= 0, "a whole number of bytes"),
  ),
  sourceHeaders: v.optional(headers),
  sourceCredentials: v.optional(oneOf(["omit", "same-origin", "include"])),
  anyType: v.optional(flag),
};

/**
 * Makes a source, and refuses one that is empty or not a video.
 *
 * @throws {InputError} `invalid-source`, `empty-source` or `not-a-video`.
 */
export async function openSource(
  given: Uploadable,
  options: SourceOptions,
  fetch: Fetch,
  signal: AbortSignal,
): Promise<ReadableSource> {
  const source = await open(given, options, fetch, signal);
  try {
    const { name, type, size } = source;
    const named = name === undefined ? "the source" : describeValue(name);
    if (size === 0) throw new InputError("empty-source", `Cannot upload ${named}: it has no bytes`);
    if (options.anyType !== true && !mayBeVideo(type, name)) {
      throw new InputError(
        "not-a-video",
        `Cannot upload ${named}: neither its type (${type === undefined ? "unknown" : describeValue(type)}) nor its name is a video's. Give its type, or set anyType`,
      );
    }
    return source;
  } catch (error) {
    await source.close();
    throw error;
  }
}

async function open(
  given: Uploadable,
  options: SourceOptions,
  fetch: Fetch,
  signal: AbortSignal,
): Promise<ReadableSource> {
  const own: { name?: string; type?: string } = {
    ...(options.filename !== undefined && { name: options.filename }),
    ...(options.type !== undefined && { type: options.type }),
  };
  if (given instanceof Blob) return { ...blobSource(given), ...own };
  if (given instanceof ReadableStream) {
    if (given.locked)
      throw new InputError("invalid-source", "Cannot upload the stream: something else is reading it");
    return await streamSource(given, { ...own, size: options.size }, signal);
  }
  if (given instanceof URL) {
    const how = { fetch, headers: options.sourceHeaders, credentials: options.sourceCredentials, signal };
    return { ...(await urlSource(given, how)), ...own };
  }
  if (isSource(given)) return { ...given, ...own };
  const advice =
    typeof given === "string"
      ? ". For an address give new URL(…), for a file on disk await openFile(…)"
      : ", expected a Blob, a File, a web ReadableStream, a URL or an opened file";
  throw new InputError("invalid-source", `Cannot upload ${describeValue(given)}${advice}`);
}

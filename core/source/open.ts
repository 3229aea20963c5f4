/** Makes a source of what a caller has, and refuses anything else before anything is sent. */
import * as v from "valibot";
import { mayBeVideo } from "../content/media-type.ts";
import { InputError } from "../errors/errors.ts";
import { expected, flag, type SchemasOf, text } from "../options/checks.ts";
import { describeValue } from "../redaction/redaction.ts";
import { blobSource } from "./blob.ts";
import { bytesSource, isBytes } from "./bytes.ts";
import { isUrlSource, openUrl } from "./open-url.ts";
import { isR2Object, r2ObjectSource } from "./r2-object.ts";
import { isResponse, responseSource } from "./response.ts";
import { isSource, type ReadableSource, type Source } from "./source.ts";
import { isAsyncIterable, type StreamReading, streamSource } from "./stream.ts";
import type { UrlFetch } from "./url-request.ts";

/**
 * The values that `upload()` takes.
 *
 * - a Blob or File, or bytes in memory (an `ArrayBuffer` or any view of one), which must not change meanwhile: resumed in
 *   another process too, by the same content
 * - the address of a video, or `openUrl(address, { headers })` where its server wants more than the address
 * - a file opened by `openFile`, a video in pieces opened by `openHls`
 * - a `Response` that is a success: its body is read once. Its length counts where its body isn't packed and, in a page, comes
 *   from the page's own origin; `size` tells others. One with a strong ETag is resumed by another call with the same version
 * - what `get()` of an R2 bucket gave: read once, and resumed by another call with the same version
 * - a web stream, a `Readable` of Node, or any other async iterable of bytes: it can be read once, so that its upload goes on
 *   after interruptions, and can't be resumed by another call
 */
export type Uploadable =
  | Blob
  | ArrayBuffer
  | ArrayBufferView
  | Response
  | {
      /** Where an object is in its bucket; what follows the last slash is the file's name. */
      readonly key: string;
      readonly size: number;
      readonly etag: string;
      readonly httpMetadata?: { readonly contentType?: string };
      readonly body: ReadableStream<Uint8Array>;
    }
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>
  | URL
  | Source;

/** Facts of a source that its caller knows better; `UploadOptions` tells of each. */
export interface SourceOptions {
  filename?: string | undefined;
  type?: string | undefined;
  size?: number | undefined;
  anyType?: boolean | undefined;
}

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
  anyType: v.optional(flag),
};

export type SourceReading = StreamReading & Pick<UrlFetch, "fetch" | "stall" | "hooks">;

/** Makes a source, and refuses one that is empty or not a video. */
export async function openSource(
  given: Uploadable,
  options: SourceOptions,
  reading: SourceReading,
): Promise<ReadableSource> {
  const source = await openUnchecked(given, options, reading);
  try {
    const { name, type, size } = source;
    const named = name === undefined ? "the source" : describeValue(name);
    if (size === 0) throw new InputError("empty-source", `Cannot upload ${named}: it has no bytes`);
    if (options.anyType !== true && !mayBeVideo(type, name)) {
      const told = type === undefined ? "unknown" : describeValue(type);
      const state = `neither its type (${told}) nor its name is a video's`;
      throw new InputError("not-a-video", `Cannot upload ${named}: ${state}. Give its type, or set anyType`);
    }
    return source;
  } catch (error) {
    await source.close();
    throw error;
  }
}

/** Makes a source, be it empty or no video by its name and type. */
export async function openUnchecked(
  given: Uploadable,
  options: SourceOptions,
  reading: SourceReading,
): Promise<ReadableSource> {
  const source = await open(given, options, reading).catch((error: unknown) => {
    // Reading fails in one way or another when the caller aborts.
    reading.signal.throwIfAborted();
    throw error;
  });
  return { ...source, name: options.filename ?? source.name, type: options.type ?? source.type };
}

async function open(
  given: Uploadable,
  options: SourceOptions,
  reading: SourceReading,
): Promise<ReadableSource> {
  if (given instanceof Blob) return await blobSource(given);
  if (isBytes(given)) return bytesSource(given);
  if (given instanceof URL) return await open(openUrl(given), options, reading);
  if (isUrlSource(given)) return await given.openWith({ ...reading, anyType: options.anyType });
  if (isSource(given)) return given;
  if (isResponse(given)) return await responseSource(given, options, reading);
  if (isR2Object(given)) return await r2ObjectSource(given, reading);
  if (given instanceof ReadableStream || isAsyncIterable(given)) {
    if ("locked" in given && given.locked === true)
      throw new InputError("invalid-source", "Cannot upload the stream: something else is reading it");
    return await streamSource(given, { size: options.size }, reading);
  }
  const advice =
    typeof given === "string"
      ? ". For an address give new URL(…), for a file on disk await openFile(…)"
      : ", expected a Blob, a File, bytes, a stream or async iterable of them, a Response, a URL or an opened file";
  // A kind of `Uploadable` that nothing above opens would be left here, beside a `Source` that somebody else has made.
  throw new InputError("invalid-source", `Cannot upload ${describeValue(given satisfies Source)}${advice}`);
}

/** Makes a source of what a caller has, and refuses anything else before anything is sent. */
import * as v from "valibot";
import { mayBeVideo } from "../content/media-type.ts";
import { InputError } from "../errors/errors.ts";
import { anyOf, expected, type SchemasOf, text } from "../options/checks.ts";
import { describeValue } from "../redaction/redaction.ts";
import { blobSource } from "./blob.ts";
import { bytesSource, isBytes } from "./bytes.ts";
import { isUrlSource, openUrl } from "./open-url.ts";
import { isR2Object, r2ObjectSource } from "./r2-object.ts";
import { isResponse, responseSource } from "./response.ts";
import { isSource, type ReadableSource, type Source } from "./source.ts";
import { isStream, type StreamReading, streamSource } from "./stream.ts";
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
}

/** Stands for a media type of any kind. */
const ANY_TYPE = "any";

export const sourceOptions: SchemasOf<SourceOptions> = {
  filename: v.optional(text),
  type: v.optional(
    expected<string>(
      (type) => typeof type === "string" && /^([\w.+-]+\/[\w.+-]+(\s*;.*)?|any)$/.test(type),
      'a media type such as "video/mp4", or "any"',
    ),
  ),
  size: v.optional(
    expected<number>((size) => Number.isSafeInteger(size) && Number(size) >= 0, "a whole number of bytes"),
  ),
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
    // A caller who gives a type knows it.
    if (options.type === undefined && !mayBeVideo(type, name)) {
      const told = type === undefined ? "unknown" : describeValue(type);
      const state = `neither its type (${told}) nor its name is a video's`;
      throw new InputError("not-a-video", `Cannot upload ${named}: ${state}. Give its type`);
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
  const type = options.type === ANY_TYPE ? undefined : options.type;
  return { ...source, name: options.filename ?? source.name, type: type ?? source.type };
}

async function open(
  given: Uploadable,
  options: SourceOptions,
  reading: SourceReading,
): Promise<ReadableSource> {
  for (const { openIf } of KINDS) {
    const source = openIf(given, options, reading);
    if (source !== undefined) return await source;
  }
  const advice =
    typeof given === "string"
      ? ". For an address give new URL(…), for a file on disk await openFile(…)"
      : `, expected ${anyOf(KINDS.map(({ name }) => name))}`;
  // The compiler refuses a member of `Uploadable` that no kind opens.
  throw new InputError("invalid-source", `Cannot upload ${describeValue(given satisfies Opened)}${advice}`);
}

/** A kind of source, by its name in an error. */
interface Kind<Given> {
  readonly name: string;
  /** Makes a source of a value of this kind; undefined for any other. */
  openIf(value: unknown, options: SourceOptions, reading: SourceReading): Opening | undefined;
  /** For the compiler alone: the values of this kind. */
  readonly given?: Given;
}

type Opening = ReadableSource | Promise<ReadableSource>;

function kind<Given>(
  name: string,
  is: (value: unknown) => value is Given,
  open: (given: Given, options: SourceOptions, reading: SourceReading) => Opening,
): Kind<Given> {
  return { name, openIf: (value, ...how) => (is(value) ? open(value, ...how) : undefined) };
}

/**
 * The kinds of sources, in the order in which they are told apart. `npm run tables` writes the comment of each to
 * `docs/scripts.md`.
 */
const KINDS = [
  /** a `Blob` or `File`, also `Bun.file()` */
  kind("a Blob or File", (value) => value instanceof Blob, blobSource),
  /** bytes: an `ArrayBuffer` or any view of one, which must not change meanwhile */
  kind("bytes", isBytes, bytesSource),
  /** `new URL("https://…/video.mp4")` */
  kind(
    "a URL",
    (value) => value instanceof URL,
    (url, ...how) => open(openUrl(url), ...how),
  ),
  /** `openUrl(url, { headers })`: an address whose server wants more than the address */
  kind("an opened URL", isUrlSource, (source, { type }, reading) =>
    source.openWith({ ...reading, anyType: type === ANY_TYPE }),
  ),
  /** a file, an object or a video in pieces that was opened as below */
  kind("an opened file", isSource, (source) => source),
  /** `await fetch(…)`: a successful `Response`, read once */
  kind("a Response", isResponse, (response, { size, type }, reading) =>
    responseSource(response, { size, anyType: type === ANY_TYPE }, reading),
  ),
  /** what `get()` of an R2 bucket gave, read once */
  kind("an R2 object", isR2Object, (object, _, reading) => r2ObjectSource(object, reading)),
  /** a web `ReadableStream`, a `Readable` of Node, or any other async iterable of bytes */
  kind("a stream or async iterable of bytes", isStream, (stream, { size }, reading) =>
    streamSource(stream, { size }, reading),
  ),
];
type Opened = Source | NonNullable<(typeof KINDS)[number]["given"]>;

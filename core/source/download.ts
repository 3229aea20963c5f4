/**
 * Requests to the address of a video: redirects, what an answer means, and a watch over downloads that stall.
 *
 * @module
 */

import { connectionReason } from "../connection-reason.ts";
import { UploadError } from "../errors.ts";
import { originOf, redact } from "../redaction.ts";
import type { Fetch } from "../request.ts";

/** How a video at an address is fetched. */
export interface UrlFetch {
  fetch: Fetch;
  /** Sent to the origin of that address alone. */
  headers?: Record<string, string> | undefined;
  /** For browsers: whether cookies go along. */
  credentials?: "omit" | "same-origin" | "include" | undefined;
  signal?: AbortSignal | undefined;
}

/** The same, ended by another signal as well. */
export function endedBy(signal: AbortSignal, how: UrlFetch): UrlFetch & { signal: AbortSignal } {
  return { ...how, signal: how.signal ? AbortSignal.any([how.signal, signal]) : signal };
}

/** What the server of an address says of the video there. */
export interface UrlFacts {
  name: string | undefined;
  type: string | undefined;
  size: number | undefined;
  /** Strong ETag or Last-Modified, to notice that the content changed. */
  version: string | undefined;
}

/** A cut download is opened anew this often without progress. */
const REOPENINGS = 5;
/** Milliseconds without a byte until a download counts as cut. */
const STALL = 30_000;
/** Bytes of a piece where a runtime lets them be chosen. */
const LARGE = 256 * 1024;
/** As many as browsers follow. */
const REDIRECTS = 20;

/**
 * Asks for the video, or a range of it.
 *
 * @throws {UploadError} `source-refused` or `source-unreadable`.
 */
export async function get(url: URL, how: UrlFetch, headers: Record<string, string> = {}): Promise<Response> {
  const response = await follow(url, how, headers);
  if (response.ok || response.status === 416) return response;
  await response.body?.cancel().catch(() => {});
  const { status } = response;
  const origin = originOf(response.url || url);
  const refused = REFUSALS[status];
  throw new UploadError(
    refused === undefined ? "source-unreadable" : "source-refused",
    redact(`Cannot read the video: ${origin} answered ${status}${refused ?? ""}`),
    { status, retryable: status === 408 || status === 429 || status >= 500 },
  );
}

const SIGN_IN = ". The address may have expired or need a sign-in: open it again and take the new address";
const GONE = ". Nothing is there any more: open it again and take the new address";
const REFUSALS: Record<number, string> = { 401: SIGN_IN, 403: SIGN_IN, 404: GONE, 410: GONE };

/** Headers of the caller's are for one origin, while a runtime would carry all but Authorization across a redirect. */
async function follow(url: URL, how: UrlFetch, headers: Record<string, string>): Promise<Response> {
  let at = url;
  let own = how.headers ?? {};
  for (let hops = 0; hops <= REDIRECTS; hops++) {
    const watched = Object.keys(own).length > 0;
    const response = await request(at, how, { ...own, ...headers }, watched ? "manual" : "follow");
    const location = response.headers.get("location");
    if (response.type === "opaqueredirect")
      throw unreadable(at, "redirects, which this page can't follow with headers");
    if (!watched || location === null || response.status < 300 || response.status > 399) return response;
    await response.body?.cancel().catch(() => {});
    if (!URL.canParse(location, at.href)) throw unreadable(at, "redirects to no address");
    const next = new URL(location, at);
    if (!/^https?:$/.test(next.protocol)) throw unreadable(at, "redirects to no address");
    if (next.origin !== at.origin) own = {};
    at = next;
  }
  throw unreadable(url, "redirects without end");
}

async function request(
  url: URL,
  { fetch, credentials, signal }: UrlFetch,
  headers: Record<string, string>,
  redirect: "manual" | "follow",
): Promise<Response> {
  try {
    return await fetch(url, {
      headers,
      redirect,
      // What a browser has kept may be older than the video. Some edge runtimes refuse either option itself.
      ...("cache" in Request.prototype && { cache: "no-store" }),
      ...(credentials !== undefined && { credentials }),
      ...(signal !== undefined && { signal }),
    });
  } catch (error) {
    signal?.throwIfAborted();
    const { words } = connectionReason(error);
    throw unreadable(url, `could not be reached${words}`, true);
  }
}

function unreadable(url: URL, what: string, retryable = false): UploadError {
  return new UploadError("source-unreadable", `Cannot read the video: ${originOf(url)} ${what}`, {
    retryable,
  });
}

/** The error for content that is not the one it was. */
export function changed(url: URL): UploadError {
  return new UploadError(
    "source-changed",
    `Cannot read the video: what ${url.origin} holds at that address has changed. Start again`,
  );
}

/**
 * The pieces of a download, which counts as cut when no byte comes for a while.
 *
 * @param copied whether a piece may be overwritten by the next
 */
export async function* download(
  how: UrlFetch,
  open: (how: UrlFetch) => Promise<ReadableStream<Uint8Array>>,
  copied = false,
): AsyncGenerator<Uint8Array, undefined> {
  const stall = new AbortController();
  const watchedHow = endedBy(stall.signal, how);
  const { signal } = watchedHow;
  let alarm: ReturnType<typeof setTimeout> | undefined;
  // The reader may take its time; only the download is watched.
  const watched = async <T>(work: Promise<T>): Promise<T> => {
    alarm = setTimeout(() => stall.abort(), STALL);
    try {
      return await work;
    } finally {
      clearTimeout(alarm);
    }
  };
  const reader = readerOf(await watched(open(watchedHow)), copied);
  // The answer may be one that was asked for before, without this signal.
  const stop = () => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", stop, { once: true });
  try {
    for (;;) {
      const { value, done } = await watched(reader.read());
      signal.throwIfAborted();
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener("abort", stop);
    await reader.cancel().catch(() => {});
  }
}

type Reader = Pick<ReadableStreamDefaultReader<Uint8Array>, "read" | "cancel">;
interface LargeReader {
  cancel(): Promise<void>;
  readAtLeast(bytes: number, into: Uint8Array): Promise<ReadableStreamReadResult<Uint8Array>>;
}

/** Edge runtimes give pieces of 4 KiB, whose garbage grows with the video, unless they are asked for more at a time. */
function readerOf(body: ReadableStream<Uint8Array>, copied: boolean): Reader {
  const { ReadableStreamBYOBReader } = globalThis;
  if (ReadableStreamBYOBReader === undefined || !("readAtLeast" in ReadableStreamBYOBReader.prototype))
    return copied ? overwritingReader(body) : body.getReader();
  const reader = body.getReader({ mode: "byob" }) as unknown as LargeReader;
  return {
    cancel: () => reader.cancel(),
    async read() {
      const { value, done } = await reader.readAtLeast(LARGE, new Uint8Array(LARGE));
      return done || value.length === 0 ? { value: undefined, done: true } : { value, done: false };
    },
  };
}

/** Pieces that come in one memory, where a runtime can do so, leave no garbage. */
function overwritingReader(body: ReadableStream<Uint8Array>): Reader {
  let reader: ReadableStreamBYOBReader;
  try {
    reader = body.getReader({ mode: "byob" });
  } catch {
    return body.getReader();
  }
  let memory = new ArrayBuffer(LARGE);
  return {
    cancel: () => reader.cancel(),
    async read() {
      const { value, done } = await reader.read(new Uint8Array(memory));
      if (done) return { value: undefined, done };
      memory = value.buffer;
      return { value, done };
    },
  };
}

/** The error for a download that ends before the video does. */
export function brokenOff(url: URL, at: number): UploadError {
  return new UploadError(
    "source-unreadable",
    `Cannot read the video: the download from ${url.origin} breaks off at byte ${at}`,
    { retryable: true },
  );
}

/** Counts how often in a row a download broke without progress, and waits before it is opened anew. */
export class Patience {
  #failures = 0;

  moved(): void {
    this.#failures = 0;
  }

  /**
   * @param at the byte it breaks off at
   * @throws what can't get better by trying again, and `source-unreadable` when it was tried often enough
   */
  async after(error: unknown, url: URL, at: number, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (error instanceof UploadError && !error.retryable) throw error;
    if (++this.#failures > REOPENINGS) throw brokenOff(url, at);
    await new Promise((resolve) => setTimeout(resolve, 200 * 2 ** this.#failures * Math.random()));
  }
}

/** What tells one version of a content from another; If-Range takes strong validators only. */
export function versionOf(headers: Headers): string | undefined {
  const etag = headers.get("etag");
  if (etag !== null && !etag.startsWith("W/")) return etag;
  return headers.get("last-modified") ?? undefined;
}

/** The length a whole answer announces; that of a compressed one isn't that of the bytes it unpacks to. */
export function lengthOf(headers: Headers): number | undefined {
  const length = headers.get("content-length");
  const encoded = (headers.get("content-encoding") ?? "identity") !== "identity";
  return encoded || length === null ? undefined : Number(length);
}

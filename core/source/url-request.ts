/**
 * Requests to the address of a video: redirects, and what an answer means.
 *
 * @module
 */

import { UploadError } from "../errors.ts";
import type { Fetch } from "../http/fetch.ts";
import { readNetworkError } from "../http/network-error.ts";
import { isRedirect } from "../http/status.ts";
import { originOf, redact } from "../redaction.ts";
import { hasRequestCache } from "../runtime.ts";

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

/** As many as browsers follow. */
const MOST_REDIRECTS = 20;

/**
 * Asks for the video, or a range of it.
 *
 * @throws {UploadError} `source-refused` or `source-unreadable`.
 */
export async function requestUrl(
  url: URL,
  how: UrlFetch,
  headers: Record<string, string> = {},
): Promise<Response> {
  const response = await follow(url, how, headers);
  if (response.ok || response.status === 416) return response;
  await response.body?.cancel().catch(() => {});
  const { status } = response;
  const origin = originOf(response.url || url);
  const refused = REFUSALS[status];
  throw new UploadError(
    refused === undefined ? "source-unreadable" : "source-refused",
    redact(`Cannot read the video: ${origin} answered ${status}${refused ?? ""}`),
    { httpStatus: status, retryable: status === 408 || status === 429 || status >= 500 },
  );
}

const SIGN_IN = ". The address may have expired or need a sign-in: open it again and take the new address";
const GONE = ". Nothing is there any more: open it again and take the new address";
const REFUSALS: Record<number, string> = { 401: SIGN_IN, 403: SIGN_IN, 404: GONE, 410: GONE };

/** Headers of the caller's are for one origin, while a runtime would carry all but Authorization across a redirect. */
async function follow(url: URL, how: UrlFetch, headers: Record<string, string>): Promise<Response> {
  let at = url;
  let own = how.headers ?? {};
  for (let hops = 0; hops <= MOST_REDIRECTS; hops++) {
    const watched = Object.keys(own).length > 0;
    const response = await request(at, how, { ...own, ...headers }, watched ? "manual" : "follow");
    const location = response.headers.get("location");
    if (response.type === "opaqueredirect")
      throw unreadable(at, "redirects, which this page can't follow with headers");
    if (!watched || location === null || !isRedirect(response)) return response;
    await response.body?.cancel().catch(() => {});
    if (!URL.canParse(location, at.href)) throw unreadable(at, "redirects to an invalid address");
    const next = new URL(location, at);
    if (!/^https?:$/.test(next.protocol)) throw unreadable(at, "redirects to an invalid address");
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
      ...(hasRequestCache() && { cache: "no-store" }),
      ...(credentials !== undefined && { credentials }),
      ...(signal !== undefined && { signal }),
    });
  } catch (error) {
    signal?.throwIfAborted();
    const { words } = readNetworkError(error);
    throw unreadable(url, `could not be reached${words}`, true);
  }
}

function unreadable(url: URL, what: string, retryable = false): UploadError {
  return new UploadError("source-unreadable", `Cannot read the video: ${originOf(url)} ${what}`, {
    retryable,
  });
}

/** The error for content that has changed. */
export function changed(url: URL): UploadError {
  return new UploadError(
    "source-changed",
    `Cannot read the video: what ${url.origin} holds at that address has changed. Start again`,
  );
}

/** Identifies the version of a content; If-Range takes strong validators only. */
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

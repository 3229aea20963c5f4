/** Requests to the address of a video: redirects, and what an answer means. */

import { InputError, UploadError } from "../errors/errors.ts";
import type { Hosts } from "../hosts/host.ts";
import type { Fetch } from "../http/fetch.ts";
import { readNetworkError, whyUnreachable } from "../http/network-error.ts";
import { observed, type RequestHooks } from "../http/observe.ts";
import { isRedirect, readDate, readRetryAfter } from "../http/status.ts";
import { originOf, redact } from "../redaction/redaction.ts";
import { hasRequestCache, showsRedirects } from "../runtime.ts";
import { abandon, untilAborted } from "../time/abort.ts";
import { isText, kindOfType, otherKindError } from "./answer-kind.ts";
import type { Version } from "./version.ts";

export interface UrlFetch {
  fetch: Fetch;
  headers?: Record<string, string> | undefined;
  /** For browsers: whether cookies go along. */
  credentials?: "omit" | "same-origin" | "include" | undefined;
  signal?: AbortSignal | undefined;
  /** Milliseconds without an answer, or without a byte of it, until a request counts as broken. @default 30000 */
  stall?: number | undefined;
  /** True if a text is taken for a video too. */
  anyType?: boolean | undefined;
  /** Tells whether an address leads from the internet into the network of this machine: no redirect may. */
  leadsInside?: ((from: URL, to: URL) => boolean) | undefined;
  hooks?: RequestHooks | undefined;
  hosts?: Hosts | undefined;
}

export const STALL_TIMEOUT = 30_000;

export interface UrlFacts {
  name: string | undefined;
  type: string | undefined;
  size: number | undefined;
  /** To notice that the content changed. */
  version: Version;
}

/** As many as browsers follow. */
const MOST_REDIRECTS = 20;

/** Asks for the video, or a range of it. A text in its place is refused whenever it comes: a sign-in may end meanwhile. */
export async function requestUrl(
  url: URL,
  how: UrlFetch,
  headers: Record<string, string> = {},
): Promise<Response> {
  const response = await answerOf(url, how, headers);
  const origin = originOf(response.url || url);
  const other = how.anyType ? undefined : kindOfType(response.headers.get("content-type"));
  if (response.status === 416 || (response.ok && !isText(other))) return response;
  if (response.ok && other !== undefined) refuseAnswer(response, otherKindError(other, origin));
  return refuseAnswer(response, refusedStatus(origin, response));
}

export function refusedStatus(origin: string, { status, headers }: Response): UploadError {
  const refused = REFUSALS[status];
  const code = refused === undefined ? "source-unreadable" : "source-refused";
  const message = redact(`Cannot read the video: ${origin} answered ${status}${refused ?? ""}`);
  return new UploadError(code, message, {
    httpStatus: status,
    retryable: status === 408 || status === 429 || status >= 500,
    retryAfter: readRetryAfter(headers.get("retry-after"), readDate(headers.get("date"))),
  });
}

/** Waits for an answer, redirects included, no longer than it may take. */
async function answerOf(url: URL, how: UrlFetch, headers: Record<string, string>): Promise<Response> {
  const stopper = new AbortController();
  const { stall = STALL_TIMEOUT } = how;
  const signal = how.signal ? AbortSignal.any([how.signal, stopper.signal]) : stopper.signal;
  const answer = follow(url, { ...how, signal }, headers);
  const late = () => unreadable(url, `gave no answer within ${stall / 1000} s`, true);
  try {
    return await untilAborted(answer, how.signal, { milliseconds: stall, late });
  } catch (error) {
    stopper.abort();
    // A fetch that ignores its signal may still get an answer.
    answer.then(dropBody, () => {});
    throw error;
  }
}

export function dropBody({ body }: Response): void {
  if (body !== null) abandon(() => body.cancel());
}

export function refuseAnswer(answer: Response, error: UploadError | InputError): never {
  dropBody(answer);
  throw error;
}

const SIGN_IN = ". The address may have expired or need a sign-in: open it again and take the new address";
const ABSENT = ". Nothing is there. Check the address, or open it again and take the new address";
const GONE = ". Nothing is there any more: open it again and take the new address";
const REFUSALS: Record<number, string> = { 401: SIGN_IN, 403: SIGN_IN, 404: ABSENT, 410: GONE };

/**
 * Headers of the caller's are for one origin, while a runtime would carry all but Authorization across a redirect. Where
 * it shows redirects, none into the network of this machine is followed; elsewhere the last address alone is known.
 */
async function follow(url: URL, how: UrlFetch, headers: Record<string, string>): Promise<Response> {
  let at = url;
  let own = how.headers ?? {};
  for (let hops = 0; hops <= MOST_REDIRECTS; hops++) {
    const watched = Object.keys(own).length > 0 || (how.leadsInside !== undefined && showsRedirects());
    const response = await request(at, how, { ...own, ...headers }, watched ? "manual" : "follow");
    const location = response.headers.get("location");
    if (response.type === "opaqueredirect")
      throw unreadable(at, "redirects, which this page can't follow with headers");
    if (!watched || location === null || !isRedirect(response)) return response;
    dropBody(response);
    if (!URL.canParse(location, at.href)) throw unreadable(at, "redirects to an invalid address");
    const next = new URL(location, at);
    if (!/^https?:$/.test(next.protocol)) throw unreadable(at, "redirects to an invalid address");
    if (how.leadsInside?.(at, next)) throw unreadable(at, INSIDE);
    if (next.origin !== at.origin) own = {};
    at = next;
  }
  throw unreadable(url, "redirects without end");
}

async function request(
  url: URL,
  { fetch, credentials, signal, hosts, hooks = {} }: UrlFetch,
  headers: Record<string, string>,
  redirect: "manual" | "follow",
): Promise<Response> {
  try {
    const send = () =>
      fetch(url, {
        headers,
        redirect,
        // A browser's cache may be older than the video. Some edge runtimes refuse either option itself.
        ...(hasRequestCache() && { cache: "no-store" }),
        ...(credentials !== undefined && { credentials }),
        ...(signal !== undefined && { signal }),
      });
    const report = { kind: "read", method: "GET", origin: url.origin, bytes: 0 } as const;
    return await observed(hooks, report, send, { hosts });
  } catch (error) {
    signal?.throwIfAborted();
    const failure = readNetworkError(error);
    const hint = failure.cause === undefined ? "" : `. ${failure.cause.step}`;
    throw unreadable(url, `${whyUnreachable(failure)}${hint}`, !failure.forbidden, error);
  }
}

/** The words for a host that leads into the network of this machine. */
export const INSIDE = "redirects into the network of this machine";

/** @throws {InputError} where nothing can be read from an address; `purpose` completes "Cannot …" */
export function checkAddress({ protocol, username, password }: URL, purpose: string, opener: string): void {
  const bad = (state: string) => new InputError("invalid-source", `Cannot ${purpose}: its address ${state}`);
  if (!/^https?:$/.test(protocol)) throw bad(`begins with "${protocol}", expected https: or http:`);
  if (username !== "" || password !== "")
    throw bad(`holds a user name and password, which can't be sent. Give them as headers to ${opener}()`);
}

export function unreadable(url: URL, what: string, retryable = false, cause?: unknown): UploadError {
  const message = `Cannot read the video: ${originOf(url)} ${what}`;
  return new UploadError("source-unreadable", message, { retryable, cause });
}

export function changed({ origin }: Pick<URL, "origin">): UploadError {
  const state = `what ${origin} holds at that address has changed`;
  return new UploadError("source-changed", `Cannot read the video: ${state}. Start again`);
}

/** True if the bytes of an answer are unpacked before they are read: ranges then count other bytes than those. */
export function isPacked(headers: Headers): boolean {
  const packing = headers.get("content-encoding")?.trim().toLowerCase() ?? "";
  return packing !== "" && packing !== "identity";
}

/** The length a whole answer announces; that of a compressed one isn't that of the bytes it unpacks to. */
export function lengthOf(headers: Headers): number | undefined {
  const length = headers.get("content-length");
  return isPacked(headers) || length === null || !/^\d{1,15}$/.test(length) ? undefined : Number(length);
}

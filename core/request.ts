/**
 * One call to the base address: the ofetch instance, the only place that translates its errors and the service's.
 *
 * @module
 */

import { createFetch } from "ofetch";
import { type ConnectionReason, connectionReason } from "./connection-reason.ts";
import { ConnectionError, type ErrorCode, ServiceError } from "./errors.ts";
import { type OriginRefusal, readOriginRefusal } from "./origin-refusal.ts";
import { originOf, redact } from "./redaction.ts";
import { readSentences } from "./sentences.ts";

/** The one function this module needs of a runtime's `fetch`. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** The runtime's own fetch, looked up when it is called. */
export const runtimeFetch: Fetch = (input, init) => globalThis.fetch(input, init);

/**
 * The options of a request that is to be sent once. Deno repeats by itself what broke off before its answer, unless
 * its body is a Blob, be it empty; Bun repeats a DELETE on a connection it had kept.
 */
export function sentOnce(text?: string): Pick<RequestInit, "body" | "keepalive"> {
  if ("Deno" in globalThis) return { body: new Blob(text === undefined ? [] : [text]) };
  return { ...(text !== undefined && { body: text }), ...("Bun" in globalThis && { keepalive: false }) };
}

interface SentBody {
  init: RequestInit;
  /** Whether the runtime has asked for the body, where it tells: it does so when it sends the request. */
  wasAskedFor?: () => boolean;
}

/** Bun gives a connection that breaks after the request the same error as one that never came about. */
function trackedBody(text: string = ""): SentBody {
  let asked = false;
  const bytes = new TextEncoder().encode(text);
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        asked = true;
        if (bytes.length > 0) controller.enqueue(bytes);
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  return {
    init: { ...sentOnce(), body, headers: { "content-length": String(bytes.length) } },
    wasAskedFor: () => asked,
  };
}

/** A call that makes or ends something, so that a lost answer leaves its outcome open. */
export interface AccountCall {
  method: "POST" | "DELETE";
  address: string;
  token: string;
  body?: Record<string, unknown>;
  signal?: AbortSignal | undefined;
  /** Milliseconds until the answer counts as lost. */
  timeout: number;
  /** Completes "Cannot …" in messages. */
  purpose: string;
  /** Name of the `paths` entry in use, for the hint at a wrong address. */
  path: string;
  /** What is unknown when no answer comes. */
  lost: { code: ErrorCode; state: string };
  /** What helps after a server error; the seconds are those the service asked to wait. */
  failedHint(retryAfter: number | undefined): string;
}

/** What came back: status, and the body as text. */
export interface AccountAnswer {
  status: number;
  text: string;
}

/**
 * Sends one call, never follows a redirect and never repeats.
 *
 * @throws {ServiceError} for a redirect and for every status from 300 on.
 * @throws {ConnectionError} `not-reached` or the call's `lost.code`.
 */
export async function callAccount(call: AccountCall, fetch: Fetch): Promise<AccountAnswer> {
  const { signal } = call;
  signal?.throwIfAborted();
  // Some runtimes refuse a fraction.
  const expired = AbortSignal.timeout(Math.ceil(call.timeout));
  // Written here, since ofetch takes a record with a field such as "buffer" for something else than JSON.
  const text = call.body && JSON.stringify(call.body);
  const tracked = "Bun" in globalThis && fetch === runtimeFetch;
  const { init, wasAskedFor }: SentBody = tracked ? trackedBody(text) : { init: sentOnce(text) };
  let response: Response & { _data?: unknown };
  try {
    response = await createFetch({ fetch: fetch as typeof globalThis.fetch }).raw(call.address, {
      ...init,
      method: call.method,
      headers: {
        ...(init.headers as Record<string, string>),
        authorization: `Bearer ${call.token}`,
        accept: "application/json",
        ...(call.body && { "content-type": "application/json" }),
      },
      signal: signal ? AbortSignal.any([signal, expired]) : expired,
      // "error" is refused by some edge runtimes and hides where the redirect points to.
      redirect: "manual",
      retry: false,
      responseType: "text",
      ignoreResponseError: true,
    });
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw lostAnswer(call, connectionReason(error, wasAskedFor?.()), expired.aborted);
  }
  const answer = typeof response._data === "string" ? response._data : "";
  if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400)) {
    throw redirected(call, response);
  }
  if (response.status >= 400) throw refusal(call, response, answer);
  return { status: response.status, text: answer };
}

/** The error for an answer that claims success and isn't one. */
export function unexpectedAnswer(call: AccountCall, answer: AccountAnswer, state: string): ServiceError {
  return new ServiceError("unexpected-answer", tell(call, state), { status: answer.status });
}

function lostAnswer(call: AccountCall, reason: ConnectionReason, expired: boolean): ConnectionError {
  const other = call.address.startsWith("https:") ? reason.noTls : reason.noHttp;
  const hint = !expired && other ? `. ${SCHEME_HINT}` : "";
  if (!expired && (reason.neverLeft || globalThis.navigator?.onLine === false)) {
    const state = `${originOf(call.address)} could not be reached${reason.words}. Nothing was sent${hint}`;
    return new ConnectionError("not-reached", tell(call, state), { retryable: true });
  }
  const state = expired
    ? `no answer within ${call.timeout / 1000} s`
    : `the connection failed${reason.words}${orOriginRefused(call, reason)}`;
  return new ConnectionError(call.lost.code, tell(call, `${state}. ${call.lost.state}${hint}`), {
    retryable: true,
  });
}

/** A browser hides an answer without CORS headers, as services give where they refuse an origin. */
function orOriginRefused(call: AccountCall, reason: ConnectionReason): string {
  const { location } = globalThis as { location?: { origin?: unknown } };
  const origin = location?.origin;
  // Deno may be given a location, and where a runtime has a code for the failure, no page hides an answer.
  if (typeof origin !== "string" || !/^https?:/.test(origin) || "Deno" in globalThis) return "";
  if (reason.words !== "") return "";
  if (origin === originOf(call.address)) return "";
  return `, or the service refuses this key from web pages of ${origin} (a browser doesn't tell which)`;
}

function redirected(call: AccountCall, response: Response): ServiceError {
  const { status } = response;
  return new ServiceError("redirected", tell(call, whereTo(call, status, response.headers.get("location"))), {
    status: status === 0 ? undefined : status,
  });
}

function whereTo(call: AccountCall, status: number, location: string | null): string {
  const own = originOf(call.address);
  // A browser hides status and location.
  if (location === null && status !== 0)
    return `the service answered ${status} without saying where to. Check baseUrl`;
  let target = "another address";
  try {
    if (location !== null) target = new URL(location, call.address).origin;
  } catch {
    // A location that is no address has no origin to name.
  }
  if (target === own) {
    return `the service redirects to another path of ${own}, which is not followed. Check baseUrl and paths.${call.path}`;
  }
  return `the service redirects to ${target}, and the token is sent to ${own} alone. Check baseUrl`;
}

const SCHEME_HINT = "Check whether the address begins with http: or https:";
/** What servers say to a request in plain text where they expect a secure connection. */
const EXPECTS_TLS =
  /\bhttp (?:request )?(?:was )?(?:sent )?to an? ?(?:https|ssl|tls)\b|\bhttp request was sent to https\b|\brequires? (?:https|ssl|tls)\b|\b(?:https|ssl|tls) (?:is )?required\b/i;

function refusal(call: AccountCall, response: Response, text: string): ServiceError {
  const { status } = response;
  const { sentences, own } = readSentences(text, response.headers.get("content-type") ?? "", [call.token]);
  const said = sentences.length > 0 ? `: ${sentences.join("; ")}` : "";
  const retryAfter = readRetryAfter(response.headers.get("retry-after"));
  const plain = !own && call.address.startsWith("http:") && EXPECTS_TLS.test(text.slice(0, 4000));
  const [code, hint] = plain
    ? (["wrong-address", SCHEME_HINT] as const)
    : classify(status, own, sentences, call, retryAfter);
  const state = `the service answered ${status}${said}${hint === "" ? "" : `. ${hint}`}`;
  return new ServiceError(code, tell(call, state), {
    status,
    retryable: code === "too-soon" || code === "service-failed",
    retryAfter,
    sentences: own ? sentences : undefined,
  });
}

/** The sentences are the service's; the status only chooses the hint. */
function classify(
  status: number,
  own: boolean,
  sentences: string[],
  call: AccountCall,
  retryAfter: number | undefined,
): [ErrorCode, string] {
  const { path } = call;
  if (status === 401) return ["unauthorized", "Check the account token"];
  const refused = status === 403 ? readOriginRefusal(sentences) : undefined;
  if (refused !== undefined) return ["origin-refused", originHint(refused, path)];
  if (status === 403) return ["forbidden", "Check what the account and its token may do"];
  if (status === 404 && !own) {
    return ["wrong-address", `Check baseUrl and paths.${path}: services may mount a call under a prefix`];
  }
  if (status === 404) {
    const what = path === "terminate" ? "the stream's id, and that the token is of its account" : "baseUrl";
    return ["not-found", `Check ${what}`];
  }
  if (status === 429) {
    return ["too-soon", `Wait${retryAfter === undefined ? "" : ` ${retryAfter} s`}, then try again`];
  }
  if (status >= 500) return ["service-failed", call.failedHint(retryAfter)];
  return ["rejected", ""];
}

function originHint(refused: OriginRefusal, path: string): string {
  const otherwise = path === "requestUpload" ? ", or hand out upload locations through one" : "";
  const server = `make the call from a server${otherwise}`;
  const key = "use a key without that restriction";
  if (refused === "web-pages") return `It takes this token from no web page: ${server}`;
  if (refused === "restricted-key") return `This key works only from the web origins that it allows: ${key}`;
  return `It takes this key either from no web page, then ${server}; or only from the web origins that it allows, then ${key}`;
}

function tell(call: AccountCall, state: string): string {
  return redact(`Cannot ${call.purpose}: ${state}`, [call.token]);
}

/**
 * Reads a Retry-After header, seconds or a date, as seconds from now.
 */
export function readRetryAfter(
  value: string | null | undefined,
  now: number = Date.now(),
): number | undefined {
  if (value === null || value === undefined) return undefined;
  if (/^\s*\d+\s*$/.test(value)) return Number(value);
  // Engines make dates of "-5" and "1.5" too; a date of HTTP has a time of day.
  const date = /\d:\d\d/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000));
}

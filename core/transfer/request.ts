/**
 * One request to the upload host, whatever it is for and however it is sent: with the headers of its host, under the
 * upload's lease, paced, counted, reported, and watched by a stall timer while the body is handed over and by an answer
 * timer after its last byte.
 */

import { authenticate, canonical } from "../content/digest.ts";
import type { Hosts } from "../hosts/host.ts";
import { observed, type RequestHooks, type RequestReport } from "../http/observe.ts";
import { headersFor, type OwnHeaders, secretsIn, withoutScheme } from "../http/own-headers.ts";
import { isHttpStatus, isSuccess } from "../http/status.ts";
import type { UploadRecord } from "../journal/journal.ts";
import type { LeaseWatch } from "../journal/lease-watch.ts";
import type { Progress, ProgressMeter } from "../progress/progress.ts";
import { originOf, redact } from "../redaction/redaction.ts";
import type { GuardedRequester } from "../service/requester.ts";
import type { Slice } from "../source/source.ts";
import { joinSignals, untilAborted } from "../time/abort.ts";
import { startAwakeTimer, startTimer } from "../time/clock.ts";
import { Interruption, interruptedBy, refusalOf } from "./interruption.ts";
import {
  type BandwidthLimit,
  HELD_BACK,
  RequestBody,
  type TransferAnswer,
  type Transport,
} from "./transport.ts";

/** Milliseconds to wait for progress or an answer; `UploadOptions` tells of each. */
export const DEFAULT_TIMEOUTS = { stall: 30_000, answer: 60_000, settle: 1_000, verify: 3_600_000 };

/** Limits of the attempts after interruptions, and of the waits between them; `UploadOptions` tells of those it has. */
export const DEFAULT_RETRY = {
  attempts: 18,
  minDelay: 200,
  maxDelay: 30_000,
  /** Most milliseconds between two tries while the host can't be reached. */
  outageDelay: 3_000,
  /** A service that asks for a longer wait ends the upload. */
  maxRetryAfter: 300_000,
};

export type RetryLimits = typeof DEFAULT_RETRY;

export interface RetrySettings extends RetryLimits {
  shouldRetry?: RetryDecision | undefined;
}

/** A failure at the upload host, before it is known whether it is tried again; `UploadOptions` tells of it. */
export interface RetryReport {
  readonly reason: NonNullable<Progress["waiting"]>["reason"] | "refused";
  readonly httpStatus: number | undefined;
  readonly retryAfter: number | undefined;
  readonly attempt: number;
}

/** Decides whether a failure is tried again, and after how many milliseconds; `undefined` leaves it as it is. */
export type RetryDecision = (failure: RetryReport) => RetryAnswer | Promise<RetryAnswer>;

export type RetryAnswer = boolean | number | undefined;

export interface TransferSettings {
  method: "auto" | "resumable" | "direct";
  retry: RetrySettings;
  timeout: typeof DEFAULT_TIMEOUTS;
  chunkSize?: number | undefined;
  bandwidth: BandwidthLimit | undefined;
  hooks: RequestHooks;
  /** The caller's own, for the upload host. */
  headers?: OwnHeaders | undefined;
}

/** All that the requests of an upload have in common. */
export interface RequestContext extends Pick<LeaseWatch, "confirm" | "confirmAfterPause"> {
  readonly requester: GuardedRequester;
  readonly transport: Transport;
  readonly settings: Pick<TransferSettings, "timeout" | "hooks"> & Partial<TransferSettings>;
  readonly signal: AbortSignal;
  /** The habits of the hosts that were met. */
  readonly hosts: Hosts;
  /** Gives an origin as messages may name it, whose service may have put into it what it was sent. */
  showOrigin(origin: string, secrets: string[]): string;
  /** Counts the bytes of bodies. */
  readonly meter?: ProgressMeter;
  /** The journal's record of this upload. */
  record(): UploadRecord;
}

/** A request, without what all requests of an upload have in common. */
export interface HostRequest {
  method: "POST" | "HEAD" | "PATCH" | "PUT" | "DELETE";
  url: string;
  headers?: Record<string, string>;
  body?: Slice;
  /** Where in the source the body begins. @default 0 */
  start?: number;
  /** Awaited before the last byte of the body leaves, by transports that can hold it back. */
  beforeLastByte?(): Promise<void>;
}

/** An answer, and what it means for the upload if it is no success. */
export interface Answer extends TransferAnswer {
  refusal: Interruption | undefined;
  /** Milliseconds that the host took after the last byte; `undefined` where the process stood still meanwhile. */
  slowness: number | undefined;
}

const KINDS: Record<HostRequest["method"], RequestReport["kind"]> = {
  POST: "create",
  HEAD: "offset",
  PATCH: "content",
  PUT: "content",
  DELETE: "end",
};

/** A body without reports of progress may take as long as it needs at this many bytes per millisecond. */
const SLOWEST_RATE = 32;

/**
 * Sends one request.
 *
 * @param onHandedOver called with the bytes of the body that were handed over so far
 * @throws {Interruption} where no answer comes that can be read; what the signal or the source rejects with
 */
export async function sendRequest(
  context: RequestContext,
  call: HostRequest,
  onHandedOver: (bytes: number) => void = () => {},
): Promise<Answer> {
  const { requester, settings, signal, hosts, meter } = context;
  const { method, url, body } = call;
  const transport = transportOf(context, call);
  // A body that the transport holds leaves at once, so its turn comes before.
  if (!transport.streams && body !== undefined) await settings.bandwidth?.take(body.size, signal);
  const count = body && meter?.body(call.start ?? 0);
  if (body !== undefined) meter?.enter("sending");
  let sent = 0;
  const noteHandedOver = (bytes: number) => {
    sent = bytes;
    count?.(bytes);
    onHandedOver(bytes);
  };
  const request = { kind: KINDS[method], method, origin: originOf(url), bytes: body?.size ?? 0 };
  const own = await uploadHeadersFor(context, request, url);
  const shownOrigin = () => context.showOrigin(request.origin, [...requester.secrets(), ...own.secrets]);
  const isAuthorizedByOthers = (await requester.authorizesUploads?.()) === true;
  await context.confirm();
  const headers = { ...own.headers, ...call.headers };
  try {
    const answer = await observed(
      settings.hooks,
      request,
      () => sendInTime({ ...context, transport }, { ...call, headers }, noteHandedOver),
      { sent: () => sent, shownOrigin, hosts },
    );
    if (isSuccess(answer)) return { ...answer, refusal: undefined };
    // Nobody here knows what others sent, and an answer may echo it.
    const secrets = isAuthorizedByOthers ? undefined : [...requester.secrets(), ...own.secrets];
    const bytes = body?.size ?? Number(headers["Upload-Length"] ?? 0);
    const { isUnproven } = own;
    const refused = { record: context.record(), secrets, isUnproven, host: shownOrigin(), bytes };
    const at = method === "POST" || method === "PUT" ? "location" : "upload";
    return { ...answer, refusal: refusalOf(refused, answer, at) };
  } catch (error) {
    if (error instanceof Interruption && sent === 0 && !hosts.at(url).hasAnswered)
      error.neverAnswered = shownOrigin();
    throw error;
  } finally {
    // An answer that waited while the process was suspended may be about what another one did since.
    await context.confirmAfterPause();
  }
}

/** Sends a request, tells how slow the host was, and throws what is no success. */
export async function sendMeasured(
  context: RequestContext & { settling: { answered(milliseconds: number): void } },
  ...how: [call: HostRequest, onHandedOver?: (bytes: number) => void]
): Promise<Answer> {
  const answer = await sendRequest(context, ...how);
  if (answer.refusal !== undefined) throw answer.refusal;
  if (answer.slowness !== undefined) context.settling.answered(answer.slowness);
  return answer;
}

export function originsOf(...locations: unknown[]): string[] {
  const known = locations.filter((location) => typeof location === "string" && URL.canParse(location));
  return [...new Set(known.map((location) => new URL(String(location)).origin))];
}

/**
 * The headers for an address: none where the service didn't name its host to this account. A journal tells which hosts it
 * named, and may have been written by somebody else.
 *
 * @returns also the texts in them that an answer may echo, and whether they are kept back because nothing proves that the
 * service named the host to this account
 */
async function uploadHeadersFor(
  { requester, settings, signal, record, showOrigin }: RequestContext,
  request: RequestReport,
  url: string,
) {
  const { origins = [], proof } = record();
  const account = (await requester.uploadHeaders?.()) ?? {};
  const reading = { purpose: "upload", signal, milliseconds: settings.timeout.answer };
  const known = () => [...requester.secrets(), ...secretsIn(account)];
  const report = () => ({ ...request, origin: showOrigin(request.origin, known()) });
  const headers = { ...(await headersFor(settings.headers, report, reading)), ...account };
  const secrets = secretsIn(headers);
  const { origin } = new URL(url);
  if (Object.keys(headers).length === 0 || originsOf(...requester.locations).includes(origin))
    return { headers, secrets, isUnproven: false };
  const keys = [...(await requester.tokens()), keyIn(headers)];
  const proofs = await Promise.all(keys.map((key) => authenticate(key, origins)));
  const isUnproven = proof === undefined || !proofs.includes(proof);
  return { headers: isUnproven || !origins.includes(origin) ? {} : headers, secrets, isUnproven };
}

/** Proves to a later call that the service named hosts to this account; nothing where there is no authorization. */
export async function proofOf(
  requester: GuardedRequester,
  headers: Record<string, string>,
  origins: string[],
): Promise<string | undefined> {
  const own = Object.keys(headers).length === 0 ? undefined : keyIn(headers);
  const key = (await requester.tokens()).at(-1) ?? own;
  return key === undefined ? undefined : await authenticate(key, origins);
}

/** The part of the headers that only the account's owner knows. */
function keyIn(headers: Record<string, string>): string {
  const [, authorization = ""] =
    Object.entries(headers).find(([name]) => /^authorization$/i.test(name)) ?? [];
  return withoutScheme(authorization) || canonical(headers);
}

/** Makes `showOrigin()` of an upload, which keeps what it gave last: judging an origin takes some milliseconds. */
export function openShowOrigin(): RequestContext["showOrigin"] {
  let latest = { by: "", shown: "" };
  return (origin, secrets) => {
    const by = JSON.stringify([origin, ...secrets]);
    if (latest.by !== by) latest = { by, shown: redact(origin, secrets) };
    return latest.shown;
  };
}

export function transportOf({ transport }: RequestContext, call: HostRequest): Transport {
  return transport.instead?.(call) ?? transport;
}

/** Sends under the two timers, and takes no answer for one that can't be. */
async function sendInTime(
  { transport, settings, signal: outer, confirmAfterPause }: RequestContext,
  { method, url, headers = {}, body: slice, beforeLastByte }: HostRequest,
  onHandedOver: (bytes: number) => void,
): Promise<Omit<Answer, "refusal">> {
  outer.throwIfAborted();
  const { signal, abort, leave } = joinSignals(outer);
  const timers = startTimers(() => slice?.size ?? 0, transport, settings.timeout, abort);
  const body =
    slice &&
    new RequestBody(slice, {
      signal,
      bandwidth: transport.streams ? settings.bandwidth : undefined,
      confirm: confirmAfterPause,
      beforeLastByte,
      onReading: timers.rest,
      onRead: timers.watch,
      onFailure: abort,
    });
  const request = {
    method,
    url,
    headers,
    body,
    signal,
    onHandedOver(bytes: number) {
      timers.handedOver(bytes);
      if (!signal.aborted) onHandedOver(bytes);
    },
  };
  try {
    // Some connections never end, whatever they are told.
    const answer = await untilAborted(transport.send(request), signal);
    const answered = `the upload host answered ${answer.status}`;
    // Some ways of sending let any number through; it says nothing of what came of the request.
    if (!isHttpStatus(answer))
      throw new Interruption("http-status", `${answered}, which is no status of HTTP`);
    // A success before that is an answer to another request, or of a proxy on its own.
    if (transport.streams && body !== undefined && body.left > 0 && isSuccess(answer))
      throw interruptedBy(answer.status, `${answered} before all of the body was sent`);
    return { ...answer, slowness: timers.slowness() };
  } catch (error) {
    outer.throwIfAborted();
    const failure: unknown = signal.aborted ? signal.reason : error;
    // In a page, a file that changed on disk looks like a line that broke or stands still.
    if (failure instanceof Interruption && slice?.verify) await untilAborted(slice.verify(), outer);
    throw failure;
  } finally {
    timers.end();
    body?.stop();
    leave();
  }
}

/** Watches the line until the last byte was handed over, and then the host. */
function startTimers(
  size: () => number,
  { reportsProgress }: Transport,
  timeout: typeof DEFAULT_TIMEOUTS,
  abort: (reason: Interruption) => void,
) {
  const elapsed = startTimer();
  const sending = startAwakeTimer();
  let lastByteAt = 0;
  let alarm: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  let isReading = false;
  const arm = (milliseconds: number, words: string, reason: "stalled" | "unanswered") => {
    clearTimeout(alarm);
    // A late report of a broken connection must not keep the process alive.
    if (!isOver) alarm = setTimeout(() => abort(new Interruption(reason, words)), milliseconds);
  };
  // No more is held back than was sent.
  const heldShare = () => Math.min(1, HELD_BACK / size());
  const awaitAnswer = () => {
    const wait = Math.max(timeout.answer, heldShare() * sending.elapsed());
    arm(wait, `no answer within ${Math.round(wait / 100) / 10} s`, "unanswered");
  };
  const watch = () => {
    if (reportsProgress && !isReading)
      arm(timeout.stall, `no byte was sent within ${timeout.stall / 1000} s`, "stalled");
  };
  const late = "no answer, although even a slow connection would have finished";
  if (size() === 0) awaitAnswer();
  else if (reportsProgress) watch();
  else arm(timeout.answer + size() / SLOWEST_RATE, late, "unanswered");
  return {
    /** The source is read: the line is not to blame. */
    rest() {
      isReading = true;
      if (reportsProgress) clearTimeout(alarm);
    },
    /** The line has something to send. */
    watch() {
      isReading = false;
      watch();
    },
    handedOver(bytes: number) {
      sending.look();
      // Without progress, all of it is reported together with the answer.
      if (reportsProgress) lastByteAt = elapsed();
      if (bytes >= size()) awaitAnswer();
      else watch();
    },
    slowness() {
      const now = elapsed();
      return now - sending.elapsed() < 100 ? now - lastByteAt - heldShare() * lastByteAt : undefined;
    },
    end() {
      isOver = true;
      sending.end();
      clearTimeout(alarm);
    },
  };
}

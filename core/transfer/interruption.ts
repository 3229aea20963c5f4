/** Failures of a transfer: those after which it goes on, and the meaning of a refusal by the upload host. */

import { readErrorBody } from "../errors/error-body.ts";
import {
  ConnectionError,
  type ErrorCode,
  ServiceError,
  type UpcutError,
  UploadError,
} from "../errors/errors.ts";
import type { Host } from "../hosts/host.ts";
import { readNetworkError, whyUnreachable } from "../http/network-error.ts";
import { readDate, readRetryAfter } from "../http/status.ts";
import { locationSecrets } from "../journal/entry.ts";
import type { UploadRecord } from "../journal/journal.ts";
import type { Waiting } from "../progress/progress.ts";
import { pageOrigin } from "../runtime.ts";
import { PART_SIZE } from "../source/parts.ts";
import type { TransferAnswer } from "./transport.ts";

/** After `refused` the transfer goes on only where the caller says so. */
export type InterruptionReason = Exclude<Waiting["reason"], "offline" | "settling"> | "refused";

/** A failure after which the transfer goes on: never seen outside core. */
export class Interruption extends Error {
  override name = "Interruption" as const;
  readonly reason: InterruptionReason;
  readonly httpStatus: number | undefined;
  /** Milliseconds that the host asked to wait. */
  readonly retryAfter: number | undefined;
  /** The error when there is no further attempt, where it is known better than by this class. */
  readonly error: UpcutError | undefined;
  /** The failure that the runtime threw. */
  override readonly cause: unknown;
  /** True if no connection came about, as far as the runtime tells. */
  readonly neverLeft: boolean | undefined;
  /** True if the body may be why, a stream or too long: the upload goes on at once with others, which is no attempt. */
  readonly isOfBody: boolean | undefined;
  /** The host that gave no answer, as messages may name it, where it never gave one in this process. */
  neverAnswered: string | undefined;

  constructor(reason: InterruptionReason, words: string, more: InterruptionFacts = {}) {
    super(words);
    // Another interruption may be given, and has a reason of its own.
    Object.assign(this, more);
    this.reason = reason;
  }
}

type InterruptionFacts = Partial<Omit<Interruption, "name" | "message" | "stack" | "reason">>;

/** @returns an `Interruption` to go on after, or the error to end with */
export function connectionFailed(error: unknown): Interruption | ConnectionError {
  const failure = readNetworkError(error);
  const { neverLeft, words, forbidden, cause } = failure;
  const state = neverLeft ? `the upload host ${whyUnreachable(failure)}` : `the connection failed${words}`;
  if (!forbidden) return new Interruption("connection", state, { neverLeft, cause: error });
  const message = `Cannot upload: ${state}. ${cause?.step}`;
  return new ConnectionError("unreachable", message, { retryable: false, cause: error });
}

/** An interruption after which the upload goes on at once, with other bodies: it says nothing of the line or the host. */
export function bodyRefused(words: string): Interruption {
  return new Interruption("connection", words, { isOfBody: true });
}

/** How hosts refuse a body whose length they aren't told, or that is longer than they take at a time. */
const NO_STREAMS = [400, 411, 413, 501];

/** @throws {Interruption} where a status means that a host takes no such bodies, which is kept in mind */
export function refuseStreams(host: Host, status: number | undefined): void {
  if (status === undefined || !NO_STREAMS.includes(status)) return;
  host.refuseStreams();
  throw bodyRefused(`the upload host answered ${status}`);
}

export function interruptedBy(httpStatus: number, words: string, more: InterruptionFacts = {}): Interruption {
  const reason = httpStatus === 429 ? "rate-limited" : "http-status";
  return new Interruption(reason, words, { httpStatus, ...more });
}

/** The interruption by a page that came in place of an answer, as networks send one that ask to sign in. */
export function answeredWithPage(httpStatus: number): Interruption {
  return interruptedBy(httpStatus, `the upload host answered ${httpStatus} with an HTML page`);
}

/**
 * Ends an upload of a page that isn't shown a header: of another origin's it sees those alone that the host names. Another
 * attempt would end in the same, and the upload is there once the host names them.
 */
export function refuseHidden(name: string, url: string): void {
  const origin = pageOrigin();
  if (origin === undefined || origin === new URL(url).origin) return;
  const advice = `Have it answer with "Access-Control-Expose-Headers: ${READ_HEADERS}", and upload again`;
  const message = `Cannot upload: the upload host hides its header ${name} from this page. ${advice}`;
  throw new UploadError("interrupted", message, { retryable: false });
}

const READ_HEADERS = "Location, Upload-Offset, Upload-Length, Retry-After";

/** Statuses below 500 after which a transfer goes on. */
const PASSING = [408, 409, 423, 425, 429];

/**
 * True if an answer of the upload host is an interruption: a time limit, a conflict or lock that a look at the
 * offset settles, a rate limit, or a failing server. A server won't soon implement what it doesn't (501).
 */
export function isInterruption(status: number): boolean {
  return PASSING.includes(status) || (status >= 500 && status !== 501);
}

export interface RefusedUpload {
  record: UploadRecord;
  /** Texts that were sent and that the answer may echo; `undefined` where others authorize the upload, and only they know. */
  secrets: string[] | undefined;
  /** True if the request went without authorization and the caller's headers, since nothing proves whose host it is. */
  isUnproven: boolean;
  /** As messages may name it. */
  host: string;
  /** Of the request's body, or of the upload that it creates. */
  bytes: number;
}

export function refusalOf(
  refused: RefusedUpload,
  answer: TransferAnswer,
  at: "location" | "upload",
): Interruption {
  const { record, secrets: sent } = refused;
  const { status: httpStatus } = answer;
  const secrets = [...locationSecrets(record), ...(sent ?? [])];
  // An answer that may hold unknown secrets isn't repeated.
  const text = sent === undefined ? "" : answer.text;
  const { details, own } = readErrorBody(text, answer.header("content-type") ?? "", secrets);
  const said = details.length > 0 ? `: ${details.join("; ")}` : "";
  const retryAfter = readRetryAfter(answer.header("retry-after"), readDate(answer.header("date")));
  const answered = `the upload host answered ${httpStatus}${said}`;
  if (isInterruption(httpStatus)) return interruptedBy(httpStatus, answered, { retryAfter });
  const more = { httpStatus, details: own ? details : undefined };
  const { code, hint } = meaningOf(httpStatus, refused, at);
  const message = `Cannot upload: ${answered}${hint === undefined ? "" : `. ${hint}`}`;
  const error =
    code === "rejected" ? new ServiceError(code, message, more) : new UploadError(code, message, more);
  // A host whose store is away says the same of an upload that is there; 410 is final.
  return httpStatus === 404 && at === "upload"
    ? new Interruption("not-found", answered, { httpStatus, retryAfter, error })
    : new Interruption("refused", answered, { httpStatus, error });
}

/** The meaning of a refusal for the upload, and the next step; `rejected` where only the host can say more. */
function meaningOf(
  status: number,
  { record: { acknowledged = 0, method }, isUnproven, host, bytes }: RefusedUpload,
  at: "location" | "upload",
): { code: ErrorCode<"UploadError"> | "rejected"; hint?: string | undefined } {
  const refused = (hint: string) => ({ code: "location-refused", hint }) as const;
  const rejected = (hint?: string) => ({ code: "rejected", hint }) as const;
  const again = "start a new upload, which makes a new asset";
  const isGone = status === 404 || status === 410;
  if (isGone && at === "location") return refused(`It doesn't know the upload location: ${again}`);
  if (isGone) {
    const hint =
      acknowledged > 0
        ? "It doesn't have this upload any more: start a new one, which makes a new asset"
        : "It doesn't know the address that it gave: check whether a proxy changes addresses";
    return { code: "upload-gone", hint };
  }
  if (status === 401 || status === 403)
    return refused(
      isUnproven
        ? "Neither authorization nor headers were sent: the upload was begun with another token. Use that token, or start a new upload"
        : "The upload location is no longer valid, or the host asks for the account's authorization",
    );
  if (status === 411) {
    const hint = 'It must be told the length, which this runtime can\'t: use method "resumable"';
    return { code: "length-refused", hint };
  }
  if (status === 422 && at === "location") return refused(`The upload location has been used up: ${again}`);
  if (status === 422) return rejected("Start a new upload, which makes a new asset");
  if (status === 431) return rejected("A header is too long: check headers, or give a shorter filename");
  if (status !== 413 || bytes === 0) return rejected();
  const size = Math.ceil(bytes / 1024 ** 2);
  if (method === "resumable" && at === "location")
    return rejected(
      `${host} takes no file of ${size} MiB: give a smaller one, or ask whoever runs it to allow more`,
    );
  const request = `${host} takes no request of ${size} MiB`;
  if (method === "direct" && bytes > PART_SIZE)
    return rejected(`${request}: use method "resumable", which sends less at a time`);
  const advice = `such as by client_max_body_size ${Math.max(8, size)}m in nginx`;
  return rejected(`${request}, the least that can be sent. Ask whoever runs it to allow more, ${advice}`);
}

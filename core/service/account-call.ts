/** A call to an account: what it asks for, what its messages say, and what came back. */

import { type ErrorCode, ServiceError } from "../errors.ts";
import { redact } from "../redaction/redaction.ts";

/** A call to an account. Where it makes or ends something, a lost answer leaves its outcome open. */
export interface AccountCall {
  method: "POST" | "DELETE" | "GET";
  /** Below the base address. */
  path: string;
  /** Name of the `paths` entry in use, for the hint at a wrong address. */
  pathName: "requestUpload" | "terminate" | "asset";
  token: string;
  /** The secrets that no message may show: the token, and the caller's own headers once they are known. */
  secrets: string[];
  body?: Record<string, unknown>;
  signal?: AbortSignal | undefined;
  /** Milliseconds until the answer counts as lost. */
  timeout: number;
  /** Completes "Cannot …" in messages. */
  purpose: string;
  /** The error when no answer comes, and the state that is unknown then. */
  lost: { code: ErrorCode<"ConnectionError">; state: string };
  /** The next step after a server error; the milliseconds are those the service asked to wait. */
  serviceErrorHint(retryAfter: number | undefined): string;
}

/** Milliseconds in which some services refuse another terminate call, also after one that failed. */
export const TERMINATE_PAUSE = 5_000;

/** A successful answer: its status, and its body as text. */
export interface AccountAnswer {
  status: number;
  text: string;
}

/** The error for an answer that claims success and isn't one. */
export function unexpectedAnswer(call: AccountCall, answer: AccountAnswer, state: string): ServiceError {
  return new ServiceError("unexpected-answer", messageOf(call, state), { httpStatus: answer.status });
}

/**
 * The message of an error of a call. What others wrote of it must be redacted already: our own words are shown even
 * where a token is one of them.
 */
export function messageOf(call: AccountCall, state: string): string {
  return redact(`Cannot ${call.purpose}: ${state}`);
}

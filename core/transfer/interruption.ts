/**
 * A failure after which a transfer goes on.
 *
 * @module
 */

import type { UpcutError } from "../errors.ts";
import { readNetworkError, whyUnreachable } from "../http/network-error.ts";
import type { Progress } from "../progress/progress.ts";

/** Why a transfer was interrupted. */
export type InterruptionReason = Exclude<NonNullable<Progress["waiting"]>["reason"], "offline" | "settling">;

/** A failure after which the transfer goes on: never seen outside core. */
export class Interruption extends Error {
  override name = "Interruption" as const;
  readonly reason: InterruptionReason;
  readonly httpStatus: number | undefined;
  /** Milliseconds that the host asked to wait. */
  readonly retryAfter: number | undefined;
  /** What to reject with when there is no further attempt, where that is known better than by this class. */
  readonly error: UpcutError | undefined;
  /** The host that gave no answer, as messages may name it, where it never gave one in this process. */
  neverAnswered: string | undefined;
  /** True if no connection came about, as far as the runtime tells. */
  neverLeft: boolean | undefined;

  constructor(
    reason: InterruptionReason,
    words: string,
    more: { httpStatus?: number | undefined; retryAfter?: number | undefined; error?: UpcutError } = {},
  ) {
    super(words);
    this.reason = reason;
    this.httpStatus = more.httpStatus;
    this.retryAfter = more.retryAfter;
    this.error = more.error;
  }
}

/** The interruption by a connection that broke or never came about. */
export function connectionFailed(error: unknown): Interruption {
  const failure = readNetworkError(error);
  const { neverLeft, words } = failure;
  const state = neverLeft ? `the upload host ${whyUnreachable(failure)}` : `the connection failed${words}`;
  return Object.assign(new Interruption("connection", state), { neverLeft });
}

/** Statuses below 500 after which a transfer goes on. */
const PASSING = [408, 409, 423, 425, 429];

/**
 * Whether an answer of the upload host is an interruption: a time limit, a conflict or lock that a look at the
 * offset settles, a rate limit, or a failing server. What a server doesn't implement (501) it won't soon.
 */
export function isInterruption(status: number): boolean {
  return PASSING.includes(status) || (status >= 500 && status !== 501);
}

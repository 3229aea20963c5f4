/**
 * Which failures of a transfer are interruptions, and how long to wait after them. Pure: no clock, no network.
 *
 * @module
 */

import type { UpcutError } from "./errors.ts";

/** How an upload meets interruptions. */
export interface RetryOptions {
  /**
   * Attempts in a row that bring no byte forward, before giving up. By default they wait three minutes at most in
   * all, unless the service asks for more.
   * @default 12
   */
  attempts?: number;
  /** Milliseconds: upper end of the first wait; it doubles with each attempt. @default 200 */
  minDelay?: number;
  /** Milliseconds: no wait is longer, except one that the service asks for. @default 30000 */
  maxDelay?: number;
  /** Milliseconds: a service that asks for a longer wait ends the upload, which is kept. @default 300000 */
  maxRetryAfter?: number;
}

/** `RetryOptions` with the defaults filled in. */
export const DEFAULT_RETRY: Required<RetryOptions> = {
  attempts: 12,
  minDelay: 200,
  maxDelay: 30_000,
  maxRetryAfter: 300_000,
};

/** Why a transfer was interrupted. */
export type InterruptionReason = "connection" | "stalled" | "unanswered" | "status" | "offset";

/** A failure after which the transfer goes on: never seen outside core. */
export class Interruption extends Error {
  override name = "Interruption" as const;
  readonly reason: InterruptionReason;
  readonly status: number | undefined;
  /** Seconds. */
  readonly retryAfter: number | undefined;
  /** What to reject with when there is no further attempt, where that is known better than by this class. */
  readonly error: UpcutError | undefined;
  /** Whether the whole body may have left although nothing told so. */
  mayBeWhole = false;

  constructor(
    reason: InterruptionReason,
    words: string,
    more: { status?: number; retryAfter?: number | undefined; error?: UpcutError } = {},
  ) {
    super(words);
    this.reason = reason;
    this.status = more.status;
    this.retryAfter = more.retryAfter;
    this.error = more.error;
  }
}

/**
 * Whether an answer of the upload host is an interruption: a time limit, a conflict or lock that a look at the
 * offset settles, a rate limit, or a failing server.
 */
export function isInterruption(status: number): boolean {
  return (
    status === 408 || status === 409 || status === 423 || status === 425 || status === 429 || status >= 500
  );
}

/**
 * Milliseconds to wait before an attempt: full jitter below a doubling bound, and never less than the service asks.
 *
 * @param attempt 1 for the first attempt after an interruption
 * @param retryAfter seconds the service asked for
 * @param random a number from 0 up to 1
 * @returns `undefined` when the service asks for a longer wait than allowed
 */
export function delayBefore(
  attempt: number,
  options: Required<RetryOptions>,
  retryAfter: number | undefined,
  random: number,
): number | undefined {
  const bound = Math.min(options.maxDelay, options.minDelay * 2 ** Math.min(attempt - 1, 40));
  const wait = random * bound;
  if (retryAfter === undefined) return wait;
  const asked = retryAfter * 1000;
  return asked > options.maxRetryAfter ? undefined : Math.max(asked, wait);
}

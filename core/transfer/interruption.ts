/**
 * A failure after which a transfer goes on.
 *
 * @module
 */

import type { UpcutError } from "../errors.ts";
import type { Progress } from "../progress.ts";

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
  /** Whether the whole body may have left although no progress said so. */
  mayBeWhole = false;

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

/**
 * Whether an answer of the upload host is an interruption: a time limit, a conflict or lock that a look at the
 * offset settles, a rate limit, or a failing server.
 */
export function isInterruption(status: number): boolean {
  return (
    status === 408 || status === 409 || status === 423 || status === 425 || status === 429 || status >= 500
  );
}

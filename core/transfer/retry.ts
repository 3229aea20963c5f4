/**
 * How long to wait after an interruption. Pure: no clock, no network.
 *
 * @module
 */

import type { Complete } from "../options.ts";

/**
 * How an upload meets interruptions.
 *
 * Each wait is drawn between nothing and a bound that doubles with every attempt until a part (8 MiB) is stored, so
 * that uploads which broke together don't come back together. After a line that broke, the first wait is also no
 * longer than a tenth of the time it had held: however often a line breaks, waiting costs a tenth at most, and what
 * had run for seconds when a service went away comes back spread out.
 */
export interface RetryOptions {
  /**
   * Attempts in a row until a part (8 MiB) is stored, before giving up. By default a service that fails is waited for
   * three minutes in all on average and six at most, one that can't be reached six minutes, unless the service asks
   * for more. A host that has never answered in this process gets three attempts, within about 5 s, unless an earlier
   * call began the upload. While the machine knows that it is offline, nothing counts.
   * @default 18
   */
  attempts?: number | undefined;
  /** Milliseconds: upper end of the first wait; it doubles with each attempt. @default 200 */
  minDelay?: number | undefined;
  /** Milliseconds: no wait is longer, except one that the service asks for. @default 30000 */
  maxDelay?: number | undefined;
  /**
   * Milliseconds: while the host can't be reached at all, or doesn't find the upload, a wait is spent on tries that are
   * drawn from nothing to this far apart and don't count as attempts, so that the upload goes on soon after.
   * @default 3000
   */
  outageDelay?: number | undefined;
  /** Milliseconds: a service that asks for a longer wait ends the upload, which is kept. @default 300000 */
  maxRetryAfter?: number | undefined;
}

/** `RetryOptions` with the defaults filled in. */
export const DEFAULT_RETRY: Complete<RetryOptions> = {
  attempts: 18,
  minDelay: 200,
  maxDelay: 30_000,
  outageDelay: 3_000,
  maxRetryAfter: 300_000,
};

/** What the first wait after a line that broke may add to the time it had held. */
const HELD_SHARE = 0.1;

/** Milliseconds that a wait before an attempt may last: doubles until the longest one. */
export function boundBefore(attempt: number, { minDelay, maxDelay }: Complete<RetryOptions>): number {
  return Math.min(maxDelay, minDelay * 2 ** Math.min(attempt - 1, 40));
}

/**
 * Milliseconds to wait before an attempt: full jitter below its bound, and never less than the service asks.
 *
 * @param attempt 1 for the first attempt after an interruption
 * @param retryAfter milliseconds the service asked for
 * @param random a number from 0 up to 1
 * @param held milliseconds after which the line broke; Infinity where it was the service that interrupted
 * @returns `undefined` when the service asks for a longer wait than allowed
 */
export function delayBefore(
  attempt: number,
  options: Complete<RetryOptions>,
  retryAfter: number | undefined,
  random: number,
  held: number = Number.POSITIVE_INFINITY,
): number | undefined {
  const bound = boundBefore(attempt, options);
  const wait = random * (attempt === 1 ? Math.min(bound, HELD_SHARE * held) : bound);
  if (retryAfter === undefined) return wait;
  return retryAfter > options.maxRetryAfter ? undefined : Math.max(retryAfter, wait);
}

/**
 * Milliseconds to wait before trying again whether a host can be reached, within a wait that has been counted.
 *
 * @param rest milliseconds of the counted wait that are left
 * @param random a number from 0 up to 1
 */
export function delayInOutage(
  attempt: number,
  options: Complete<RetryOptions>,
  rest: number,
  random: number,
): number {
  return Math.max(0, Math.min(rest, random * Math.min(options.outageDelay, boundBefore(attempt, options))));
}

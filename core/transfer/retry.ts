/**
 * The attempts of a transfer: how long it waits before each of them, and when it gives up.
 *
 * @module
 */

import { untilAborted } from "../abort.ts";
import { type UpcutError, UploadError } from "../errors.ts";
import type { Complete } from "../options.ts";
import type { Progress } from "../progress/progress.ts";
import { isOffline, reportsOnline } from "../runtime.ts";
import { PART_SIZE } from "../source/parts.ts";
import { Interruption, isHostRefusal } from "./interruption.ts";

/**
 * Limits of the attempts after interruptions, and of the waits between them.
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

/** The first wait after a line that broke may add this share of the time it had held. */
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

/** A failure at the upload host, before it is known whether it is tried again. */
export interface RetryReport {
  /** Why, as in the progress of an upload that waits; `refused` for an answer after which an upload ends by itself. */
  readonly reason: NonNullable<Progress["waiting"]>["reason"] | "refused";
  /** HTTP status, where there was an answer. */
  readonly httpStatus: number | undefined;
  /** Milliseconds that the host asked to wait, if it did. */
  readonly retryAfter: number | undefined;
  /** The attempt that would follow: 1 for the first one since a part (8 MiB) was stored. */
  readonly attempt: number;
}

/** Decides whether a failure is tried again; `undefined` leaves it as it is. */
export type RetryDecision = (failure: RetryReport) => boolean | undefined | Promise<boolean | undefined>;

/** Says to the loop how far a transfer is, and hears of its waits. */
export interface RetryLoop {
  /** Completes "Cannot …". */
  purpose: "upload" | "discard an upload";
  retry: Complete<RetryOptions>;
  signal: AbortSignal;
  /** The caller's decision. */
  onShouldRetry?: RetryDecision | undefined;
  /** Bytes the service has: a part more resets the budget. At a byte in each attempt, an upload would never end. */
  acknowledged(): number;
  /** Bytes handed over in all attempts together. */
  handedOver?(): number;
  /** Completes the error when every attempt broke in the middle of its bytes and none of them counted. */
  hintWhenAlwaysBroken?(): string;
  /** Called before each wait; `until` is `undefined` while the machine is offline. */
  onWait(interruption: Interruption, attempt: number, until: number | undefined): void;
}

/**
 * Runs `attempt` until it resolves. (A source opens broken downloads again by itself, `source/download-retry.ts`, and an
 * offset is asked for until it settles, `tus-requests.ts`.)
 *
 * @throws {UploadError} `interrupted` when the budget is used up, and whatever else `attempt` rejects with.
 */
export async function retryUntilDone(attempt: () => Promise<void>, how: RetryLoop): Promise<void> {
  const { retry, signal } = how;
  let failedAttempts = 0;
  let furthest = how.acknowledged();
  let brokenConnections = 0;
  /** The end of the wait that was counted last: until then, asking for what is away is not counted. */
  let countedUntil = 0;
  for (;;) {
    const before = how.handedOver?.() ?? 0;
    const began = Date.now();
    try {
      return await attempt();
    } catch (thrown) {
      signal.throwIfAborted();
      const error = await interruptionOf(thrown, failedAttempts + 1, how);
      const now = Date.now();
      const sentSome = (how.handedOver?.() ?? 0) > before;
      // Only bytes beyond the furthest count: a service that forgets takes the same ones again.
      if (how.acknowledged() - furthest >= PART_SIZE) {
        furthest = how.acknowledged();
        failedAttempts = brokenConnections = countedUntil = 0;
      }
      // A host that can't be reached, or one whose store is away: nobody knows for how long.
      const isAway = error.reason === "not-found" || (error.reason === "connection" && !sentSome);
      const counts = !isAway || now >= countedUntil;
      if (counts) failedAttempts++;
      if (isBroken(error) && sentSome) brokenConnections++;
      if (failedAttempts > retry.attempts) {
        const attempts = `${failedAttempts} ${failedAttempts === 1 ? "attempt" : "attempts"}`;
        const hint =
          brokenConnections === failedAttempts && how.hintWhenAlwaysBroken !== undefined
            ? `. ${how.hintWhenAlwaysBroken()}`
            : "";
        throw givenUp(how.purpose, error, `after ${attempts} without progress${hint}`);
      }
      if (isWaitingForNetwork()) {
        how.onWait(error, failedAttempts, undefined);
        // The callback may stop the upload.
        signal.throwIfAborted();
        await pause(undefined, signal);
        // Waiting for the network is no attempt.
        failedAttempts = brokenConnections = countedUntil = 0;
        continue;
      }
      if (isAway && counts) countedUntil = now + boundBefore(failedAttempts, retry);
      const wait = isAway
        ? delayInOutage(failedAttempts, retry, countedUntil - now, Math.random())
        : delayBefore(
            failedAttempts,
            retry,
            error.retryAfter,
            Math.random(),
            connectionLasted(error, now - began),
          );
      if (wait === undefined)
        throw givenUp(
          how.purpose,
          error,
          `since the service asks to wait ${Math.ceil((error.retryAfter ?? 0) / 1000)} s`,
        );
      how.onWait(error, failedAttempts, now + wait);
      signal.throwIfAborted();
      await pause(wait, signal);
    }
  }
}

/** What failed, if it is to be tried again; throws it otherwise. */
async function interruptionOf(
  thrown: unknown,
  attempt: number,
  { onShouldRetry, purpose, signal }: RetryLoop,
): Promise<Interruption> {
  const isUsual = thrown instanceof Interruption;
  if (!isUsual && !isHostRefusal(thrown)) throw thrown;
  if (onShouldRetry === undefined && isUsual) return thrown;
  const { httpStatus, retryAfter } = thrown;
  const failure = { reason: isUsual ? thrown.reason : "refused", httpStatus, retryAfter, attempt } as const;
  const asked = async () => await onShouldRetry?.(failure);
  const answer = (await untilAborted(asked(), signal)) ?? isUsual;
  if (!answer) throw isUsual ? givenUp(purpose, thrown, "as onShouldRetry says") : thrown;
  if (isUsual) return thrown;
  return new Interruption("http-status", thrown.message, { httpStatus, retryAfter, error: thrown });
}

/** The time that the connection had lasted; an answer that interrupts says nothing about the connection. */
function connectionLasted({ httpStatus }: Interruption, milliseconds: number): number {
  return httpStatus === undefined ? milliseconds : Number.POSITIVE_INFINITY;
}

/** True if the connection failed, not the service. */
function isBroken({ reason }: Interruption): boolean {
  return reason === "connection" || reason === "stalled";
}

function givenUp(purpose: string, interruption: Interruption, when: string): UpcutError {
  if (interruption.error !== undefined) return interruption.error;
  return new UploadError("interrupted", `Cannot ${purpose}: ${interruption.message}; stopped ${when}`, {
    httpStatus: interruption.httpStatus,
    retryAfter: interruption.retryAfter,
  });
}

/** True if there is no network, and the runtime reports when there is one. */
export function isWaitingForNetwork(): boolean {
  return isOffline() && reportsOnline();
}

/** Waits for so long, or for good; a network that comes back ends the wait. */
export function pause(milliseconds: number | undefined, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      clearTimeout(timer);
      globalThis.removeEventListener?.("online", settle);
      signal.removeEventListener("abort", settle);
      if (signal.aborted) reject(signal.reason);
      else resolve();
    };
    const timer = milliseconds === undefined ? undefined : setTimeout(settle, milliseconds);
    globalThis.addEventListener?.("online", settle);
    signal.addEventListener("abort", settle);
  });
}

/** With the waits between them, three tries take about 5 s. */
const MOST_TRIES = 3;
/** Milliseconds of a try, after which no other follows. */
const LONGEST_TRY = 5_000;

/**
 * Runs an attempt, and again while nobody has ever answered; what happens after an answer is the caller's.
 *
 * @throws {UpcutError} when there was no answer in all tries
 */
export async function throughFirstContact(attempt: () => Promise<void>, how: RetryLoop): Promise<void> {
  const { retry, signal } = how;
  for (let tries = 1; ; tries++) {
    // It stops while the machine sleeps, which is no time of the try.
    const began = performance.now();
    try {
      return await attempt();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof Interruption) || error.neverAnswered === undefined) throw error;
      // Waiting for the network is no try.
      if (isWaitingForNetwork()) throw error;
      const lasted = performance.now() - began;
      if (tries >= Math.min(MOST_TRIES, retry.attempts + 1) || lasted > LONGEST_TRY)
        throw neverReached(error, error.neverAnswered, tries);
      await interruptionOf(error, tries, how);
      const wait = retry.outageDelay * (0.5 + Math.random() / 2);
      how.onWait(error, tries, Date.now() + wait);
      signal.throwIfAborted();
      await pause(wait, signal);
    }
  }
}

function neverReached({ error, message }: Interruption, host: string, tries: number): Error {
  if (error !== undefined) return error;
  const counted = `${tries} ${tries === 1 ? "attempt" : "attempts"}`;
  const hint = `The service named ${host}: check the network, or ask whoever runs the service`;
  return new UploadError("interrupted", `Cannot upload: ${message}; stopped after ${counted}. ${hint}`);
}

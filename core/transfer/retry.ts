/** The attempts of a transfer: how long it waits before each of them, and when it gives up. */

import { type UpcutError, UploadError } from "../errors/errors.ts";
import type { Progress } from "../progress/progress.ts";
import { isWaitingForNetwork } from "../runtime.ts";
import { PART_SIZE } from "../source/parts.ts";
import { untilAborted } from "../time/abort.ts";
import { dateNow, startTimer, steadyNow } from "../time/clock.ts";
import { Interruption, isHostRefusal } from "./interruption.ts";

/** Limits of the attempts after interruptions, and of the waits between them; `UploadOptions` tells of each. */
export const DEFAULT_RETRY = {
  attempts: 18,
  minDelay: 200,
  maxDelay: 30_000,
  outageDelay: 3_000,
  maxRetryAfter: 300_000,
};

export type RetryLimits = typeof DEFAULT_RETRY;

/** The first wait after a line that broke may add this share of the time it had held. */
const HELD_SHARE = 0.1;

/** Milliseconds that a wait before an attempt may last: doubles until the longest one. */
export function boundBefore(attempt: number, { minDelay, maxDelay }: RetryLimits): number {
  return Math.min(maxDelay, minDelay * 2 ** Math.min(attempt - 1, 40));
}

/**
 * Milliseconds to wait before an attempt; `undefined` when the service asks for a longer wait than allowed.
 *
 * @param held milliseconds after which the line broke; Infinity where it was the service that interrupted
 */
export function delayBefore(
  attempt: number,
  options: RetryLimits,
  retryAfter: number | undefined,
  random: number,
  held: number = Number.POSITIVE_INFINITY,
): number | undefined {
  const bound = boundBefore(attempt, options);
  const wait = random * (attempt === 1 ? Math.min(bound, HELD_SHARE * held) : bound);
  if (retryAfter === undefined) return wait;
  return retryAfter > options.maxRetryAfter ? undefined : Math.max(retryAfter, wait);
}

/** @param rest milliseconds of the counted wait that are left */
export function delayInOutage(attempt: number, options: RetryLimits, rest: number, random: number): number {
  return Math.max(0, Math.min(rest, random * Math.min(options.outageDelay, boundBefore(attempt, options))));
}

/** A failure at the upload host, before it is known whether it is tried again; `UploadOptions` tells of it. */
export interface RetryReport {
  readonly reason: NonNullable<Progress["waiting"]>["reason"] | "refused";
  readonly httpStatus: number | undefined;
  readonly retryAfter: number | undefined;
  readonly attempt: number;
}

/** Decides whether a failure is tried again; `undefined` leaves it as it is. */
export type RetryDecision = (failure: RetryReport) => boolean | undefined | Promise<boolean | undefined>;

/** With the waits between them, three tries take about 5 s. */
const MOST_TRIES = 3;
/** Milliseconds of a try, sleep of the machine left out, after which no other follows. */
const LONGEST_TRY = 5_000;

export interface RetryLoop {
  /** Completes "Cannot …". */
  purpose: "upload" | "discard an upload";
  retry: RetryLimits;
  signal: AbortSignal;
  onShouldRetry?: RetryDecision | undefined;
  /** True if a host that has never answered is given up after a few tries: nothing proves its address. @default false */
  isNew?: boolean;
  /** Bytes the service has: a part more resets the budget. At a byte in each attempt, an upload would never end. */
  acknowledged(): number;
  handedOver?(): number;
  /** Completes the error when every attempt broke in the middle of its bytes and none of them counted. */
  hintWhenAlwaysBroken?(): string;
  /** Called before each wait; `until` is `undefined` while the machine is offline. */
  onWait(interruption: Interruption, attempt: number, until: number | undefined): void;
}

/**
 * Runs `attempt` until it resolves. (A source opens broken downloads again by itself, `source/download.ts`, and an
 * offset is asked for until it settles, `tus-requests.ts`.)
 *
 * @throws {UploadError} `interrupted` when the budget is used up, and whatever else `attempt` rejects with.
 */
export async function retryUntilDone(attempt: () => Promise<void>, how: RetryLoop): Promise<void> {
  const { retry, signal } = how;
  let failedAttempts = 0;
  /** Tries in a row without any answer so far. */
  let tries = 0;
  let furthest = how.acknowledged();
  let brokenConnections = 0;
  /** The end of the wait that was counted last: until then, asking for what is away is not counted. */
  let countedUntil = 0;
  for (;;) {
    const before = how.handedOver?.() ?? 0;
    const elapsed = startTimer();
    try {
      return await attempt();
    } catch (thrown) {
      signal.throwIfAborted();
      const isUnmet = how.isNew && thrown instanceof Interruption && thrown.neverAnswered !== undefined;
      // Waiting for the network is no try.
      if (isUnmet && !isWaitingForNetwork()) {
        if (++tries >= Math.min(MOST_TRIES, retry.attempts + 1) || elapsed() > LONGEST_TRY) {
          const hint = "check the network, or ask whoever runs the service";
          const state = `${counted(tries)}. The service named ${thrown.neverAnswered}: ${hint}`;
          throw givenUp(how.purpose, thrown, `after ${state}`);
        }
        await interruptionOf(thrown, tries, how);
        const wait = retry.outageDelay * (0.5 + Math.random() / 2);
        how.onWait(thrown, tries, dateNow() + wait);
        await pause(wait, signal);
        continue;
      }
      tries = 0;
      const error = await interruptionOf(thrown, failedAttempts + 1, how);
      const now = steadyNow();
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
      if (sentSome && (error.reason === "connection" || error.reason === "stalled")) brokenConnections++;
      if (failedAttempts > retry.attempts) {
        const hint = brokenConnections === failedAttempts ? how.hintWhenAlwaysBroken?.() : undefined;
        const end = hint === undefined ? "" : `. ${hint}`;
        throw givenUp(how.purpose, error, `after ${counted(failedAttempts)} without progress${end}`);
      }
      if (isWaitingForNetwork()) {
        how.onWait(error, failedAttempts, undefined);
        await pause(undefined, signal);
        // Waiting for the network is no attempt.
        failedAttempts = brokenConnections = countedUntil = 0;
        continue;
      }
      if (isAway && counts) countedUntil = now + boundBefore(failedAttempts, retry);
      const { retryAfter, httpStatus } = error;
      // An answer that interrupts says nothing about how long a connection holds.
      const held = httpStatus === undefined ? elapsed() : Number.POSITIVE_INFINITY;
      const wait = isAway
        ? delayInOutage(failedAttempts, retry, countedUntil - now, Math.random())
        : delayBefore(failedAttempts, retry, retryAfter, Math.random(), held);
      if (wait === undefined) {
        const asked = Math.ceil((retryAfter ?? 0) / 1000);
        throw givenUp(how.purpose, error, `since the service asks to wait ${asked} s`);
      }
      how.onWait(error, failedAttempts, dateNow() + wait);
      await pause(wait, signal);
    }
  }
}

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

function counted(attempts: number): string {
  return `${attempts} ${attempts === 1 ? "attempt" : "attempts"}`;
}

function givenUp(purpose: string, interruption: Interruption, when: string): UpcutError {
  if (interruption.error !== undefined) return interruption.error;
  return new UploadError("interrupted", `Cannot ${purpose}: ${interruption.message}; stopped ${when}`, {
    httpStatus: interruption.httpStatus,
    retryAfter: interruption.retryAfter,
    cause: interruption.cause,
  });
}

/** Waits for so long, or for good; a network that comes back ends the wait. */
export async function pause(milliseconds: number | undefined, signal: AbortSignal): Promise<void> {
  let end = () => {};
  const online = new Promise<void>((resolve) => {
    end = resolve;
  });
  globalThis.addEventListener?.("online", end);
  const limit = milliseconds === undefined ? undefined : { milliseconds, late: () => undefined };
  await untilAborted(online, signal, limit)
    .catch(() => signal.throwIfAborted())
    .finally(() => globalThis.removeEventListener?.("online", end));
}

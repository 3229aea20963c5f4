/**
 * Repeats the attempts of a transfer after interruptions, until one is done or nothing moves any more. (A source opens
 * broken downloads again by itself, `source/download-retry.ts`, and an offset is asked for until it settles, `settling.ts`.)
 *
 * @module
 */

import { type UpcutError, UploadError } from "../errors.ts";
import type { Complete } from "../options.ts";
import { isOffline, reportsOnline } from "../runtime.ts";
import { PART_SIZE } from "../source/parts.ts";
import { Interruption } from "./interruption.ts";
import { boundBefore, delayBefore, delayInOutage, type RetryOptions } from "./retry.ts";

/** What the loop needs to know, and what it calls. */
export interface RetryLoop {
  /** Completes "Cannot …". */
  purpose: "upload" | "discard an upload";
  retry: Complete<RetryOptions>;
  signal: AbortSignal;
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
 * Runs `attempt` until it resolves.
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
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof Interruption)) throw error;
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

/** How long the connection had lasted; what a service interrupts by its answer says nothing about the connection. */
function connectionLasted({ reason }: Interruption, milliseconds: number): number {
  return reason === "http-status" || reason === "not-found" ? Number.POSITIVE_INFINITY : milliseconds;
}

/** Whether the connection failed, not the service. */
function isBroken({ reason }: Interruption): boolean {
  return reason === "connection" || reason === "stalled";
}

function givenUp(purpose: string, interruption: Interruption, when: string): UpcutError {
  if (interruption.error !== undefined) return interruption.error;
  return new UploadError("interrupted", `Cannot ${purpose}: ${interruption.message}; stopped ${when}`, {
    retryable: true,
    httpStatus: interruption.httpStatus,
    retryAfter: interruption.retryAfter,
  });
}

/** Whether there is no network, and the runtime reports when there is one. */
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

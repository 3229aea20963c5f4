/**
 * The only retry loop: repeats an attempt after interruptions until it is done or nothing moves any more.
 *
 * @module
 */

import { type UpcutError, UploadError } from "../errors.ts";
import { delayBefore, Interruption, type RetryOptions } from "../retry.ts";

/** What the loop needs to know, and whom it tells. */
export interface Persistence {
  retry: Required<RetryOptions>;
  signal: AbortSignal;
  /** Bytes the service has: an attempt that moved them starts the budget anew. */
  acknowledged(): number;
  /** Bytes handed over in all attempts together. */
  handedOver?(): number;
  /** Completes the error when every attempt broke in the middle of its bytes and nothing of them counted. */
  neverCarried?: string;
  /** Told before each wait; `until` is `undefined` while the machine is offline. */
  onWait(interruption: Interruption, attempt: number, until: number | undefined): void;
}

/**
 * Runs `attempt` until it resolves.
 *
 * @throws {UploadError} `interrupted` when the budget is used up, and whatever else `attempt` rejects with.
 */
export async function persist(attempt: () => Promise<void>, how: Persistence): Promise<void> {
  const { retry, signal } = how;
  let fruitless = 0;
  let furthest = how.acknowledged();
  let cut = 0;
  for (;;) {
    const before = how.handedOver?.() ?? 0;
    try {
      return await attempt();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof Interruption)) throw error;
      // Only new ground counts: a service that forgets and takes the same bytes again brings nothing forward.
      if (how.acknowledged() > furthest) fruitless = cut = 0;
      furthest = Math.max(furthest, how.acknowledged());
      fruitless++;
      if (isCut(error) && (how.handedOver?.() ?? 0) > before) cut++;
      if (fruitless > retry.attempts) {
        const attempts = `${fruitless} ${fruitless === 1 ? "attempt" : "attempts"}`;
        const hint = cut === fruitless && how.neverCarried !== undefined ? `. ${how.neverCarried}` : "";
        throw givenUp(error, `after ${attempts} that brought nothing forward${hint}`);
      }
      if (isOffline()) {
        how.onWait(error, fruitless, undefined);
        await online(signal);
        // Waiting for the network is no attempt.
        fruitless = cut = 0;
        continue;
      }
      const wait = delayBefore(fruitless, retry, error.retryAfter, Math.random());
      if (wait === undefined) throw givenUp(error, `since the service asks to wait ${error.retryAfter} s`);
      how.onWait(error, fruitless, Date.now() + wait);
      await pause(wait, signal);
    }
  }
}

/** Whether the line failed, not the service. */
function isCut({ reason }: Interruption): boolean {
  return reason === "connection" || reason === "stalled";
}

function givenUp(interruption: Interruption, when: string): UpcutError {
  if (interruption.error !== undefined) return interruption.error;
  return new UploadError(
    "interrupted",
    `Cannot finish the upload: ${interruption.message}; stopped ${when}`,
    {
      retryable: true,
      status: interruption.status,
      retryAfter: interruption.retryAfter,
    },
  );
}

function isOffline(): boolean {
  return globalThis.navigator?.onLine === false && typeof globalThis.addEventListener === "function";
}

function online(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      globalThis.removeEventListener("online", settle);
      signal.removeEventListener("abort", settle);
      if (signal.aborted) reject(signal.reason);
      else resolve();
    };
    globalThis.addEventListener("online", settle);
    signal.addEventListener("abort", settle);
  });
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      clearTimeout(timer);
      globalThis.removeEventListener?.("online", settle);
      signal.removeEventListener("abort", settle);
      if (signal.aborted) reject(signal.reason);
      else resolve();
    };
    const timer = setTimeout(settle, milliseconds);
    // A network that comes back ends the wait.
    globalThis.addEventListener?.("online", settle);
    signal.addEventListener("abort", settle);
  });
}

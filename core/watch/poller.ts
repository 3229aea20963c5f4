/** The turns of those who ask one account again and again: however many they are, it gets so many requests a second. */

import { onAbort } from "../abort.ts";

/** Gives turns, one after the other. */
export interface Poller {
  /** Waits for a turn; rejects with the signal's reason where it is aborted before. */
  turn(signal: AbortSignal | undefined): Promise<void>;
  /** Gives no turn for so many milliseconds: the service asked for it. */
  pause(milliseconds: number): void;
}

/** @param gap milliseconds between two turns */
export function createPoller(gap: number): Poller {
  // In the order of their coming.
  const waiting = new Set<() => void>();
  let free = 0;
  let alarm: ReturnType<typeof setTimeout> | undefined;

  function arm(): void {
    if (alarm !== undefined || waiting.size === 0) return;
    alarm = setTimeout(giveTurn, Math.max(0, free - Date.now()));
  }

  function giveTurn(): void {
    alarm = undefined;
    const [next] = waiting;
    // A pause may have begun since.
    if (next !== undefined && Date.now() >= free) {
      free = Date.now() + gap;
      next();
    }
    arm();
  }

  return {
    turn(signal) {
      return new Promise((resolve, reject) => {
        const leave = () => {
          waiting.delete(take);
          forget();
        };
        const take = () => {
          leave();
          resolve();
        };
        const stop = () => {
          leave();
          reject(signal?.reason);
        };
        if (signal?.aborted) return reject(signal.reason);
        const forget = onAbort(signal, stop);
        waiting.add(take);
        arm();
      });
    },
    pause(milliseconds) {
      free = Math.max(free, Date.now() + milliseconds);
    },
  };
}

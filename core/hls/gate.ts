/**
 * How many requests for a video run at once, and when the next may begin.
 *
 * @module
 */

import { delay, untilAborted } from "../abort.ts";

/** Requests at a time: what a player makes, so that no server takes this for an attack. */
const MOST_AT_ONCE = 3;

/** Lets requests through, a few at a time, and none before a server wants one again. */
export class Gate {
  #running = 0;
  readonly #waiting: (() => void)[] = [];
  /** Milliseconds since 1970. */
  #closedUntil = 0;

  /** Nothing begins for so many milliseconds. */
  close(milliseconds: number): void {
    this.#closedUntil = Math.max(this.#closedUntil, Date.now() + milliseconds);
  }

  async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    if (this.#running >= MOST_AT_ONCE) await this.#turn(signal);
    else this.#running++;
    try {
      for (let wait = this.#closedUntil - Date.now(); wait > 0; wait = this.#closedUntil - Date.now())
        await delay(wait, signal);
      return await work();
    } finally {
      this.#leave();
    }
  }

  /** Waits for a place, which whoever leaves hands on. */
  async #turn(signal: AbortSignal): Promise<void> {
    let enter = () => {};
    const entered = new Promise<void>((resolve) => {
      enter = resolve;
    });
    this.#waiting.push(enter);
    await untilAborted(entered, signal).catch((error: unknown) => {
      const at = this.#waiting.indexOf(enter);
      if (at >= 0) this.#waiting.splice(at, 1);
      // It was handed on in this very moment.
      else this.#leave();
      throw error;
    });
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running--;
    else next();
  }
}

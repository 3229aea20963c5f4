/** The speed of an upload as a person wants to read it: steady, yet not far behind. */
import { steadyNow } from "../time/clock.ts";

/** Milliseconds over which older measurements lose their weight: parts go in bursts, which it takes some of to tell. */
const SMOOTHING_TIME = 6_000;
/** Milliseconds at the beginning that don't count: sockets swallow some MiB at once. */
const WARM_UP_TIME = 1_000;
/** Milliseconds that say something of a speed. */
const LEAST_TIME = 200;

/** A moving average over the bytes that were handed over, and over all the time in which they could be. */
export class SpeedMeter {
  #began: number | undefined;
  #last = 0;
  #bytes = 0;
  #time = 0;

  get speed(): number | undefined {
    return this.#time < LEAST_TIME ? undefined : (this.#bytes / this.#time) * 1000;
  }

  add(bytes: number, at: number = steadyNow()): void {
    this.#began ??= at;
    const counted = this.#began + WARM_UP_TIME;
    const elapsed = at - Math.max(this.#last, counted);
    this.#last = at;
    if (at <= counted) return;
    const kept = Math.exp(-elapsed / SMOOTHING_TIME);
    // The mean of what each moment since the last bytes still weighs.
    const weight = elapsed === 0 ? 1 : ((1 - kept) * SMOOTHING_TIME) / elapsed;
    this.#bytes = this.#bytes * kept + bytes * weight;
    this.#time = this.#time * kept + elapsed * weight;
  }

  /** Leaves out the time until the next bytes: nothing is sent on purpose. */
  pause(): void {
    this.#began = undefined;
  }

  /** Milliseconds that so many bytes will take, or `undefined` until that is known. */
  timeFor(bytes: number): number | undefined {
    return this.speed === undefined || this.speed === 0 ? undefined : (bytes / this.speed) * 1000;
  }
}

/** Signals that end work early, and work that doesn't listen to them. */

import { steadyNow } from "./clock.ts";

interface JoinedSignal {
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
  leave(): void;
}

/**
 * A signal that is aborted with another one, or by itself. Node 20 and 22 collect what `AbortSignal.any` and
 * `AbortSignal.timeout` make while somebody still waits for it; this one lives as long as the other.
 */
export function joinSignals(other: AbortSignal | undefined): JoinedSignal {
  const controller = new AbortController();
  const stop = () => controller.abort(other?.reason);
  const leave = onAbort(other, stop);
  if (other?.aborted) stop();
  return { signal: controller.signal, abort: (reason) => controller.abort(reason), leave };
}

class Waiters extends Set<() => void> {
  handleEvent(): void {
    for (const callback of this) callback();
  }
}

/** Kept beside the signals, which are the runtime's or a caller's own objects. */
const waitersOf = new WeakMap<AbortSignal, Waiters>();

/**
 * Calls back when a signal is aborted. All who wait with it share a listener: runtimes warn of a signal that many listen to.
 *
 * @returns forgets the callback
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal === undefined) return () => {};
  const waiters = waitersOf.get(signal) ?? new Waiters();
  waitersOf.set(signal, waiters);
  if (waiters.size === 0) signal.addEventListener("abort", waiters, { once: true });
  waiters.add(callback);
  return () => {
    waiters.delete(callback);
    if (waiters.size === 0) signal.removeEventListener("abort", waiters);
  };
}

interface TimeLimit {
  milliseconds: number;
  /** The reason to reject with when it takes longer. */
  late(): unknown;
}

/**
 * Settles as the work does, or rejects with the signal's reason as soon as it is aborted, or at a time limit: the work
 * goes on, and nobody waits for it any more.
 */
export function untilAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
  limit?: TimeLimit,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      clearTimeout(alarm);
      forget();
    };
    const stop = () => {
      leave();
      reject(signal?.reason);
    };
    const expire = () => {
      leave();
      reject(limit?.late());
    };
    const alarm = limit && setTimeout(expire, limit.milliseconds);
    const forget = onAbort(signal, stop);
    work.then(resolve, reject).finally(leave);
    if (signal?.aborted) stop();
  });
}

/** Milliseconds: the longest wait that a timer can hold; a longer one would end at once. */
export const LONGEST_TIMER: number = 2 ** 31 - 1;

/** Waits; for what no timer can hold, the caller waits again. */
export async function delay(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  const limit = { milliseconds: Math.min(milliseconds, LONGEST_TIMER), late: () => undefined };
  await untilAborted(new Promise<never>(() => {}), signal, limit).catch(() => signal?.throwIfAborted());
}

/** Waits until a moment of the steady clock, which others may put off meanwhile. */
export async function delayUntil(moment: () => number, signal: AbortSignal | undefined): Promise<void> {
  for (let wait = moment() - steadyNow(); wait > 0; wait = moment() - steadyNow()) await delay(wait, signal);
}

/** Ends work without waiting for it: whether it really ends, and how, matters to nobody any more. */
export function abandon(end: () => unknown): void {
  const ending = async () => await end();
  ending().catch(() => {});
}

/** Milliseconds in which aborted work may end by itself. */
const CLEANUP_TIME = 500;

/** Something that work holds and others wait for. */
export interface Held {
  /** Gives it back, once it has come; called again, it waits for the same. */
  giveBack(): Promise<void>;
}

/**
 * Runs work that ends by itself soon after the signal is aborted, unless foreign code in it hangs: then its end isn't
 * waited for, only that what it holds is given back.
 */
export function endingSoon<T>(signal: AbortSignal, work: () => Promise<T>, held: Held): Promise<T> {
  const waiting = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const leave = async () => {
    await briefly(held.giveBack());
    waiting.abort(signal.reason);
  };
  const forget = onAbort(signal, () => {
    timer = setTimeout(leave, CLEANUP_TIME);
  });
  return untilAborted(work(), waiting.signal).finally(() => {
    forget();
    clearTimeout(timer);
  });
}

/** Waits for something whose outcome counts no more, but not for good. */
export async function briefly(work: Promise<unknown> | undefined): Promise<void> {
  const limit = { milliseconds: LONGEST_WAIT, late: () => undefined };
  if (work !== undefined) await untilAborted(work, undefined, limit).catch(() => {});
}

/** Milliseconds that an outcome which counts no more is waited for. */
const LONGEST_WAIT = 5_000;

/** Signals, and work that is waited for no longer than somebody wants. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  abandon,
  briefly,
  delay,
  delayUntil,
  endingSoon,
  joinSignals,
  untilAborted,
} from "../../../core/time/abort.ts";
import { steadyNow } from "../../../core/time/clock.ts";
import { caught } from "../../support/caught.ts";

const reason = new Error("enough");
const endless = new Promise<never>(() => {});
const after = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** How work has settled after some time, if it has. */
async function settledAfter(milliseconds: number, work: Promise<unknown>): Promise<unknown> {
  let settled: unknown = "pending";
  const settle = (value: unknown) => {
    settled = value;
  };
  void work.then(settle, settle);
  await vi.advanceTimersByTimeAsync(milliseconds);
  return settled;
}

describe("untilAborted()", () => {
  test("settles as the work does", async () => {
    const { signal } = new AbortController();
    expect(await untilAborted(Promise.resolve(7), signal)).toBe(7);
    expect(await untilAborted(Promise.resolve(7), undefined)).toBe(7);
    expect(await caught(untilAborted(Promise.reject(reason), signal))).toBe(reason);
  });

  test("rejects with the reason of a signal that was aborted before", async () => {
    expect(await caught(untilAborted(endless, AbortSignal.abort(reason)))).toBe(reason);
  });

  test("has one listener at a signal, however many wait with it, and none afterwards", async () => {
    const stop = new AbortController();
    const added = vi.spyOn(stop.signal, "addEventListener");
    const removed = vi.spyOn(stop.signal, "removeEventListener");
    const early = untilAborted(Promise.resolve(7), stop.signal);
    const all = Array.from({ length: 20 }, () => caught(untilAborted(endless, stop.signal)));
    expect(await early).toBe(7);
    expect(added).toHaveBeenCalledTimes(1);
    stop.abort(reason);
    expect(await Promise.all(all)).toEqual(Array(20).fill(reason));
    expect(removed).toHaveBeenCalled();
  });

  test("rejects with the reason of a signal that is aborted meanwhile", async () => {
    const stop = new AbortController();
    const waiting = caught(untilAborted(endless, stop.signal));
    stop.abort(reason);
    expect(await waiting).toBe(reason);
  });

  test("rejects at its time limit, and not where the work was done before", async () => {
    const limit = { milliseconds: 20, late: () => reason };
    expect(await settledAfter(19, untilAborted(endless, undefined, limit))).toBe("pending");
    expect(await settledAfter(20, untilAborted(endless, undefined, limit))).toBe(reason);
    expect(await untilAborted(Promise.resolve(7), undefined, limit)).toBe(7);
  });
});

test("delay() ends in its time, at the longest that a timer holds, and at an abort", async () => {
  expect(await settledAfter(19, delay(20, undefined))).toBe("pending");
  expect(await settledAfter(20, delay(20, undefined))).toBe(undefined);
  expect(await settledAfter(2 ** 31 - 1, delay(2 ** 40, undefined))).toBe(undefined);
  expect(await settledAfter(0, delay(20, AbortSignal.abort(reason)))).toBe(reason);
});

test("delayUntil() waits for a moment that is put off meanwhile", async () => {
  let moment = steadyNow() + 20;
  const waiting = delayUntil(() => moment, undefined);
  moment += 20;
  expect(await settledAfter(39, waiting)).toBe("pending");
  expect(await settledAfter(1, waiting)).toBe(undefined);
});

describe("joinSignals()", () => {
  test("is aborted with the other one, and for the first reason", () => {
    const other = new AbortController();
    const { signal, abort } = joinSignals(other.signal);
    expect(signal.aborted).toBe(false);
    other.abort(reason);
    abort(new Error("later"));
    expect([signal.aborted, signal.reason]).toEqual([true, reason]);
  });

  test("is aborted at once with one that was aborted before", () => {
    const { signal } = joinSignals(AbortSignal.abort(reason));
    expect([signal.aborted, signal.reason]).toEqual([true, reason]);
  });

  test("abort() leaves the other signal alone, and leave() stops listening to them", () => {
    const other = new AbortController();
    const [own, left] = [joinSignals(other.signal), joinSignals(other.signal)];
    own.abort(reason);
    expect(own.signal.reason).toBe(reason);
    expect(other.signal.aborted).toBe(false);
    left.leave();
    other.abort(reason);
    expect(left.signal.aborted).toBe(false);
  });
});

describe("endingSoon()", () => {
  const nothing = { giveBack: async () => {} };

  test("gives what the work gives, also where it ends by itself after the abort", async () => {
    const stop = new AbortController();
    const work = async () => {
      stop.abort(reason);
      await after(499);
      return 7;
    };
    expect(await settledAfter(499, endingSoon(stop.signal, work, nothing))).toBe(7);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("doesn't wait for the end of work that hangs after the abort", async () => {
    const stop = new AbortController();
    const waiting = endingSoon(stop.signal, () => endless, nothing);
    stop.abort(reason);
    expect(await settledAfter(500, waiting)).toBe(reason);
  });

  test("waits until what hanging work holds is given back, at most 5 s", async () => {
    for (const [time, giveBack] of [
      [1500, () => new Promise<void>((resolve) => setTimeout(resolve, 1000))],
      [5500, () => endless],
    ] as const) {
      const stop = new AbortController();
      const waiting = endingSoon(stop.signal, () => endless, { giveBack });
      stop.abort(reason);
      expect(await settledAfter(time - 1, waiting)).toBe("pending");
      expect(await settledAfter(1, waiting)).toBe(reason);
    }
  });
});

test("abandon() lets work fail in whichever way", async () => {
  abandon(() => {
    throw reason;
  });
  abandon(() => Promise.reject(reason));
  vi.useRealTimers();
  await after(0);
});

test("briefly() waits for the end of work, lets it fail, and waits no longer than five seconds", async () => {
  const fails = after(20).then(() => Promise.reject(reason));
  expect(await settledAfter(19, briefly(fails))).toBe("pending");
  expect(await settledAfter(1, briefly(fails))).toBe(undefined);
  expect(await settledAfter(4999, briefly(endless))).toBe("pending");
  expect(await settledAfter(5000, briefly(endless))).toBe(undefined);
  await briefly(undefined);
});

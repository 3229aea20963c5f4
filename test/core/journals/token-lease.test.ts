/** Leases in a store that others use too, whose answers come in an order of their own. */
import { afterEach, describe, expect, test, vi } from "vitest";
import { type LeaseStore, leaseIn } from "../../../core/journals/token-lease.ts";
import { setClocks } from "../../support/core/set-clocks.ts";

const TERMS = { key: "video", timeout: 10_000, isFenced: true };

afterEach(() => {
  vi.useRealTimers();
  setClocks();
});

test.each([
  ["two seconds before", false, 8_000],
  ["when", true, 10_000],
])("is lost %s another one can have it, where its store is away (fenced: %s)", async (_, isFenced, time) => {
  vi.useFakeTimers();
  let held = { token: "", until: 0 };
  let isAway = false;
  const store: LeaseStore = {
    async hold(_, token, timeout) {
      if (isAway) throw new Error("away");
      if (held.token !== token && Date.now() < held.until) return false;
      held = { token, until: Date.now() + timeout };
      return true;
    },
    async release(_, token) {
      if (held.token === token) held.until = 0;
    },
  };
  const claim = () => leaseIn(store, { ...TERMS, isFenced });
  const holder = await claim();
  await vi.advanceTimersByTimeAsync(10_500);
  expect(await claim()).toBeUndefined();
  expect(await holder?.isHeld?.()).toBe(true);
  isAway = true;
  await vi.advanceTimersByTimeAsync(time);
  expect(await holder?.isHeld?.()).toBe(true);
  await vi.advanceTimersByTimeAsync(1);
  expect(await holder?.isHeld?.()).toBe(false);
  isAway = false;
  if (!isFenced) expect(await claim()).toBeUndefined();
  await vi.advanceTimersByTimeAsync(2_000);
  const taken = await claim();
  expect(await holder?.isHeld?.()).toBe(false);
  await holder?.();
  expect(await taken?.isHeld?.()).toBe(true);
});

/** A store that is told when a renewal arrives. */
function storeWithSlowRenewals() {
  const done: string[] = [];
  let isTaken = false;
  let arrive: (() => void) | undefined;
  const store: LeaseStore = {
    async hold() {
      if (isTaken) {
        await new Promise<void>((resolve) => {
          arrive = resolve;
        });
        done.push("renewed");
      }
      isTaken = true;
      return true;
    },
    async release() {
      done.push("released");
    },
  };
  return { store, done, arrive: () => arrive?.() };
}

test("is given back after the renewal that is under way, which would take it again", async () => {
  const { store, done, arrive } = storeWithSlowRenewals();
  const held = await leaseIn(store, TERMS);
  const renewal = held?.isHeld();
  const release = held?.();
  // Whatever has been decided by now is done.
  await new Promise((resolve) => setImmediate(resolve));
  expect(done).toEqual([]);
  arrive();
  await Promise.all([renewal, release]);
  expect(done).toEqual(["renewed", "released"]);
});

test("is given back although a renewal fails", async () => {
  const done: string[] = [];
  let isTaken = false;
  const store: LeaseStore = {
    async hold() {
      if (isTaken) throw new Error("away");
      isTaken = true;
      return true;
    },
    async release() {
      done.push("released");
    },
  };
  const held = await leaseIn(store, TERMS);
  void held?.isHeld();
  await held?.();
  expect(done).toEqual(["released"]);
});

/** A store whose clock nobody sets, in which keys can be ended, and commands be kept for later. */
function storeWithOwnClock() {
  let holder: string | undefined;
  let kept: (() => void)[] | undefined;
  const store: LeaseStore = {
    async hold(_, token, __, { onlyRenews } = {}) {
      const carryOut = () => {
        if (holder !== token && (holder !== undefined || onlyRenews)) return false;
        holder = token;
        return true;
      };
      if (kept === undefined) return carryOut();
      kept.push(carryOut);
      throw new Error("no answer");
    },
    async release(_, token) {
      if (holder === token) holder = undefined;
    },
  };
  return {
    store,
    end() {
      holder = undefined;
    },
    keep() {
      kept = [];
    },
    carryOut() {
      const late = kept ?? [];
      kept = undefined;
      for (const each of late) each();
    },
  };
}

describe("where the date is set forward by more than a lease lives", () => {
  test("stays held, also if several ask at the same time", async () => {
    const { store } = storeWithOwnClock();
    const held = await leaseIn(store, TERMS);
    const before = held?.isHeld();
    setClocks({ date: 3_600_000 });
    expect(await Promise.all([before, held?.isHeld(), held?.isHeld()])).toEqual([true, true, true]);
    await held?.();
  });

  test("is lost if it ended, though nobody has it", async () => {
    const { store, end } = storeWithOwnClock();
    const held = await leaseIn(store, TERMS);
    end();
    setClocks({ date: 3_600_000 });
    expect(await held?.isHeld()).toBe(false);
    expect(await leaseIn(store, TERMS)).toBeDefined();
  });

  test("is lost if a renewal without an answer may have taken it again", async () => {
    const { store, end, keep, carryOut } = storeWithOwnClock();
    const held = await leaseIn(store, TERMS);
    keep();
    expect(await held?.isHeld()).toBe(true);
    end();
    carryOut();
    setClocks({ date: 3_600_000 });
    expect(await held?.isHeld()).toBe(false);
  });
});

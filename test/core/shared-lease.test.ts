/** Leases in a store that others use too, whose answers come in an order of their own. */
import { expect, test } from "vitest";
import { type LeaseStore, leaseIn } from "../../core/journals/lease.ts";

const TERMS = { key: "video", timeout: 10_000, isFenced: true };

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
  const renewal = held?.lease.isHeld?.();
  const release = held?.lease();
  await new Promise((resolve) => setTimeout(resolve, 50));
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
  void held?.lease.isHeld?.();
  await held?.lease();
  expect(done).toEqual(["released"]);
});

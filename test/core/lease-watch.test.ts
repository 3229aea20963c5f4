import { describe, expect, test } from "vitest";
import type { UploadError } from "../../core/errors.ts";
import type { Lease } from "../../core/journal/journal.ts";
import { watchLease } from "../../core/journal/lease-watch.ts";
import { caught } from "../caught.ts";

const IN_PROGRESS = { code: "in-progress", retryable: true };

/** Watches over a lease that is asked like this, and notes each loss that is told. */
function watch(isHeld?: () => Promise<boolean> | boolean) {
  const losses: UploadError[] = [];
  const release = async () => {};
  const lease = isHeld === undefined ? release : Object.assign(release, { isHeld });
  const watched = watchLease(lease as Lease, (error) => losses.push(error));
  return { ...watched, losses };
}

describe("watchLease()", () => {
  test("asks whenever that is to be confirmed", async () => {
    let asked = 0;
    const { confirm, confirmAfterPause, stop, losses } = watch(() => ++asked > 0);
    await confirm();
    await confirm();
    await confirmAfterPause();
    expect([asked, losses]).toEqual([2, []]);
    stop();
  });

  test("rejects for good once the lease is lost, and tells it once", async () => {
    let held = true;
    const { confirm, confirmAfterPause, stop, losses } = watch(() => held);
    await confirm();
    held = false;
    expect(await caught(confirm())).toMatchObject(IN_PROGRESS);
    held = true;
    // Without a pause, too.
    expect(await caught(confirmAfterPause())).toMatchObject(IN_PROGRESS);
    expect(await caught(confirm())).toMatchObject(IN_PROGRESS);
    expect(losses).toHaveLength(1);
    stop();
  });

  test("takes a lease whose journal fails for lost", async () => {
    const { confirm, stop, losses } = watch(async () => {
      throw new Error("no disk");
    });
    expect(await caught(confirm())).toMatchObject(IN_PROGRESS);
    expect(losses).toHaveLength(1);
    stop();
  });

  test("asks by itself every second until it is stopped", async () => {
    let asked = 0;
    const { stop, losses } = watch(() => ++asked < 2);
    await expect.poll(() => losses.length).toBe(1);
    expect(asked).toBe(2);
    stop();
  });

  test("tells nobody of a loss once it was stopped", async () => {
    const { confirm, stop, losses } = watch(() => false);
    stop();
    expect(await caught(confirm())).toMatchObject(IN_PROGRESS);
    expect(losses).toEqual([]);
  });

  test("has nothing to ask where a lease can't be lost", async () => {
    const { confirm, confirmAfterPause, stop } = watch();
    await confirm();
    await confirmAfterPause();
    stop();
  });
});

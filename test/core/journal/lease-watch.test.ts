import { afterEach, describe, expect, test, vi } from "vitest";
import type { UploadError } from "../../../core/errors/errors.ts";
import type { Lease } from "../../../core/journal/journal.ts";
import { watchLease } from "../../../core/journal/lease-watch.ts";
import { caught } from "../../support/caught.ts";

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
  afterEach(() => {
    vi.useRealTimers();
  });

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

  test.each<[string, () => Promise<boolean>]>([
    ["rejects", () => Promise.reject(new Error("no disk"))],
    [
      "throws",
      () => {
        throw new Error("no disk");
      },
    ],
    ["never answers", () => new Promise(() => {})],
  ])("takes a lease whose journal %s for lost", async (how, isHeld) => {
    vi.useFakeTimers();
    const { confirm, stop, losses } = watch(isHeld);
    const rejected = caught(confirm());
    await vi.advanceTimersByTimeAsync(9_900);
    expect(losses).toHaveLength(how === "never answers" ? 0 : 1);
    await vi.advanceTimersByTimeAsync(100);
    expect(await rejected).toMatchObject(IN_PROGRESS);
    expect(losses).toHaveLength(1);
    stop();
  });

  test("asks by itself every second until it is stopped, and before the next piece after a pause", async () => {
    vi.useFakeTimers();
    const asked = vi.fn(() => true);
    const { confirmAfterPause, stop } = watch(asked);
    await vi.advanceTimersByTimeAsync(2_999);
    expect(asked).toBeCalledTimes(2);
    stop();
    await confirmAfterPause();
    expect(asked).toBeCalledTimes(2);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(asked).toBeCalledTimes(2);
    await confirmAfterPause();
    expect(asked).toBeCalledTimes(3);
  });

  test("tells a loss that it finds by itself", async () => {
    vi.useFakeTimers();
    const { stop, losses } = watch(() => false);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(losses).toMatchObject([IN_PROGRESS]);
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

import { describe, expect, test } from "vitest";
import { boundBefore, delayBefore, delayInOutage, pause } from "../../../core/transfer/attempts.ts";
import { DEFAULT_RETRY } from "../../../core/transfer/request.ts";

const retry = { attempts: 5, minDelay: 100, maxDelay: 1000, outageDelay: 300, maxRetryAfter: 60_000 };
const almostOne = 1 - Number.EPSILON;

test("pause() ends at once where whoever was told of it has stopped the upload", async () => {
  await expect(pause(undefined, AbortSignal.abort("enough"))).rejects.toBe("enough");
});

describe("delayBefore()", () => {
  test("waits nothing at least, and up to a bound that doubles until the longest wait", () => {
    const bounds = [100, 200, 400, 800, 1000, 1000, 1000];
    for (const [index, bound] of bounds.entries()) {
      expect(delayBefore(index + 1, retry, undefined, 0)).toBe(0);
      expect(delayBefore(index + 1, retry, undefined, 0.5)).toBe(bound / 2);
      expect(delayBefore(index + 1, retry, undefined, almostOne)).toBeCloseTo(bound, 6);
    }
  });

  test("waits no less than the service asks, also longer than the longest wait of its own", () => {
    expect(delayBefore(1, retry, 30_000, 0)).toBe(30_000);
    expect(delayBefore(1, retry, 0, 0.5)).toBe(50);
    expect(delayBefore(5, retry, 100, 0.5)).toBe(500);
  });

  test("gives up when the service asks for more than is allowed, to the millisecond", () => {
    expect(delayBefore(1, retry, 60_000, 0)).toBe(60_000);
    expect(delayBefore(1, retry, 60_001, 0)).toBeUndefined();
    expect(delayBefore(1, retry, 1e20, 0)).toBeUndefined();
    expect(delayBefore(1, { ...retry, maxRetryAfter: 0 }, 1, 0)).toBeUndefined();
    expect(delayBefore(1, { ...retry, maxRetryAfter: Infinity }, 3_600_000, 0)).toBe(3_600_000);
  });

  test("waits nothing where no wait is wanted", () => {
    expect(delayBefore(3, { ...retry, minDelay: 0 }, undefined, almostOne)).toBe(0);
    expect(delayBefore(3, { ...retry, maxDelay: 0 }, undefined, almostOne)).toBe(0);
  });

  test("waits after a line that broke for a tenth of the time it had held, at first", () => {
    expect(delayBefore(1, retry, undefined, 0.5, 200)).toBe(10);
    expect(delayBefore(1, retry, undefined, 0.5, 0)).toBe(0);
    expect(delayBefore(1, retry, undefined, 0.5, 60_000)).toBe(50);
    expect(delayBefore(2, retry, undefined, 0.5, 200)).toBe(100);
    expect(delayBefore(1, retry, 3000, 0.5, 200)).toBe(3000);
  });
});

test("the defaults are those that are documented", () => {
  const documented = {
    attempts: 18,
    minDelay: 200,
    maxDelay: 30_000,
    outageDelay: 3000,
    maxRetryAfter: 300_000,
  };
  expect(DEFAULT_RETRY).toEqual(documented);
});

test("boundBefore() doubles forty times at most, so that it stays a number of milliseconds", () => {
  const endless = { ...retry, minDelay: 1, maxDelay: Number.POSITIVE_INFINITY };
  expect([40, 41, 42, 1000].map((attempt) => boundBefore(attempt, endless))).toEqual([
    2 ** 39,
    2 ** 40,
    2 ** 40,
    2 ** 40,
  ]);
});

test("delayInOutage() waits no longer than a try apart, the bound of the attempt, or what is left", () => {
  expect(delayInOutage(1, retry, 1000, 0.5)).toBe(50);
  expect(delayInOutage(2, retry, 1000, 0.5)).toBe(100);
  expect(delayInOutage(5, retry, 1000, 0.5)).toBe(150);
  expect(delayInOutage(5, retry, 20, 0.5)).toBe(20);
  expect(delayInOutage(5, retry, -20, 0.5)).toBe(0);
  expect(delayInOutage(5, retry, 1000, 0)).toBe(0);
});

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { beforeDeadline } from "../../entrypoints/background/deadline.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());
const late = () => new Error("too late");

test("beforeDeadline() ends a call whose answer doesn't come, before the worker would end", async () => {
  let given: AbortSignal | undefined;
  const call = beforeDeadline((signal) => {
    given = signal;
    return new Promise(() => {});
  }, late);
  const outcome = expect(call).rejects.toThrow("too late");
  await vi.advanceTimersByTimeAsync(24_000);
  expect(given?.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1000);
  expect(given?.aborted).toBe(true);
  await outcome;
});

test("beforeDeadline() leaves an answer in time alone, and no timer behind", async () => {
  expect(await beforeDeadline(async () => "answer", late)).toBe("answer");
  expect(vi.getTimerCount()).toBe(0);
});

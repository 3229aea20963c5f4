import { expect, test, vi } from "vitest";
import { within } from "../../../entrypoints/shared/within.ts";

test("within() gives what comes in the place of work that takes too long", async () => {
  vi.useFakeTimers();
  expect(await within(20, Promise.resolve(7), () => 8)).toBe(7);
  expect(vi.getTimerCount()).toBe(0);
  const late = within(20, new Promise<never>(() => {}), () => 8);
  await vi.advanceTimersByTimeAsync(20);
  expect(await late).toBe(8);
  vi.useRealTimers();
});

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { startStopwatch } from "../../core/time/clock.ts";

const HOUR = 60 * 60 * 1000;

describe("startStopwatch()", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
  afterEach(() => void vi.useRealTimers());

  test("counts the time of the day where the steady clock stood still, as while a machine sleeps", () => {
    const elapsed = startStopwatch();
    vi.setSystemTime(Date.now() + HOUR);
    expect(elapsed()).toBeGreaterThanOrEqual(HOUR);
    expect(elapsed()).toBeLessThan(2 * HOUR);
  });

  test("counts steady time where the clock of the day was set back", () => {
    const elapsed = startStopwatch();
    vi.setSystemTime(Date.now() - HOUR);
    expect(elapsed()).toBeGreaterThanOrEqual(0);
    expect(elapsed()).toBeLessThan(HOUR);
  });
});

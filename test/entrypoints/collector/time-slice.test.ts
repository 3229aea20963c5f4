import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CLOCK_INTERVAL, startTimeSlice } from "../../../entrypoints/collector/time-slice.ts";

beforeEach(() => vi.useFakeTimers({ toFake: ["performance", "setTimeout"] }));
afterEach(() => vi.useRealTimers());

/** Milliseconds in which the page works, or its visitor looks on. */
const pass = (milliseconds: number) => vi.advanceTimersByTime(milliseconds);

async function yieldFor(slice: ReturnType<typeof startTimeSlice>, milliseconds: number): Promise<void> {
  const back = slice.yieldToPage();
  pass(milliseconds);
  await back;
}

describe("startTimeSlice()", () => {
  test("lets the page run after its time, and looks at the clock once in so many steps", async () => {
    const slice = startTimeSlice({ slice: 5, work: 1000, look: 1000 });
    pass(6);
    for (let step = 1; step < CLOCK_INTERVAL; step++) expect(slice.isOver()).toBe(false);
    expect(slice.isOver()).toBe(true);
    expect(slice.isOver(CLOCK_INTERVAL - 1)).toBe(false);
    expect(slice.isOver(CLOCK_INTERVAL)).toBe(true);
    await yieldFor(slice, 50);
    pass(5);
    expect(slice.isOver(CLOCK_INTERVAL)).toBe(false);
  });

  test.each([
    ["its own work", { work: 20, look: 1000 }, 10, 0],
    ["the whole look, the page's own work between slices too", { work: 1000, look: 20 }, 0, 10],
  ])("is used up after %s, or a share of it", async (_, limits, worked, waited) => {
    const slice = startTimeSlice({ slice: 5, ...limits });
    const told: [boolean, boolean][] = [];
    for (let turn = 0; turn < 3; turn++) {
      pass(worked);
      await yieldFor(slice, waited);
      told.push([slice.isUsedUp(0.5), slice.isUsedUp()]);
    }
    expect(told).toEqual([
      [false, false],
      [true, false],
      [true, true],
    ]);
  });
});

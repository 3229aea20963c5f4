/** No wait of core lasts longer, ends sooner or spins where the date is set, or its process stopped, while it lasts. */
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { isWrong, STEPS } from "../../support/core/clock-rule.ts";
import { waitsThroughStop } from "../../support/core/stopped-waits.ts";
import { beginWaits, LONG_PLACES, type Outcome, PLACES } from "../../support/core/waiting-places.ts";

const wrong = (outcomes: Outcome[]) =>
  outcomes.filter(isWrong).map(({ name, lasted, timers }) => ({ name, lasted, timers }));
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// Code that runs for the first time takes time of its own.
beforeAll(async () => void (await (await beginWaits(PLACES))()));

describe("each wait of core ends in its time, with few timers, where the date is set", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
  afterEach(() => void vi.useRealTimers());

  test.each(STEPS)("%s", async (_, step) => {
    const ended = await beginWaits(PLACES);
    await pause(150);
    vi.setSystemTime(Date.now() + step);
    expect(wrong(await ended())).toEqual([]);
  });

  test("again and again, where it lasts for seconds", async () => {
    const ended = await beginWaits(LONG_PLACES.filter(({ most }) => most <= 5_000));
    for (const [, step] of STEPS) {
      await pause(100);
      vi.setSystemTime(Date.now() + step);
    }
    expect(wrong(await ended())).toEqual([]);
  });
});

test("each wait of core ends in its time in a process that was stopped for three seconds", async () => {
  const outcomes = await waitsThroughStop(3_000, "usual");
  expect(outcomes).toHaveLength(PLACES.length);
  expect(wrong(outcomes.map((outcome) => ({ ...outcome, least: 0, lasted: outcome.after })))).toEqual([]);
});

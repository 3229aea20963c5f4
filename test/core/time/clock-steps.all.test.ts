/** The table of all places where core waits, by what is done to the clock meanwhile: milliseconds that each wait lasted. */
import { afterEach, expect, test, vi } from "vitest";
import { isWrong, STEPS } from "../../support/core/clock-rule.ts";
import { waitsThroughStop } from "../../support/core/stopped-waits.ts";
import { beginWaits, LONG_PLACES, type Outcome, PLACES } from "../../support/core/waiting-places.ts";

const ALL = [...PLACES, ...LONG_PLACES];
const STOP = 20_000;

afterEach(() => void vi.useRealTimers());

test("no wait misses its limit by more than a second beyond a stop, whatever the clock does", async () => {
  const table: Record<string, Record<string, number>> = {};
  const wrong: string[] = [];
  const note = (step: string, { name, ...outcome }: Outcome) => {
    table[name] = { limit: outcome.most, ...table[name], [step]: Math.round(outcome.lasted) };
    if (isWrong({ name, ...outcome })) wrong.push(`${name}, ${step}: ${JSON.stringify(outcome)}`);
  };
  vi.useFakeTimers({ toFake: ["Date"] });
  for (const [step, milliseconds] of STEPS) {
    const ended = await beginWaits(ALL);
    await new Promise((resolve) => setTimeout(resolve, 150));
    vi.setSystemTime(Date.now() + milliseconds);
    for (const outcome of await ended()) note(step, outcome);
  }
  vi.useRealTimers();
  for (const outcome of await waitsThroughStop(STOP, "all"))
    note("after a stop of 20 s", { ...outcome, least: 0, lasted: Math.max(0, outcome.after) });
  console.table(table);
  expect(wrong).toEqual([]);
  expect(Object.keys(table)).toHaveLength(ALL.length);
}, 300_000);

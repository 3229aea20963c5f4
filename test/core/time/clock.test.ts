import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { startAwakeTimer, startStopwatch, takeClock } from "../../../core/time/clock.ts";
import { setClocks } from "../../support/core/set-clocks.ts";

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

test("no other file of core asks a clock of the runtime", async () => {
  const core = fileURLToPath(new URL("../../../core/", import.meta.url));
  const names = (await readdir(core, { recursive: true })).map((name) => name.replaceAll("\\", "/"));
  const sources = names.filter(
    (name) => name.endsWith(".ts") && !/^(time|examples|node_modules)\//.test(name),
  );
  expect(sources.length).toBeGreaterThan(100);
  const asking = await Promise.all(
    sources.map(async (name) =>
      /\bDate\.now\b|\bperformance\.now\b|\bnew Date\(\)/.test(await readFile(`${core}${name}`, "utf8")),
    ),
  );
  expect(sources.filter((_, at) => asking[at])).toEqual([]);
});

test("an awake timer leaves out the time in which the process stood still", () => {
  let now = 0;
  takeClock({ steady: () => now, date: () => 0 });
  const timer = startAwakeTimer();
  try {
    now += 1_500;
    expect(timer.elapsed()).toBe(1_500);
    timer.look();
    now += 20_000;
    expect(timer.elapsed()).toBe(3_500);
  } finally {
    timer.end();
    setClocks();
  }
});

/** The bar of an upload beside what has arrived, on lines of other rates. */
import { describe, expect, test } from "vitest";
import { createLineProgress } from "../../../entrypoints/offscreen/line-progress.ts";

const MiB = 2 ** 20;
/** Milliseconds between two reports. */
const STEP = 50;

interface Line {
  size: number;
  /** Bytes in a millisecond. */
  rate: number;
  /** Bytes that its buffers hold. @default 4 MiB */
  holds?: number;
  /** The rate that is known before. */
  known?: number;
}

/** What is shown from report to report, beside what has arrived, until a while after all of it has. */
function follow({
  size,
  rate,
  holds = 4 * MiB,
  known,
}: Line): { shown: number; arrived: number; time: number }[] {
  const line = createLineProgress({ ...(known !== undefined && { rate: known }) });
  const seen = [];
  for (let time = 0; time <= size / rate + 1000; time += STEP) {
    const arrived = Math.min(size, rate * time);
    const sent = Math.min(size, holds + arrived);
    seen.push({ shown: line.taken({ sent, acknowledged: 0, total: size }, time), arrived, time });
  }
  return seen;
}

describe.each([
  ["a short video on a slow line, by the rate of the one before", { size: 4 * MiB, rate: 1500, known: 1500 }],
  ["a video on a slow line", { size: 40 * MiB, rate: 1500 }],
  ["a video on a very slow line", { size: 20 * MiB, rate: 100 }],
  ["a video on a fast line", { size: 400 * MiB, rate: 100_000 }],
  ["a line that holds little", { size: 40 * MiB, rate: 1500, holds: 64 * 1024 }],
])("%s", (_, line) => {
  test("is never shown beyond what has arrived, nor far behind it, and goes only forward", () => {
    let before = 0;
    for (const { shown, arrived } of follow(line)) {
      expect(shown).toBeLessThanOrEqual(arrived + line.rate * STEP);
      expect(shown).toBeGreaterThanOrEqual(arrived - Math.max(8 * MiB, line.rate * 400));
      expect(shown).toBeGreaterThanOrEqual(before);
      before = shown;
    }
  });

  test("is whole as soon as the last byte should have arrived", () => {
    const whole = follow(line).find(({ shown }) => shown === line.size);
    expect(whole?.time).toBeGreaterThanOrEqual(line.size / line.rate - STEP);
    expect(whole?.time).toBeLessThan(line.size / line.rate + 600);
  });
});

test("a video that the buffers hold whole isn't shown as sent while no rate is known", () => {
  const line = createLineProgress({});
  for (const time of [0, 50, 2000])
    expect(line.taken({ sent: 4 * MiB, acknowledged: 0, total: 4 * MiB }, time)).toBe(0);
  expect(line.taken({ sent: 4 * MiB, acknowledged: 4 * MiB, total: 4 * MiB }, 2700)).toBe(4 * MiB);
});

test("what is acknowledged counts, and a part that follows it fills the buffers anew", () => {
  const line = createLineProgress({});
  const total = 24 * MiB;
  line.taken({ sent: 4 * MiB, acknowledged: 0, total }, 0);
  expect(line.taken({ sent: 8 * MiB, acknowledged: 8 * MiB, total }, 5000)).toBe(8 * MiB);
  expect(line.taken({ sent: 12 * MiB, acknowledged: 8 * MiB, total }, 5050)).toBe(8 * MiB);
  expect(line.taken({ sent: 13 * MiB, acknowledged: 8 * MiB, total }, 6000)).toBe(9 * MiB);
});

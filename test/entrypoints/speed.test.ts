import { expect, test } from "vitest";
import { speedMeter } from "../../entrypoints/offscreen/speed.ts";

test("the speed follows a steady line, and a change within seconds", () => {
  let at = 0;
  const speed = speedMeter(() => at);
  let bytes = 0;
  let now = speed(0);
  const go = (perSecond: number, seconds: number) => {
    for (let tick = 0; tick < seconds * 5; tick++) {
      at += 200;
      bytes += perSecond / 5;
      now = speed(bytes);
    }
  };
  go(1000, 3);
  expect(now).toBeCloseTo(1000, 0);
  go(4000, 2);
  expect(now).toBeGreaterThan(1500);
  go(4000, 20);
  expect(now).toBeCloseTo(4000, -2);
});

test("an offset that goes back is no negative speed", () => {
  let at = 0;
  const speed = speedMeter(() => at);
  speed(500);
  at = 1000;
  speed(1000);
  at = 2000;
  expect(speed(2000)).toBe(1000);
  at = 3000;
  expect(speed(0)).toBe(1000);
});

test("what sockets swallow at the beginning is no speed", () => {
  let at = 0;
  const speed = speedMeter(() => at);
  expect(speed(8_000_000)).toBe(0);
  at = 1000;
  expect(speed(8_500_000)).toBe(0);
  at = 2000;
  expect(speed(9_000_000)).toBe(500_000);
});

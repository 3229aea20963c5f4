import { describe, expect, test } from "vitest";
import { SpeedMeter } from "../../../core/progress/speed.ts";
import { MiB } from "../../support/content.ts";

describe("SpeedMeter", () => {
  /** A meter with a clock of its own, and a line that hands over so much a second. */
  function line() {
    const meter = new SpeedMeter();
    let at = 0;
    const go = (perSecond: number, seconds: number) => {
      for (let tick = 0; tick < seconds * 10; tick++) {
        at += 100;
        meter.add(perSecond / 10, at);
      }
    };
    const wait = (seconds: number) => {
      at += seconds * 1000;
    };
    return { meter, go, wait };
  }

  test("knows nothing until bytes have left for a second", () => {
    const { meter, go } = line();
    expect(meter.speed).toBeUndefined();
    expect(meter.timeFor(1)).toBeUndefined();
    go(1000, 1);
    expect(meter.speed).toBeUndefined();
    go(1000, 1);
    expect(meter.speed).toBeCloseTo(1000, 0);
    expect(meter.timeFor(5000)).toBeCloseTo(5000, 0);
  });

  test("counts bytes that are told in the same moment", () => {
    const { meter, go } = line();
    go(1000, 5);
    meter.add(500, 5000);
    expect(meter.speed).toBeGreaterThan(1000);
    expect(meter.speed).toBeLessThan(1500);
  });

  test("leaves out what sockets swallow at the beginning", () => {
    const { meter, go } = line();
    meter.add(8_000_000, 0);
    go(500_000, 3);
    expect(meter.speed).toBeCloseTo(500_000, -2);
  });

  test("follows a change within seconds, and moves little with a hiccup", () => {
    const { meter, go } = line();
    go(1000, 10);
    go(0, 1);
    expect(meter.speed).toBeGreaterThan(700);
    go(4000, 30);
    expect(meter.speed).toBeCloseTo(4000, -2);
  });

  test("counts the time between parts that go at once", () => {
    const { meter, go, wait } = line();
    const speeds: (number | undefined)[] = [];
    for (let part = 0; part < 6; part++) {
      go(40 * MiB, 0.2);
      speeds.push(meter.speed);
      wait(3.8);
    }
    const [first, ...others] = speeds;
    expect(first).toBeUndefined();
    for (const speed of others) {
      expect(speed).toBeGreaterThan(1.5 * MiB);
      expect(speed).toBeLessThan(3 * MiB);
    }
  });

  test("doesn't count a pause as slowness", () => {
    const { meter, go, wait } = line();
    go(1000, 5);
    meter.pause();
    wait(600);
    go(1000, 5);
    expect(meter.speed).toBeCloseTo(1000, 0);
  });

  test("has no time left to tell for a line that stands", () => {
    const { meter, go } = line();
    go(0, 5);
    expect(meter.speed).toBe(0);
    expect(meter.timeFor(1)).toBeUndefined();
  });
});

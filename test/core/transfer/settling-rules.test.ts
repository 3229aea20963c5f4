import { describe, expect, test, vi } from "vitest";
import { Settling } from "../../../core/transfer/settling.ts";

describe("Settling", () => {
  test("knows at first that a new upload has nothing, and nothing of one that is continued", () => {
    const fresh = new Settling(500, false);
    expect([fresh.doubtful, fresh.standsAt(0), fresh.hasTold(0), fresh.quiet]).toEqual([
      false,
      true,
      true,
      500,
    ]);
    const continued = new Settling(500, true);
    expect([continued.doubtful, continued.standsAt(2 ** 53), continued.hasTold(0)]).toEqual([
      true,
      false,
      false,
    ]);
    fresh.doubtful = true;
    expect(fresh.doubtful).toBe(true);
  });

  test("waits three times as long as the slowest answer took, from its least to 30 seconds", () => {
    const settling = new Settling(500, false);
    const waits = [100, 1000, 200, 9999, 10_000, 60_000].map((milliseconds) => {
      settling.answered(milliseconds);
      return settling.quiet;
    });
    expect(waits).toEqual([500, 3000, 3000, 29_997, 30_000, 30_000]);
    const patient = new Settling(40_000, false);
    patient.answered(60_000);
    expect(patient.quiet).toBe(40_000);
  });

  test("after a request that failed the host may come to the end of its whole parts", () => {
    const settling = new Settling(0, false);
    settling.failed(0, 25, 20);
    settling.failed(0, 5, 0);
    expect([settling.doubtful, settling.hasTold(0)]).toEqual([true, false]);
    expect([settling.standsAt(19), settling.standsAt(20), settling.standsAt(21)]).toEqual([
      false,
      true,
      true,
    ]);
    expect([settling.hasStoredTwice(25), settling.hasStoredTwice(26)]).toEqual([false, true]);
  });

  test("what is counted beyond what was sent is stored twice only where a whole part was sent", () => {
    const partless = new Settling(0, false);
    partless.failed(10, 15, 10);
    partless.told(15);
    expect(partless.standsAt(100)).toBe(true);
    expect(partless.hasStoredTwice(16)).toBe(false);
    partless.told(16);
    expect(partless.standsAt(100)).toBe(false);
    const acknowledged = new Settling(0, false);
    acknowledged.acknowledged(10);
    expect([acknowledged.doubtful, acknowledged.hasTold(0)]).toEqual([false, false]);
    expect([acknowledged.hasStoredTwice(10), acknowledged.hasStoredTwice(11)]).toEqual([false, true]);
  });

  test("begins again where the offset stands still", () => {
    const settling = new Settling(0, true);
    settling.failed(0, 40, 30);
    settling.settled(20, false);
    expect([settling.hasTold(20), settling.hasTold(0)]).toEqual([true, false]);
    expect([settling.standsAt(19), settling.standsAt(20)]).toEqual([false, true]);
    settling.told(20);
    expect(settling.standsAt(20)).toBe(true);
    settling.told(21);
    expect([settling.hasStoredTwice(21), settling.standsAt(21)]).toEqual([false, false]);
    settling.settled(30, false);
    settling.acknowledged(35);
    settling.acknowledged(32);
    expect(settling.hasStoredTwice(35)).toBe(false);
    expect(settling.hasStoredTwice(36)).toBe(true);
  });

  test("has handed over what it sent, as long as no store sweeps that away", () => {
    vi.useFakeTimers({ toFake: ["Date", "performance"] });
    const settling = new Settling(0, false);
    settling.failed(0, 25, 20);
    expect([settling.hasHandedOver(25), settling.hasHandedOver(26)]).toEqual([true, false]);
    vi.advanceTimersByTime(3_600_000);
    expect(settling.hasHandedOver(25)).toBe(false);
    settling.settled(10, false);
    settling.failed(10, 25, 20);
    vi.advanceTimersByTime(3_000_000);
    expect(settling.hasHandedOver(25)).toBe(true);
    settling.settled(25, true);
    vi.advanceTimersByTime(600_000);
    expect(settling.hasHandedOver(25)).toBe(false);
    vi.useRealTimers();
  });

  test("takes what the last answer told for sent, however much it is", () => {
    const settling = new Settling(0, false);
    settling.settled(50, false);
    settling.failed(0, 10, 10);
    expect(settling.hasStoredTwice(50)).toBe(false);
    expect(settling.hasStoredTwice(51)).toBe(true);
  });
});

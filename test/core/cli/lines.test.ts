import { describe, expect, test } from "vitest";
import { Standstill } from "../../../core/cli/lines.ts";
import type { Progress } from "../../../core/progress/progress.ts";

const progress = (more: Partial<Progress>) => ({ state: "sending", sent: 0, ...more }) as Progress;

describe("Standstill", () => {
  const waits = (sent: number) =>
    progress({ state: "waiting", sent, waiting: { reason: "connection", until: 0, attempt: 1 } });

  test("tells once that nothing gets through, and once that it resumes", () => {
    const standstill = new Standstill();
    const told: [number, string][] = [];
    const note = (now: number, report: Progress, number = 1) => {
      const words = standstill.note(number, report, now);
      if (words !== undefined) told.push([number, words]);
    };
    note(0, progress({ sent: 100 }));
    for (let at = 1_000; at < 500_000; at += 1_000) {
      note(at, waits(0));
      // An attempt that hands over what was sent before brings nothing.
      note(at + 500, progress({ sent: 100 }));
      note(at + 600, waits(0), 2);
    }
    expect(told).toEqual([[1, "waits: the connection failed"]]);
    note(500_000, progress({ sent: 101 }));
    note(500_000, progress({ sent: 102 }));
    expect(told.slice(1)).toEqual([[1, "resumes"]]);
    standstill.end(1);
    // The other one still stands, and that wasn't told.
    note(501_000, waits(0), 2);
    expect(told.slice(2)).toEqual([[2, "waits: the connection failed"]]);
  });

  test("tells at once, with its status and time, of a host that asks for a longer wait", () => {
    const until = new Date(2100, 0, 1, 14, 5, 10).getTime();
    const waiting = { reason: "rate-limited", httpStatus: 429, until, attempt: 1 } as const;
    expect(new Standstill().note(1, progress({ state: "waiting", waiting }), 0)).toBe(
      "waits: too many requests (429), tries again at 14:05:10",
    );
  });

  test("tells nothing of interruptions that are soon over", () => {
    const standstill = new Standstill();
    for (let at = 0; at < 500; at++) {
      expect(standstill.note(1, waits(at), at * 2_000)).toBeUndefined();
      expect(standstill.note(1, progress({ sent: at + 1 }), at * 2_000 + 500)).toBeUndefined();
    }
  });
});

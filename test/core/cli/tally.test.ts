import { describe, expect, test } from "vitest";
import { outcomeOf, Tally } from "../../../core/cli/tally.ts";
import type { Totals } from "../../../core/many/total-progress.ts";
import type { Progress } from "../../../core/progress/progress.ts";

const progress = (more: Partial<Progress>) => ({ state: "sending", sent: 0, ...more }) as Progress;

describe("Tally", () => {
  test("counts what was there neither as failed nor as bytes to send", () => {
    const told: Totals[] = [];
    const sizes = [100, 200, 300, 400].map((size) => ({ size }));
    const tally = new Tally((totals) => told.push(totals), sizes);
    tally.start(1, false);
    expect(told.at(-1)).toMatchObject({ sources: 4, sent: 0, total: 1000, fraction: 0, failed: 0 });
    tally.end(1, "alreadyThere");
    tally.start(2, false);
    tally.end(2, "failed");
    tally.start(3, false);
    tally.speed = 100;
    tally.update(3, progress({ state: "waiting", sent: 200, total: 300 }));
    const counts = { alreadyThere: 1, failed: 1 };
    expect(told.at(-1)).toMatchObject({ ...counts, sent: 200, total: 700, timeLeft: 5000 });
    // Another command has it.
    tally.postpone(3);
    tally.start(3, true);
    expect(told.at(-1)).toMatchObject({ sent: 0, total: 700, started: 3 });
    tally.update(3, progress({ sent: 300, total: 300 }));
    tally.end(3, "uploaded");
    expect(told.at(-1)).toMatchObject({ sent: 300, fraction: 300 / 700 });
    tally.start(4, false);
    tally.update(4, progress({ sent: 400, total: 400 }));
    tally.end(4, "uploaded");
    expect(told.at(-1)).toMatchObject({ sent: 700, total: 700, fraction: 1, timeLeft: 0 });
    expect(outcomeOf(tally)).toBe("2 uploaded, 1 was there already, 1 failed");
  });

  test("keeps a line for each of the first twenty that failed", () => {
    const tally = new Tally(() => {});
    for (let number = 1; number <= 25; number++) tally.fail(number, `${number}.mp4`);
    expect(tally.failed).toBe(25);
    expect(tally.failures).toEqual(Array.from({ length: 20 }, (_, at) => `${at + 1}.mp4`));
  });

  test("takes those of unknown size for as long as the others are on average", () => {
    const told: Totals[] = [];
    const tally = new Tally((totals) => told.push(totals), [{ size: 100 }, {}, {}]);
    tally.emit();
    expect(told.at(-1)?.total).toBe(300);
    tally.start(2, false);
    tally.update(2, progress({ state: "requesting", total: 50 }));
    expect(told.at(-1)?.total).toBe(225);
    new Tally((totals) => told.push(totals)).emit();
    expect(told.at(-1)).toMatchObject({ sources: undefined, total: undefined, fraction: undefined });
  });
});

/** Thousands of small sources by one call, from every runtime: memory that doesn't grow with them, and time that shrinks. */
import { afterAll, describe, expect, test } from "vitest";
import { runtimes } from "../runtimes/commands.ts";
import { useService } from "../service/use-service.ts";
import { peakDuring } from "../support/programs/peak-memory.ts";
import { follow } from "../support/programs/script.ts";

const service = useService({ processing: "none" });
const figures: Record<string, string | number>[] = [];
afterAll(() => console.table(figures));

/** How long it takes, and the most memory of the process, in MiB. */
async function run(command: readonly string[], count: number, size: number, atATime: number) {
  const [first = "", ...rest] = command;
  const args = [count, size, atATime].map(String);
  const script = follow(first, [...rest, "test/support/programs/upload-many.ts", ...args], {
    UPCUT_URL: service.baseUrl,
    UPCUT_TOKEN: service.token,
  });
  const peak = await peakDuring(script.process.pid, script.ended());
  const output = script.output();
  const [, uploaded, milliseconds] = /uploaded (\d+) in (\d+) ms/.exec(output) ?? [];
  if (Number(uploaded) !== count) throw new Error(output);
  await service.reset();
  return { seconds: Number(milliseconds) / 1000, peak };
}

describe.each(Object.entries(runtimes()))("%s", (name, command) => {
  test("holds no more for 10,000 sources than for 1,000", { timeout: 900_000 }, async () => {
    await service.set({ processing: "none" });
    const few = await run(command, 1_000, 2_000, 4);
    await service.set({ processing: "none" });
    const many = await run(command, 10_000, 2_000, 4);
    figures.push(
      { runtime: name, what: "1,000 of 2 kB", ...few },
      { runtime: name, what: "10,000 of 2 kB", ...many },
    );
    // Garbage that isn't collected yet grows a little; ten times as many sources would be ten times as much.
    expect(many.peak).toBeLessThan(few.peak * 1.6);
  });

  test("takes a part of the time for many at a time over a long line", { timeout: 300_000 }, async () => {
    const best = new Map<number, number>();
    // In turns, and the best of each: others use the machine as well.
    for (let round = 0; round < 2; round++)
      for (const atATime of [1, 4, 8]) {
        await service.set({ processing: "none", latency: 80 });
        const each = await run(command, 100, 100_000, atATime);
        best.set(atATime, Math.min(each.seconds, best.get(atATime) ?? Number.POSITIVE_INFINITY));
        figures.push({ runtime: name, what: `100 of 100 kB, 80 ms, ${atATime} at a time`, ...each });
      }
    const [one = 0, four = 0, eight = 0] = best.values();
    expect(one / four).toBeGreaterThan(2);
    expect(one / eight).toBeGreaterThan(2);
  });
});

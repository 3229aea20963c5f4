import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SAMPLE } from "./cases.ts";
import { type Lab, openLab, RUNTIMES } from "./lab.ts";
import { methodsOf, runCell } from "./matrix.ts";

describe.concurrent.each(RUNTIMES)("a file from %s comes whole, or ends in a clear error", (runtime) => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await openLab({ parts: true });
  });
  afterAll(() => lab.close());

  test("after each of a few faults by each method", async () => {
    const problems: string[] = [];
    for (const fault of SAMPLE) {
      for (const method of methodsOf(fault)) {
        const { problem, outcome } = await runCell(lab, fault, runtime, method);
        if (problem !== undefined) problems.push(`${fault.name}, ${method}: ${outcome}: ${problem}`);
      }
    }
    expect(problems).toEqual([]);
  }, 120_000);
});

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SAMPLE } from "./cases.ts";
import { CLIENTS, type Lab, openLab } from "./lab.ts";
import { cellsOf, methodsOf, runCell } from "./matrix.ts";

describe.concurrent.each(CLIENTS)("a file from %s comes whole, or ends in a clear error", (client) => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await openLab({ parts: true }, { client });
  });
  afterAll(() => lab.close());

  test("after each of a few faults by each method", async () => {
    const problems: string[] = [];
    for (const [fault, method] of cellsOf(SAMPLE, client)) {
      // A browser for each cell takes its time: here one method must do.
      if (client === "chromium" && method !== methodsOf(fault)[0]) continue;
      const { problem, outcome } = await runCell(lab, fault, client, method);
      if (problem !== undefined) problems.push(`${fault.name}, ${method}: ${outcome}: ${problem}`);
    }
    expect(problems).toEqual([]);
  }, 240_000);
});

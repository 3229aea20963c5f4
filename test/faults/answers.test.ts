import { describe, expect, test } from "vitest";
import { ANSWER_SAMPLE } from "./answer-cases.ts";
import { nameOf, openAnswerLab, openElsewhere } from "./answers.ts";
import { CLIENTS } from "./lab.ts";

describe.concurrent.each(CLIENTS)("a call from %s", (client) => {
  test("ends in time, whole or in a clear error, whatever a few faulty answers hold", {
    retry: 0,
    timeout: 600_000,
  }, async () => {
    const elsewhere = await openElsewhere();
    const lab = await openAnswerLab(client, elsewhere);
    const problems: string[] = [];
    for (const [fault, call] of ANSWER_SAMPLE) {
      for (const cell of await lab.runAll(fault, call))
        if (cell.problem !== undefined) problems.push(`${nameOf(cell)}: ${cell.outcome}: ${cell.problem}`);
    }
    await lab.close();
    elsewhere.close();
    expect(problems).toEqual([]);
  });
});

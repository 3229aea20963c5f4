import { afterAll, describe, expect, test } from "vitest";
import { ANSWER_FAULTS } from "./answer-cases.ts";
import {
  type AnswerCell,
  CALLS,
  nameOf,
  openAnswerLab,
  openElsewhere,
  summaryOf,
  tableOf,
} from "./answers.ts";
import { CLIENTS } from "./lab.ts";

const cells: AnswerCell[] = [];
/** `UPCUT_FAULT="bomb|endless"` runs those whose names match, `UPCUT_CLIENT=bun,deno` some clients, `UPCUT_CALL=HEAD` one call. */
const wanted = new RegExp(process.env.UPCUT_FAULT ?? "");
const chosen = ANSWER_FAULTS.filter(({ name }) => wanted.test(name));
const clients = CLIENTS.filter((client) => (process.env.UPCUT_CLIENT ?? client).includes(client));
const only = CALLS.find((call) => call === process.env.UPCUT_CALL);
/** Cells mostly wait: so many labs of a client share the faults. */
const LABS = Number(process.env.UPCUT_LABS ?? 2);

afterAll(() => {
  const wrong = cells.filter(({ problem }) => problem !== undefined).length;
  console.log(`\n${tableOf(cells)}\n\n${summaryOf(cells)}`);
  console.log(`${cells.length} cells of ${chosen.length} faults of answers, ${wrong} wrong`);
  if (clients.includes("chromium"))
    for (const { name, notInChromium } of chosen)
      if (notInChromium !== undefined) console.log(`Not in Chromium: ${name}: ${notInChromium}`);
});

describe.concurrent.each(clients)("every fault of an answer, met from %s", (client) => {
  test("ends in time, whole or in a clear error, without a secret", async () => {
    const problems: string[] = [];
    const left = [...chosen];
    const work = async () => {
      const elsewhere = await openElsewhere();
      const lab = await openAnswerLab(client, elsewhere);
      for (let fault = left.shift(); fault !== undefined; fault = left.shift()) {
        for (const cell of await lab.runAll(fault, only)) {
          cells.push(cell);
          if (cell.problem !== undefined) problems.push(`${nameOf(cell)}: ${cell.outcome}: ${cell.problem}`);
          if (process.env.UPCUT_LOG !== undefined)
            console.log(
              client,
              nameOf(cell),
              cell.outcome,
              cell.problem,
              cell.milliseconds,
              Math.round(cell.growth / 2 ** 20),
            );
        }
      }
      await lab.close();
      elsewhere.close();
    };
    await Promise.all(Array.from({ length: LABS }, work));
    expect(problems).toEqual([]);
  }, 7_200_000);
});

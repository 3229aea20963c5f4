import { afterAll, describe, expect, test } from "vitest";
import { CASES } from "./cases.ts";
import { openLab, RUNTIMES } from "./lab.ts";
import { type Cell, methodsOf, runCell, tableOf } from "./matrix.ts";

const cells: Cell[] = [];
/** `UPCUT_FAULT="journal|stream"` runs those whose names match. */
const wanted = new RegExp(process.env.UPCUT_FAULT ?? "");
const chosen = CASES.filter(({ name }) => wanted.test(name));

afterAll(() => {
  cells.sort((a, b) => order(a) - order(b));
  const wrong = cells.filter(({ problem }) => problem !== undefined).length;
  console.log(`\n${tableOf(cells)}\n\n${cells.length} cells of ${chosen.length} faults, ${wrong} wrong`);
});

const order = ({ fault }: Cell) => CASES.findIndex(({ name }) => name === fault);

describe.concurrent.each(RUNTIMES)("every fault, met from %s", (runtime) => {
  test("ends whole or in a clear error that keeps what is needed to go on", async () => {
    const lab = await openLab({ parts: true });
    const problems: string[] = [];
    for (const fault of chosen) {
      for (const method of methodsOf(fault)) {
        const cell = await runCell(lab, fault, runtime, method);
        cells.push(cell);
        if (cell.problem !== undefined)
          problems.push(`${fault.name}, ${method}: ${cell.outcome}: ${cell.problem}`);
      }
    }
    await lab.close();
    expect(problems).toEqual([]);
  }, 1_800_000);
});

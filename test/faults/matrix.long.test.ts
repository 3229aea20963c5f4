import { afterAll, describe, expect, test } from "vitest";
import { STORE_NAMES } from "../service/stores.ts";
import { CASES } from "./cases.ts";
import { CLIENTS } from "./lab.ts";
import { type Cell, cellsOf, leftOut, openMatrixLab, runCell, tableOf } from "./matrix.ts";

const cells: Cell[] = [];
/**
 * `UPCUT_FAULT="journal|stream"` runs those whose names match, `UPCUT_CLIENT=chromium` one client,
 * `UPCUT_STORE=tus-s3-1` one store.
 */
const wanted = new RegExp(process.env.UPCUT_FAULT ?? "");
const chosen = CASES.filter(({ name }) => wanted.test(name));
const stores = STORE_NAMES.filter((store) => store === (process.env.UPCUT_STORE ?? store));
const columns = CLIENTS.filter((client) => client.includes(process.env.UPCUT_CLIENT ?? ""));

afterAll(() => {
  cells.sort((a, b) => order(a) - order(b));
  const wrong = cells.filter(({ problem }) => problem !== undefined).length;
  console.log(`\n${tableOf(cells)}\n\n${cells.length} cells of ${chosen.length} faults, ${wrong} wrong`);
  if (columns.includes("chromium")) console.log(`\nNot in Chromium:\n${leftOut(chosen).join("\n")}`);
});

const order = ({ fault }: Cell) => CASES.findIndex(({ name }) => name === fault);

describe.each(stores)("at the store %s", (store) => {
  describe.concurrent.each(columns)("every fault, met from %s", (client) => {
    test("ends whole or in a clear error that keeps what is needed to go on", async () => {
      const lab = await openMatrixLab(client, store);
      const problems: string[] = [];
      for (const [fault, method] of cellsOf(chosen, client, store)) {
        const cell = await runCell(lab, fault, client, method, store);
        cells.push(cell);
        if (cell.problem !== undefined)
          problems.push(`${fault.name}, ${method}: ${cell.outcome}: ${cell.problem}`);
      }
      await lab.close();
      expect(problems).toEqual([]);
    }, 3_600_000);
  });
});

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { REAL_STORES, type StoreName } from "../service/stores.ts";
import { SAMPLE } from "./cases.ts";
import { CLIENTS, type ClientName, type Lab } from "./lab.ts";
import { cellsOf, methodsOf, openMatrixLab, runCell } from "./matrix.ts";

/** Each client with the service's own store; one must do for those of real services. */
const COLUMNS: [ClientName, StoreName][] = [
  ...CLIENTS.map((client): [ClientName, StoreName] => [client, "files"]),
  ...REAL_STORES.map((store): [ClientName, StoreName] => ["node", store]),
];

describe.concurrent.each(COLUMNS)(
  "a file from %s to the store %s comes whole, or ends in a clear error",
  (client, store) => {
    let lab: Lab;
    beforeAll(async () => {
      lab = await openMatrixLab(client, store);
    });
    afterAll(() => lab.close());

    test("after each of a few faults by each method", { retry: 0, timeout: 600_000 }, async () => {
      const problems: string[] = [];
      for (const [fault, method] of cellsOf(SAMPLE, client, store)) {
        // A browser for each cell takes its time: here one method must do.
        if (client === "chromium" && method !== methodsOf(fault)[0]) continue;
        const { problem, outcome } = await runCell(lab, fault, client, method, store);
        if (problem !== undefined) problems.push(`${fault.name}, ${method}: ${outcome}: ${problem}`);
      }
      expect(problems).toEqual([]);
    });
  },
);

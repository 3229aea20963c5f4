/** Tests that `npm run test:all` runs: `npm test` takes the walks, and a row or two of each table. */
import { test } from "vitest";

export const isAll: boolean = process.env.UPCUT_FILES === "all";

export const inAll: ReturnType<typeof test.runIf> = test.runIf(isAll);

/** A table of which `npm test` takes the first rows alone. */
export function table<Row>(rows: readonly Row[], usual = 1): Row[] {
  return rows.slice(0, isAll ? rows.length : usual);
}

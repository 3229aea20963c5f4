/** Tests that `npm run test:all` runs: `npm test` takes the walks, and a row or two of each table. */
import { test } from "vitest";

export const isAll: boolean = process.env.UPCUT_FILES === "all";

export const inAll: ReturnType<typeof test.runIf> = test.runIf(isAll);

/** A table of which `npm test` takes the first rows alone. */
export function table<Row>(rows: readonly Row[], usual = 1): Row[] {
  return rows.slice(0, isAll ? rows.length : usual);
}

/** Files of core that Bun and Deno run too hold tests of what all runtimes do alike: there `npm run test:all` has those. */
const isNode = process.env.EXPECT_RUNTIME === undefined;

export const inNode: ReturnType<typeof test.runIf> = test.runIf(isAll || isNode);

/** A table of which `npm test` takes the first row alone in Bun and Deno. */
export function tableElsewhere<Row>(rows: readonly Row[]): Row[] {
  return isNode ? [...rows] : table(rows);
}

/** The names that a user of the module meets: how many there are. */
import { expect, test } from "vitest";
import { readEntries } from "./public-names.ts";

/** Three calls don't need more; what few users need has an entry of its own. */
const MOST_NAMES = 35;

const entries = await readEntries();

test(`@upcut/core exports at most ${MOST_NAMES} names`, () => {
  const names = entries.find(({ path }) => path === "./mod.ts")?.names.map(({ name }) => name) ?? [];
  expect(names).toContain("upload");
  // All of them are told when there are too many.
  expect(names.length <= MOST_NAMES ? [] : names).toEqual([]);
});

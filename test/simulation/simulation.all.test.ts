/** Known faults of core are put back one at a time, and each is found; core as it is shows none in twenty minutes. */
import { expect, test } from "vitest";
import { KNOWN_FAULTS } from "./known-faults.ts";
import { bundleCore } from "./process.ts";
import { search } from "./search.ts";

const MINUTE = 60_000;
// New lives each time.
const first = Date.now();

const often = KNOWN_FAULTS.filter(({ isSeldom }) => isSeldom !== true);

test.each(often)("it is found when $name", { timeout: 10 * MINUTE }, async ({ changes, shows }) => {
  const program = await bundleCore(changes);
  const { stories } = await search(program, { first, shows, most: 1, milliseconds: MINUTE });
  console.log(...stories);
  expect(stories).toHaveLength(1);
});

test("no life of twenty minutes shows a fault", { timeout: 120 * MINUTE }, async () => {
  const { tally, stories, missing } = await search(await bundleCore(), { first, milliseconds: 20 * MINUTE });
  console.log(tally);
  expect(stories).toEqual([]);
  expect(missing).toEqual([]);
});

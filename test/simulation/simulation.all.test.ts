/** Known faults of core are put back one at a time, and each is found; core as it is shows none in twenty minutes. */
import { expect, test } from "vitest";
import { KNOWN_FAULTS } from "./known-faults.ts";
import { bundleCore } from "./process.ts";
import { liveFor } from "./search.ts";

const MINUTE = 60_000;

test.each(Object.entries(KNOWN_FAULTS))(
  "it is found when %s",
  { timeout: 10 * MINUTE },
  async (_, patches) => {
    const { tally, stories } = await liveFor(MINUTE, await bundleCore(patches), 1);
    console.log(tally, ...stories);
    expect(stories).toHaveLength(1);
  },
);

test("no life of twenty minutes shows a fault", { timeout: 120 * MINUTE }, async () => {
  const { tally, stories, missing } = await liveFor(20 * MINUTE, await bundleCore());
  console.log(tally);
  expect(stories).toEqual([]);
  expect(missing).toEqual([]);
});

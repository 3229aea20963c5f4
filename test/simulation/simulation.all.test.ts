/** Twenty minutes of lives. */
import { expect, test } from "vitest";
import { bundleCore } from "./process.ts";
import { liveFor } from "./search.ts";

const MINUTES = 20;

test(`no life of ${MINUTES} minutes shows a fault`, { timeout: 2 * MINUTES * 60_000 }, async () => {
  const { tally, stories } = await liveFor(MINUTES * 60_000, await bundleCore());
  console.log(tally.inWords());
  expect(stories).toEqual([]);
  expect(tally.missing()).toEqual([]);
});

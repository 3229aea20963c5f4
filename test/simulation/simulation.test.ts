/** A minute of lives: those that showed a fault once, and as many new ones as there is time for. */
import { expect, test } from "vitest";
import { live } from "./life.ts";
import { planOf } from "./plan.ts";
import { bundleCore } from "./process.ts";
import { liveFor } from "./search.ts";
import { KEPT_SEEDS } from "./seeds.ts";

const program = await bundleCore();

test("the same seed gives the same story", async () => {
  for (let seed = 1; seed <= 20; seed++) {
    const [one, other] = [await live(planOf(seed), program), await live(planOf(seed), program)];
    expect(other.story).toEqual(one.story);
    expect(other.hash).toBe(one.hash);
  }
});

for (const [seed, showed] of KEPT_SEEDS)
  test(`life ${seed}: ${showed}`, async () => {
    expect((await live(planOf(seed), program)).wrong).toEqual([]);
  });

test("no life of half a minute shows a fault", async () => {
  const { tally, stories } = await liveFor(30_000, program);
  console.log(tally.inWords());
  expect(stories).toEqual([]);
});

/** Lives that showed a fault once, and as many new ones as a minute has time for. */
import { expect, test } from "vitest";
import { live } from "./life.ts";
import { planOf } from "./plan.ts";
import { bundleCore } from "./process.ts";
import { liveFor, shortestStory } from "./search.ts";
import { KEPT_SEEDS } from "./seeds.ts";

const program = await bundleCore();

test("the same seed gives the same story", async () => {
  for (let seed = 1; seed <= 20; seed++) {
    const [one, other] = [await live(planOf(seed), program), await live(planOf(seed), program)];
    expect(other.story).toEqual(one.story);
    expect(other.hash).toBe(one.hash);
  }
});

test("a life that breaks off is told with its number", async () => {
  const broken = () => {
    throw new Error("it can't begin");
  };
  expect(await shortestStory(planOf(1), broken)).toMatch(/^seed 1: the life broke off: Error: it can/);
});

test.each(KEPT_SEEDS)("life %i, which showed that %s, shows nothing any more", async (seed) => {
  expect((await live(planOf(seed), program)).wrong).toEqual([]);
});

test("no life of a minute shows a fault", { timeout: 600_000 }, async () => {
  const { tally, stories } = await liveFor(50_000, program);
  console.log(tally);
  expect(stories).toEqual([]);
});

/** Lives that showed a fault once, and the first five hundred others. */
import { expect, test } from "vitest";
import { live } from "./life.ts";
import { planOf } from "./plan.ts";
import { bundleCore } from "./process.ts";
import { shortestStory } from "./search.ts";
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

// Always the same lives: what is red is what the change before it has done. New ones are lived each night.
test("none of 500 lives shows a fault", { timeout: 600_000 }, async () => {
  const stories: string[] = [];
  for (let seed = 1; seed <= 500; seed++)
    if ((await live(planOf(seed), program)).wrong.length > 0)
      stories.push(await shortestStory(planOf(seed), program));
  expect(stories).toEqual([]);
});

/** Three hundred lives, always the same, so that what is red is what the last change has done; new ones are lived each night. */
import { expect, test } from "vitest";
import { live } from "./life.ts";
import { planOf } from "./plan.ts";
import { bundleCore } from "./process.ts";
import { shortestStory } from "./search.ts";

const program = await bundleCore();

test("the same seed gives the same story", async () => {
  for (let seed = 1; seed <= 20; seed++)
    expect(await live(planOf(seed), program)).toEqual(await live(planOf(seed), program));
});

test("a life that breaks off is told with its number", async () => {
  const broken = () => {
    throw new Error("it can't begin");
  };
  expect(await shortestStory(planOf(1), broken)).toMatch(/^seed 1: the life broke off: Error: it can/);
});

test("none of 300 lives shows a fault", { timeout: 600_000 }, async () => {
  const stories: string[] = [];
  for (let seed = 1; seed <= 300; seed++)
    if ((await live(planOf(seed), program)).wrong.length > 0)
      stories.push(await shortestStory(planOf(seed), program));
  expect(stories).toEqual([]);
});

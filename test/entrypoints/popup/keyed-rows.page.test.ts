import { expect, test } from "vitest";
import { asset, makeJob } from "../../support/extension/pages/jobs.ts";
import { usePopup } from "../../support/extension/pages/use-pages.ts";
import { inAll } from "../../support/in-all.ts";

const popup = usePopup();
const { rows } = popup;

inAll("every row in sight is shown while hundreds of uploads start and end", async () => {
  const jobs = Array.from({ length: 300 }, (_, place) => makeJob("queued", { asset, createdAt: 1, place }));
  await popup.open({ query: "?tab=7" });
  await popup.page.setViewportSize({ width: 900, height: 1600 });
  await popup.tell({ type: "changed", jobs });
  await expect.poll(() => rows().count()).toBe(jobs.length);
  const blank = await popup.page.evaluate(async (jobs) => {
    const { tell } = globalThis as unknown as { tell(news: unknown): void };
    const frame = () => new Promise(requestAnimationFrame);
    let [blank, seen] = [0, 0];
    for (let at = 0; at < 40; at++) {
      const states = { [at]: "done", [at + 1]: "uploading", [at + 2]: "requesting" };
      const changed = Object.entries(states).map(([at, state]) => ({ ...jobs[Number(at)], state }));
      tell({ type: "changed", jobs: changed });
      await frame();
      for (const title of document.querySelectorAll("#list > li:nth-child(-n + 60) h3")) {
        const { top, bottom } = title.getBoundingClientRect();
        if (bottom < 0 || top > innerHeight) continue;
        seen++;
        if (!title.checkVisibility({ contentVisibilityAuto: true })) blank++;
      }
    }
    return { blank, isSeen: seen > 40 * 15 };
  }, jobs);
  expect(blank).toEqual({ blank: 0, isSeen: true });
});

test("a list of many uploads is drawn a few rows at a time, so that the page answers meanwhile", async () => {
  const count = 200;
  const jobs = Array.from({ length: count }, () => makeJob("queued", { asset }));
  await popup.open({ jobs: jobs.slice(0, 1) });
  await popup.page.evaluate(() => {
    const most = { rows: 0 };
    const drawn = new WeakSet<Node>();
    Object.assign(globalThis, { most });
    new MutationObserver((records) => {
      const changed = records.flatMap(({ type, target, addedNodes }) =>
        type === "attributes" ? [target] : [...addedNodes].filter((node) => !drawn.has(node)),
      );
      const rows = new Set(changed.filter((node) => node instanceof Element && node.matches("#list > li")));
      for (const row of rows) drawn.add(row);
      most.rows = Math.max(most.rows, rows.size);
    }).observe(document.getElementById("list") as Node, {
      childList: true,
      subtree: true,
      attributeFilter: ["data-state"],
    });
  });
  for (const state of ["queued", "paused"] as const) {
    await popup.tell({ type: "changed", jobs: jobs.map((job) => ({ ...job, state })) });
    await expect.poll(() => popup.page.locator(`#list > li[data-state=${state}]`).count()).toBe(count);
  }
  const most = await popup.page.evaluate(() => (globalThis as unknown as { most: object }).most);
  expect(most).toEqual({ rows: 16 });
  expect(await rows().last().getAttribute("aria-labelledby")).toBe(`title-${jobs[0]?.id}`);
});

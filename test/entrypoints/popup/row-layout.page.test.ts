/** Rows on a screen after their uploads have ended: the parts of each lie where its state has them. */
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import type { Job } from "../../../entrypoints/shared/job.ts";
import { type Display, startDisplay } from "../../browser/display.ts";
import { asset, makeJob } from "../../support/extension/pages/jobs.ts";
import { type PageServer, startPageServer } from "../../support/extension/pages/page-server.ts";
import { openPopup } from "../../support/extension/pages/popup.ts";
import { table } from "../../support/in-all.ts";

/** A picture of one point. */
const thumbnail =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const SURFACES = { tab: "?tab=7", popup: "", panel: "?panel" };
const CASES = table([30, 300, 1000]).flatMap((count) =>
  (["tab", "popup", "panel"] as const).map((surface) => ({ count, surface })),
);

let display: Display;
let server: PageServer;

beforeAll(async () => {
  display = await startDisplay();
  server = await startPageServer(inject("pages"), { display: display.name });
});
afterAll(async () => {
  await server?.close();
  await display?.close();
});

test.each(CASES)(
  "$count rows that have ended in the $surface show each picture beside its name",
  async ({ count, surface }) => {
    const jobs = Array.from({ length: count }, (_, place) =>
      makeJob("queued", { asset, createdAt: 1, place, thumbnail }),
    );
    const popup = await openPopup(server, { query: SURFACES[surface], jobs: jobs as never });
    const { page } = popup;
    await expect.poll(() => page.locator("#list > li").count()).toBe(count);
    await page.evaluate(endInTurn, jobs);
    await expect.poll(() => page.locator('#list > [data-state="done"]').count()).toBe(count);
    const { seen, torn } = await page.evaluate(lookAtRows);
    expect({ seen, torn }).toEqual({ seen: count, torn: [] });
    await popup.close();
  },
);

/** Runs in the page: three at a time start, go on and end, from frame to frame. */
async function endInTurn(jobs: readonly Job[]): Promise<void> {
  const { tell } = globalThis as unknown as { tell(news: unknown): void };
  const frame = () => new Promise(requestAnimationFrame);
  const step = Math.max(3, Math.floor(jobs.length / 100));
  for (let at = 0; at < jobs.length + step; at += step) {
    const now = Date.now();
    const begun = jobs.slice(at, at + step);
    const ended = jobs.slice(Math.max(at - step, 0), at);
    const progress = { sent: 40_000_000, acknowledged: 33_554_432, speed: 5_000_000 };
    tell({ type: "changed", jobs: begun.map((job) => ({ ...job, state: "requesting" })) });
    await frame();
    tell({ type: "changed", jobs: begun.map((job) => ({ ...job, state: "uploading", progress })) });
    await frame();
    tell({ type: "changed", jobs: ended.map((job) => ({ ...job, state: "done", endedAt: now })) });
    await frame();
  }
}

/** Runs in the page: looks at each row as it is scrolled to. */
async function lookAtRows(): Promise<{ seen: number; torn: string[] }> {
  const frame = () => new Promise(requestAnimationFrame);
  let seen = 0;
  const torn: string[] = [];
  for (const row of document.querySelectorAll("#list > li")) {
    row.scrollIntoView({ block: "center" });
    if (row.classList.contains("far")) await frame();
    const [picture, name] = [".picture", "h3"].map((part) =>
      row.querySelector(part)?.getBoundingClientRect(),
    );
    if (!picture || !name) continue;
    seen++;
    const isBeside = picture.right <= name.left;
    const isInside = picture.bottom <= row.getBoundingClientRect().bottom + 1;
    if (!isBeside || !isInside) torn.push(`${row.textContent} ${row.className}`);
  }
  return { seen, torn };
}

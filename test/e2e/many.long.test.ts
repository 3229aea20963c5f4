/** A thousand files at once: chosen, started, finished, and seen again. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { useService } from "../service/use-service.ts";
import { content } from "../support/content.ts";
import { useFolder } from "../support/use-folder.ts";
import { choose } from "./actions.ts";
import { useExtension } from "./use-extension.ts";

const COUNT = 1000;
const SIZE = 2048;
const folder = useFolder("many");
const service = useService();
const extension = useExtension(service, {
  change: (options) => options.getByLabel("Uploads at a time").fill("10"),
});

const rows = (page: Page, state?: string) =>
  page.locator(`#list > li${state === undefined ? "" : `[data-state=${state}]`}`);

/** What was seen of a page since `watch()`. */
interface Seen {
  looks: number;
  blank: string[];
  troubles: string[];
}

/** Looks at the rows in the window over and over, as a person does: what was scrolled to has a frame to be drawn. */
function watch(page: Page): Promise<void> {
  return page.evaluate(() => {
    const seen: Seen = { looks: 0, blank: [], troubles: [] };
    Object.assign(globalThis, { seen });
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const blankNow = () => {
      const blank = new Set<Element>();
      for (let y = 0; y < innerHeight; y += 25) {
        const row = document.elementFromPoint(innerWidth / 2, y)?.closest("#list > li");
        const title = row?.querySelector("h3");
        if (!row) continue;
        seen.looks++;
        const isShown = title?.checkVisibility({ contentVisibilityAuto: true }) && title.textContent;
        if (!isShown) blank.add(row);
      }
      return blank;
    };
    setInterval(async () => {
      const trouble = document.getElementById("list-trouble");
      if (trouble?.textContent) seen.troubles.push(trouble.textContent);
      await frame();
      const before = blankNow();
      // One shows it blank, and finds that it is in view; the next one draws it, after this is called.
      await frame();
      await frame();
      for (const row of blankNow()) if (before.has(row)) seen.blank.push(row.outerHTML);
    }, 50);
  });
}

async function expectNoneBlank(page: Page): Promise<void> {
  const { looks, ...wrong } = await page.evaluate(() => (globalThis as unknown as { seen: Seen }).seen);
  expect(looks).toBeGreaterThan(0);
  expect(wrong).toEqual({ blank: [], troubles: [] });
}

test("a thousand drafts are started together, and no row is blank until all are uploaded and seen again", {
  timeout: 1_200_000,
}, async () => {
  const paths = Array.from({ length: COUNT }, (_, at) => join(folder.path, `${at}.mp4`));
  for (const [seed, path] of paths.entries()) await writeFile(path, content(SIZE, seed));
  const page = await extension.open("popup.html?tab=");
  await watch(page);
  await choose(page, ...paths);
  await expect.poll(() => rows(page, "draft").count()).toBe(COUNT);
  await page.getByRole("button", { name: "Start all" }).click();
  await expect.poll(() => rows(page, "done").count()).toBe(COUNT);
  await expectNoneBlank(page);
  expect(await service.assets()).toHaveLength(COUNT);
  await page.close();
  const again = await extension.open("popup.html?tab=");
  await watch(again);
  await expect.poll(() => rows(again, "done").count()).toBe(COUNT);
  await rows(again).last().scrollIntoViewIfNeeded();
  await again.getByText("0.mp4", { exact: true }).waitFor();
  await expectNoneBlank(again);
});

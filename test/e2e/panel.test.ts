/** The side panel beside real pages: headless, the browser shows none. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { content, sha256 } from "../content.ts";
import { openSite, type Site } from "../pages/site.ts";
import { scratchFolder } from "../scratch.ts";
import { useService } from "../service/use-service.ts";
import { setUp } from "./actions.ts";
import { type Attached, targets } from "./raw-target.ts";
import { openScreen, type Screen } from "./screen.ts";

const SIZE = 2 * 1024 * 1024;
const service = useService({ refuseOrigin: true });
let folder: { path: string; remove(): Promise<void> };
let site: Site;
let screen: Screen;
let page: Page;

beforeAll(async () => {
  folder = await scratchFolder("e2e");
  for (const [seed, name] of ["chosen.mp4", "dropped.mp4"].entries())
    await writeFile(join(folder.path, name), content(SIZE, seed + 1));
  site = await openSite();
  screen = await openScreen();
  await setUp(screen.extension, service, (options) =>
    options.getByLabel("Review before uploading").uncheck(),
  );
  page = screen.extension.context.pages()[0] ?? (await screen.extension.context.newPage());
}, 240_000);
afterEach(async () => {
  await screen.press("Escape");
});
afterAll(async () => {
  await screen?.close();
  await site?.close();
  await folder?.remove();
});

const contexts = () =>
  screen.extension.inWorker<string[]>(
    "chrome.runtime.getContexts({}).then((all) => all.map(({ contextType }) => contextType))",
  );
const panels = async () =>
  (await targets(screen.extension)).flatMap(({ url, targetId }) => (url.endsWith("?panel") ? targetId : []));
const titles = (panel: Attached) =>
  panel.evaluate<string[]>(
    "[...document.querySelectorAll('#page-videos-list .title')].map((each) => each.textContent.trim())",
  );
const text = (panel: Attached, selector: string) =>
  panel.evaluate<string>(`document.querySelector(${JSON.stringify(selector)})?.innerText ?? ""`);
const arrived = async () => (await service.assets()).map((each) => each.sha256);

test("opens from the popup, in whose place it lists the videos of the page", async () => {
  await page.goto(site.page("mp4"));
  await screen.pin();
  const popup = await screen.openPopup();
  await screen.clickOn(popup, "#open-panel");
  const panel = await screen.findPanel();
  await expect.poll(contexts).not.toContain("POPUP");
  await expect.poll(contexts).toContain("SIDE_PANEL");
  await expect.poll(() => titles(panel)).toEqual(["Launch day"]);
  await screen.shoot("panel");
});

test("stays open while a file is chosen, and takes one that is dropped", async () => {
  const before = await panels();
  const panel = await screen.findPanel();
  await screen.clickOn(panel, "#choose-videos");
  await screen.chooseInDialog(join(folder.path, "chosen.mp4"));
  await expect.poll(arrived).toEqual([sha256(content(SIZE, 1))]);
  await expect.poll(() => text(panel, "#list")).toContain("Uploaded");

  const data = { items: [], files: [join(folder.path, "dropped.mp4")], dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver"])
    await panel.send("Input.dispatchDragEvent", { type, x: 150, y: 150, data });
  await screen.shoot("drop");
  await panel.send("Input.dispatchDragEvent", { type: "drop", x: 150, y: 150, data });
  await expect
    .poll(async () => (await arrived()).sort())
    .toEqual([1, 2].map((seed) => sha256(content(SIZE, seed))).sort());
  expect(await panels()).toEqual(before);
  await screen.shoot("uploaded from the panel");
});

test("follows the tab in front, and searches another site once its icon is clicked there", async () => {
  const panel = await screen.findPanel();
  await page.goto(site.page("webm"));
  // The click was about this site.
  await expect.poll(() => titles(panel)).toEqual(["Into the deep"]);

  await page.goto(`${site.mediaOrigin}/pages/mp4`);
  const why = () => text(panel, "#page-videos-why");
  await expect.poll(why).toContain("press the Upcut button in the toolbar");
  expect(await titles(panel)).toEqual([]);
  await screen.shoot("another site");
  await screen.openPopup();
  await expect.poll(() => titles(panel)).toEqual(["Launch day"]);
  await screen.shoot("another site, searched");
  await screen.press("Escape");

  const other = await screen.extension.context.newPage();
  await other.goto(site.page("webm"));
  await expect.poll(why).toContain("press the Upcut button in the toolbar");
  await page.bringToFront();
  await expect.poll(() => titles(panel)).toEqual(["Launch day"]);
  await other.close();
});

test("opens from the menu of the icon", async () => {
  const panel = await screen.findPanel();
  await panel.evaluate("void setTimeout(() => window.close())");
  await expect.poll(panels).toEqual([]);
  await screen.clickIcon("right");
  await screen.shoot("menu");
  await screen.press("Down", "Return");
  await expect.poll(panels).toHaveLength(1);
  await expect.poll(contexts).toContain("SIDE_PANEL");
});

/**
 * The way of a person through the extension, from its install to finished uploads, by mouse and keyboard alone: by the
 * options, the popup, a pasted link, a notification, and the side panel. Each test goes on where the last one ended.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { openSite } from "../pages/site.ts";
import { useService } from "../service/use-service.ts";
import { content, contentHash } from "../support/content.ts";
import { serveVideo } from "../support/hosts/video-server.ts";
import { useFolder } from "../support/use-folder.ts";
import { useOpened } from "../support/use-opened.ts";
import { choose, openOptions, rowOf, uploaded } from "./actions.ts";
import { type Attached, stopWorkers, targets } from "./raw-target.ts";
import { openScreen, type Screen } from "./screen.ts";

const SIZE = 2 * 1024 * 1024;
const FILES = ["first.mp4", "second.mp4", "third.mp4", "dropped.mp4"];
const PAGE = `<!doctype html><title>A page</title>
<video src="videos/video.mp4" controls width="600" height="400" style="position: absolute; left: 100px; top: 50px"></video>`;
const service = useService({ refuseOrigin: true });
const folder = useFolder("e2e");
let screen: Screen;
let page: Page;
/** With many pages. */
const site = useOpened(openSite);
/** With one video. */
const videoSite = useOpened(() => serveVideo(SIZE, { seed: 9 }, { "/": PAGE }, "localhost"));

beforeAll(async () => {
  for (const [seed, name] of FILES.entries()) await writeFile(join(folder.path, name), content(SIZE, seed));
  screen = await openScreen();
  [page] = screen.extension.context.pages() as [Page];
});
afterEach(async () => {
  await screen.leavePopup();
  screen.takeClicks();
  for (const other of screen.extension.context.pages()) if (other !== page) await other.close();
});
afterAll(() => screen?.close());

const arrived = async () => (await service.assets()).map((each) => each.sha256);
const text = ({ evaluate }: Attached, selector: string) =>
  evaluate<string>(`document.querySelector(${JSON.stringify(selector)})?.innerText ?? ""`);
const titles = ({ evaluate }: Attached) =>
  evaluate<string[]>(`(() => {
    document.querySelector("#page-videos-line[aria-expanded=false]")?.click();
    return [...document.querySelectorAll("#page-videos-list .title")].map((each) => each.textContent.trim());
  })()`);

test("an install ends in an uploaded video after a few clicks", async () => {
  // The first field has the focus, once the display has given it to the window.
  await expect
    .poll(() => page.evaluate("document.hasFocus() && document.activeElement?.tagName"))
    .toBe("INPUT");
  await screen.type(service.baseUrl);
  await screen.press("Tab");
  await screen.type(service.token);

  await screen.clickOn(page, "button[type=submit]");
  await screen.answer("Allow");
  await page.getByText("Connected", { exact: true }).waitFor();
  await screen.pin();
  await page.getByText("Pin Upcut").waitFor({ state: "hidden" });
  const listing = screen.extension.context.waitForEvent("page");
  await screen.clickOn(page, "#choose");
  await screen.chooseInDialog(join(folder.path, "first.mp4"));
  const list = await listing;
  await list.getByText("Starts in").waitFor();
  await list.getByText(/^Uploaded ·/).waitFor();
  await expect.poll(arrived).toEqual([contentHash(SIZE, 0)]);
  expect(screen.takeClicks()).toBeLessThanOrEqual(6);
});

test("each further upload takes three clicks at most", async () => {
  await page.goto(site.page("none"));
  const popup = await screen.openPopup();
  await screen.clickOn(popup, "#choose-videos");
  // A worker dies while nobody needs it.
  await stopWorkers(await page.context().newCDPSession(page));
  await screen.chooseInDialog(join(folder.path, "second.mp4"));
  const again = await screen.findPopup(popup.id);
  const focused = "document.activeElement?.closest('#list > li')?.querySelector('h3').textContent";
  await expect.poll(() => again.evaluate(focused)).toBe("second.mp4");
  await expect.poll(arrived).toEqual([contentHash(SIZE, 1)]);
  expect(screen.takeClicks()).toBeLessThanOrEqual(3);
  // Without a window manager the display takes the focus from that popup at times, which closes it.
  const later = await screen.openPopup();
  await expect.poll(() => text(later, "#list")).toContain("Uploaded");
});

test("a video of the page takes two clicks", async () => {
  await page.goto(site.page("mp4"));
  const popup = await screen.openPopup();
  await screen.clickOn(popup, "#upload-picked");
  await expect.poll(arrived).toEqual([site.sha256["launch-video.mp4"]]);
  expect(screen.takeClicks()).toBe(2);
});

test("one that lies at another site takes three, with the browser's question", async () => {
  const video = `<video src="${site.mediaOrigin}/plain/tiny.mp4" preload="auto" controls></video>`;
  const elsewhere = await serveVideo(1, {}, { "/": `<!doctype html><title>Seen elsewhere</title>${video}` });
  await page.goto(elsewhere.origin);
  const popup = await screen.openPopup();
  await screen.clickOn(popup, "#upload-picked");
  await screen.answer("Allow");
  await screen.findPopup(popup.id);
  await expect.poll(arrived).toEqual([site.sha256["tiny.mp4"]]);
  expect(screen.takeClicks()).toBe(3);
  await elsewhere.close();
});

test("a click on the notification of an upload opens the list at its row", async () => {
  const options = await openOptions(screen.extension);
  await options.bringToFront();
  await options.locator("#change").waitFor();
  await screen.clickOn(options, "#notifications");
  await screen.clickOn(options, "button[type=submit]");
  await screen.answer("Allow");
  const mayNotify = () =>
    screen.extension.inWorker("chrome.permissions.contains({ permissions: ['notifications'] })");
  await expect.poll(mayNotify).toBe(true);
  const list = await screen.extension.open("popup.html?tab=");
  await choose(list, { name: "told.mp4", bytes: content(SIZE, 7) });
  await uploaded(rowOf(list, "told.mp4"));
  await list.close();
  const opening = screen.extension.context.waitForEvent("page");
  await screen.clickNotification();
  const opened = await opening;
  const focused = () =>
    opened.evaluate("document.activeElement?.closest('#list > li')?.querySelector('h3').textContent");
  await expect.poll(focused).toBe("told.mp4");
});

test("the side panel takes the popup's place, and stays while a file is chosen and another is dropped", async () => {
  await page.goto(site.page("mp4"));
  await screen.clickOn(await screen.openPopup(), "#open-panel");
  const panel = await screen.findPanel();
  const contexts = () =>
    screen.extension.inWorker<string[]>(
      "chrome.runtime.getContexts({}).then((all) => all.map(({ contextType }) => contextType))",
    );
  await expect.poll(contexts).not.toContain("POPUP");
  expect(await contexts()).toContain("SIDE_PANEL");
  await expect.poll(() => titles(panel)).toEqual(["Launch day"]);
  const before = await panels();
  await screen.clickOn(panel, "#choose-videos");
  await screen.chooseInDialog(join(folder.path, "third.mp4"));
  await expect.poll(arrived).toEqual([contentHash(SIZE, 2)]);
  const data = { items: [], files: [join(folder.path, "dropped.mp4")], dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"])
    await panel.send("Input.dispatchDragEvent", { type, x: 150, y: 150, data });
  const both = [2, 3].map((seed) => contentHash(SIZE, seed)).sort();
  await expect.poll(async () => (await arrived()).sort()).toEqual(both);
  expect(await panels()).toEqual(before);
});

const panels = async () =>
  (await targets(screen.extension)).flatMap(({ url, targetId }) => (url.endsWith("?panel") ? targetId : []));

test("the side panel follows the page, and searches another site once its icon is clicked there", async () => {
  const panel = await screen.findPanel();
  await page.goto(site.page("webm"));
  // The click was about this site.
  await expect.poll(() => titles(panel)).toEqual(["Into the deep"]);
  await page.goto(videoSite.origin.replace("localhost", "other.localhost"));
  const why = () => text(panel, "#ways");
  await expect.poll(why).toContain("press the Upcut button in the toolbar");
  expect(await titles(panel)).toEqual([]);
  await screen.openPopup();
  await expect.poll(() => titles(panel)).toEqual(["A page"]);
  await screen.press("Escape");
  await panel.evaluate("void setTimeout(() => window.close())");
  await expect.poll(panels).toEqual([]);
});

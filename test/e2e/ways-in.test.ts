/** Ways into the extension from outside of its own pages, by mouse and keyboard: a menu, a notification, a pasted link. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { content, sha256 } from "../content.ts";
import { useService } from "../service/use-service.ts";
import { serveVideo, type VideoServer } from "../video-server.ts";
import { choose, openOptions, rowOf, setUp } from "./actions.ts";
import { openScreen, type Screen } from "./screen.ts";

const MiB = 1024 * 1024;
const SIZE = 2 * MiB;
const PAGE = `<!doctype html><title>A page</title>
<video src="videos/video.mp4" controls width="600" height="400" style="position: absolute; left: 100px; top: 50px"></video>`;
const service = useService({ refuseOrigin: true });
let site: VideoServer;
let screen: Screen;
let page: Page;

beforeAll(async () => {
  site = await serveVideo(SIZE, {}, { "/": PAGE }, "localhost");
  screen = await openScreen();
  await setUp(screen.extension, service, (options) =>
    options.getByLabel("Review before uploading").uncheck(),
  );
  page = screen.extension.context.pages()[0] ?? (await screen.extension.context.newPage());
}, 240_000);
afterEach(async () => {
  await screen.press("Escape");
  for (const other of screen.extension.context.pages()) if (other !== page) await other.close();
});
afterAll(async () => {
  await screen?.close();
  await site?.close();
});

const arrived = async () => (await service.assets()).map((each) => each.sha256);

test("“Upload this video” in the menu of a video opens the popup, where it starts by itself", async () => {
  await page.goto(site.origin);
  await screen.clickOn(page, "video", "right");
  await screen.shoot("menu of a video");
  // The last entry is the browser's own.
  await screen.press("Up", "Up", "Return");
  const popup = await screen.findPopup();
  const title = "document.querySelector('#list > li h3')?.textContent";
  await expect.poll(() => popup.evaluate(title)).toBe("A page");
  await screen.shoot("popup after the menu");
  await expect.poll(arrived, { timeout: 30_000 }).toEqual([sha256(content(SIZE))]);
  expect((await service.requests("POST", "request-upload")).length).toBe(1);
});

test("a pasted link to a page says that it is one, and leads to it", async () => {
  await screen.pin();
  const popup = await screen.openPopup();
  await screen.clickOn(popup, "#link-form input");
  await screen.type(`${site.origin}/`);
  await screen.press("Return");
  await screen.answer("Allow");
  const again = await screen.findPopup(popup.id);
  const row = () => again.evaluate<string>("document.querySelector('#list > li').innerText");
  await expect.poll(row).toContain("This is a page, not a video.");
  await screen.shoot("a page in place of a video");
  expect(await service.requests("POST")).toEqual([]);
  const opening = screen.extension.context.waitForEvent("page");
  await screen.clickOn(again, "[data-act=open-link]");
  const opened = await opening;
  await opened.waitForURL(`${site.origin}/`);
  // Which is where the popup finds the video.
  const above = await screen.openPopup();
  const found = "document.querySelector('#page-videos-list .title')?.textContent.trim()";
  await expect.poll(() => above.evaluate(found)).toBe("A page");
  await screen.shoot("the page that it led to");
});

test("a click on the notification of an upload opens the list at its row", async () => {
  const options = await openOptions(screen.extension);
  await options.bringToFront();
  await options.getByRole("button", { name: "Replace" }).waitFor();
  await screen.clickOn(options, "#notifications");
  await screen.clickOn(options, "button[type=submit]");
  await screen.answer("Allow");
  const mayNotify = () =>
    screen.extension.inWorker("chrome.permissions.contains({ permissions: ['notifications'] })");
  await expect.poll(mayNotify).toBe(true);
  const list = await screen.extension.open("popup.html?tab=");
  await choose(list, { name: "told.mp4", bytes: content(SIZE, 7) });
  await rowOf(list, "told.mp4")
    .getByText(/^Uploaded ·/)
    .waitFor();
  await list.close();
  const opening = screen.extension.context.waitForEvent("page");
  await screen.clickNotification();
  const opened = await opening;
  const focused = () =>
    opened.evaluate("document.activeElement?.closest('#list > li')?.querySelector('h3').textContent");
  await expect.poll(focused).toBe("told.mp4");
  await screen.shoot("list after the notification");
});

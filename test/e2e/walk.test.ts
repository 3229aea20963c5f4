/** The way of a person through the extension, from its install to finished uploads: by mouse and keyboard alone. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { content, sha256 } from "../content.ts";
import { openSite, type Site } from "../pages/site.ts";
import { scratchFolder } from "../scratch.ts";
import { useService } from "../service/use-service.ts";
import { serveVideo } from "../video-server.ts";
import { openScreen, type Screen } from "./screen.ts";

const SIZE = 2 * 1024 * 1024;
const service = useService({ refuseOrigin: true });
let folder: { path: string; remove(): Promise<void> };
let screen: Screen;
let site: Site;

beforeAll(async () => {
  folder = await scratchFolder("e2e");
  for (const name of ["first.mp4", "second.mp4"]) await writeFile(join(folder.path, name), content(SIZE));
  site = await openSite();
  screen = await openScreen();
}, 240_000);
afterAll(async () => {
  await screen?.close();
  await site?.close();
  await folder?.remove();
});

/** The hashes of what arrived. */
const arrived = async () => (await service.assets()).map(({ sha256 }) => sha256);

afterEach(async () => {
  // As a person leaves the popup.
  await screen.press("Escape");
  screen.takeClicks();
});

/** The page that is in front, showing what is at an address. */
async function show(address: string): Promise<Page> {
  const page = screen.extension.context.pages().at(-1) as Page;
  await page.goto(address);
  return page;
}

test("an install ends in an uploaded video after a few clicks", async () => {
  const [options] = screen.extension.context.pages() as [Page];
  await screen.shoot("installed");
  // The first field has the focus.
  await screen.type(service.baseUrl);
  await screen.press("Tab");
  await screen.type(service.token);
  await screen.shoot("filled in");

  await screen.clickOn(options, "button[type=submit]");
  await screen.answer("Allow");
  await options.getByText("Connected", { exact: true }).waitFor();
  await screen.shoot("connected");
  await screen.pin();
  await options.getByText("The icon is pinned").waitFor();
  await screen.shoot("pinned");
  const listing = screen.extension.context.waitForEvent("page");
  await screen.clickOn(options, "#choose-videos");
  await screen.chooseInDialog(join(folder.path, "first.mp4"));
  const list = await listing;
  await list.getByText("Starts in").waitFor();
  await screen.shoot("chosen");
  await list.getByText(/^Uploaded ·/).waitFor();
  await screen.shoot("uploaded");
  await expect.poll(arrived).toEqual([sha256(content(SIZE))]);
  expect(screen.takeClicks()).toBeLessThanOrEqual(6);
});

test("each further upload takes three clicks at most", async () => {
  await show(site.page("none"));
  const popup = await screen.openPopup();
  await screen.shoot("popup");
  await screen.clickOn(popup, "#choose-videos");
  await screen.chooseInDialog(join(folder.path, "second.mp4"));
  const again = await screen.findPopup(popup.id);
  const focused = "document.activeElement?.closest('#list > li')?.querySelector('h3').textContent";
  await expect.poll(() => again.evaluate(focused)).toBe("second.mp4");
  await screen.shoot("popup is back");
  await expect.poll(arrived).toEqual([sha256(content(SIZE))]);
  await expect.poll(() => again.evaluate("document.querySelector('#list').innerText")).toContain("Uploaded");
  await screen.shoot("second uploaded");
  expect(screen.takeClicks()).toBeLessThanOrEqual(3);
});

test("a video of the page takes two clicks", async () => {
  await show(site.page("mp4"));
  const popup = await screen.openPopup();
  await screen.shoot("video of the page");
  await screen.clickOn(popup, "#upload-picked");
  await expect.poll(arrived, { timeout: 30_000 }).toEqual([site.sha256["launch-video.mp4"]]);
  await screen.shoot("video of the page uploaded");
  expect(screen.takeClicks()).toBe(2);
});

test("one that lies at another site takes three, with the browser's question", async () => {
  const video = `<video src="${site.mediaOrigin}/plain/tiny.mp4" preload="auto" controls></video>`;
  const elsewhere = await serveVideo(1, {}, { "/": `<!doctype html><title>Seen elsewhere</title>${video}` });
  await show(elsewhere.origin);
  const popup = await screen.openPopup();
  await screen.shoot("video of another site");
  await screen.clickOn(popup, "#upload-picked");
  await screen.answer("Allow");
  await screen.findPopup(popup.id);
  await screen.shoot("popup after the question");
  await expect.poll(arrived, { timeout: 30_000 }).toEqual([site.sha256["tiny.mp4"]]);
  await screen.shoot("video of another site uploaded");
  expect(screen.takeClicks()).toBe(3);
  await elsewhere.close();
});

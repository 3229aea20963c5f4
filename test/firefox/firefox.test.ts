/** What a person does with the extension, in Firefox: one story, in one profile. */

import { open, readdir, readFile, truncate } from "node:fs/promises";
import { join, relative } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectSample } from "../e2e/evidence.ts";
import { startUploadHost } from "../e2e/upload-host.ts";
import { openSite } from "../pages/site.ts";
import { useService } from "../service/use-service.ts";
import { content, contentHash, MiB, writeContent } from "../support/content.ts";
import { serveVideo } from "../support/hosts/video-server.ts";
import { inAll } from "../support/in-all.ts";
import { MARKER } from "../support/marker.ts";
import { useFolder } from "../support/use-folder.ts";
import { useOpened } from "../support/use-opened.ts";
import { type Extension, startExtension } from "./extension.ts";

const CHOOSE = "#choose-videos:enabled";
const VIDEO_PAGE = '<title>Two of them</title><video src="/videos/video.mp4" controls></video>';

const service = useService();
let extension: Extension;
const [profile, files] = [useFolder("profile"), useFolder("files")];
const site = useOpened(openSite);
const streamPage = useOpened(() =>
  serveVideo(2 * MiB, {}, { "/": '<p id="stream">launch-stream</p>', "/video": VIDEO_PAGE }),
);
beforeAll(async () => {
  extension = await startExtension(profile.path);
});
afterAll(() => extension?.kill());

/** Chooses a file of made content in the list's own tab, and returns its sha256. */
async function choose(name: string, size: number, seed: number): Promise<string> {
  const path = join(files.path, name);
  const hash = await writeContent(path, size, seed);
  await extension.open("popup.html?tab=");
  await isThere(CHOOSE);
  await extension.type("#files", path);
  return hash;
}

/** Waits until an element is there in the tab that is used. */
async function isThere(selector: string): Promise<void> {
  const script = "return document.querySelector(given[0]) !== null";
  await expect.poll(() => extension.inPage<boolean>(script, selector)).toBe(true);
}

/** Waits until there is one asset, and it has this content. */
async function expectOneAsset(hash: string): Promise<void> {
  await expect.poll(async () => (await service.assets()).map((each) => each.sha256)).toEqual([hash]);
}

/** Opens the popup above a page, has it upload the video that it lists, and answers the browser's question. */
async function uploadFrom(page: string, host?: string): Promise<void> {
  await extension.open(page);
  await isThere("video[src], video source");
  await extension.pressButton();
  await expect.poll(() => extension.beside("popup.html", "#page-videos-line")).toBeDefined();
  await extension.beside("popup.html", "#page-videos-line", "click");
  // A video alone is picked by itself, unless it doesn't play here.
  await extension.beside("popup.html", "#pick-all:not(:checked)", "click");
  await expect.poll(() => extension.beside("popup.html", "#upload-picked:enabled")).toBe("Upload 1 video");
  await extension.beside("popup.html", "#upload-picked", "click");
  if (host !== undefined) expect(await extension.allow()).toContain(host);
}

test("opens the options at install, asks for the service's host, and finds that the account is right", async () => {
  await extension.use("options.html");
  await isThere("#address:focus");
  await extension.type("#address", service.baseUrl);
  await extension.type("#token", service.token);
  await extension.click(".connect [type=submit]");
  expect(await extension.allow()).toContain("127.0.0.1");
  await expect.poll(() => extension.text(".account")).toContain("Connected");
  // What Firefox can't do is not offered.
  await isThere("#notifications");
  expect(await extension.inPage(`return document.getElementById("keepAwake") === null`)).toBe(true);
});

test("uploads a video that only its page can read", async () => {
  await uploadFrom(site.page("blob"));
  await expectOneAsset(site.sha256["launch-video.mp4"]);
});

inAll("uploads what a page plays in pieces as one file, which is for this page alone", async () => {
  await uploadFrom(site.page("hls-for-page"), "media.localhost");
  await expect.poll(async () => (await service.assets()).length).toBe(1);
  await expectSample(service);
});

test("chooses files in the sidebar, which scrolls, since a file dialog would end the popup", async () => {
  await extension.pressButton();
  await expect.poll(() => extension.beside("popup.html", CHOOSE)).toBe("Choose videos");
  await extension.beside("popup.html", CHOOSE, "click");
  await expect.poll(() => extension.beside("popup.html?panel", CHOOSE)).toBe("Choose videos");
  await expect.poll(() => extension.beside("popup.html", "body")).toBeUndefined();
  const scrolled = async () => Number(await extension.beside("popup.html?panel", "#choose", "wheel"));
  await expect.poll(scrolled).toBeGreaterThan(0);
  await extension.inBrowser("window.SidebarController.hide()");
});

test("ends a live stream by right-click on its id", async () => {
  const isLive = async () => (await service.streams()).find(({ id }) => id === "launch-stream")?.live;
  expect(await isLive()).toBe(true);
  await extension.open(streamPage.origin);
  await extension.inPage(`getSelection().selectAllChildren(document.getElementById("stream"))`);
  await extension.chooseFromMenu("#stream");
  await extension.use("terminate.html?id=launch-stream");
  await isThere("#end:enabled");
  await extension.click("#end");
  await expect.poll(() => extension.text("#outcome > p")).toBe("Ended, if it was live");
  expect(await isLive()).toBe(false);
  // New tabs belong into the large window.
  await extension.use(`${streamPage.origin}/`);
});

inAll("sends the token with an upload's requests alone and notifies of its end, where set", async () => {
  await extension.open("options.html");
  await isThere("#change");
  for (const [section, setting] of [
    ["uploads", "notifications"],
    ["advanced", "uploadAuthorization"],
  ]) {
    await extension.click(`[data-section=${section}] summary`);
    await extension.click(`#${setting}`);
  }
  await extension.click("#options [type=submit]");
  expect(await extension.allow()).toContain("Display notifications to you");
  const host = await startUploadHost();
  try {
    await service.set({ answerShape: { set: host.locations } });
    // The upload runs until the page has sent its own.
    host.answer = ({ method, origin }) =>
      method === "PATCH" && origin !== streamPage.origin ? "break" : undefined;
    await choose("told.mp4", 9 * MiB, 4);
    const isSent = () => host.requests.some(({ method }) => method === "PATCH");
    await expect.poll(isSent).toBe(true);
    await extension.open(streamPage.origin);
    await extension.inPage(`await fetch(given[0], { method: "PATCH" })`, host.created);
    host.answer = () => undefined;
    await extension.clickNotification("All uploads are done");
    const [foreign, own] = [true, false].map((isForeign) =>
      host.requests.filter(({ origin }) => (origin === streamPage.origin) === isForeign),
    );
    expect(own?.length).toBeGreaterThan(2);
    expect(new Set(own?.map(({ authorization }) => authorization))).toEqual(
      new Set([`Bearer ${service.token}`]),
    );
    expect(foreign?.map(({ authorization }) => authorization)).toEqual([undefined]);
    // The click opens the list at the upload.
    const windows = `return [...Services.wm.getEnumerator("navigator:browser")].map((each) => each.gBrowser.currentURI.spec)`;
    await expect
      .poll(() => extension.inBrowser(windows))
      .toContainEqual(expect.stringMatching(/popup\.html\?tab=&job=./));
    await extension.use(`${streamPage.origin}/`);
  } finally {
    await host.close();
  }
});

inAll("goes on after a restart of the browser as the same asset, once its file is chosen again", async () => {
  await service.set({ throttle: 2 * MiB });
  const hash = await choose("cut.mp4", 24 * MiB + 7, 2);
  const uploads = () => service.uploads();
  await expect.poll(async () => (await uploads())[0]?.offset ?? 0).toBeGreaterThanOrEqual(8 * MiB);
  await extension.close();
  extension = await startExtension(profile.path, { isFirst: false });
  await extension.open("popup.html?tab=");
  await isThere("#list input[type=file]");
  expect(await extension.text("#list")).toContain("cut.mp4");
  await service.set({ throttle: 0 });
  await extension.type("#list input[type=file]", join(files.path, "cut.mp4"));
  await expectOneAsset(hash);
  expect(await service.requests("POST", "request-upload")).toHaveLength(1);
  const [upload] = await uploads();
  // What had arrived was not sent again, but for what was on its way.
  expect(upload?.bytesReceived).toBeLessThan(24 * MiB + 7 + 8 * MiB);
});

inAll("keeps the background's page while it uploads a file without an Origin, and lets it end", async () => {
  const size = 16 * MiB;
  // Longer than the browser leaves a page that is idle.
  await service.set({ throttle: Math.round(size / 18) });
  const hash = await choose("long.mp4", size, 3);
  await expect.poll(async () => (await service.uploads()).length).toBe(1);
  await extension.closePages();
  await expectOneAsset(hash);
  expect(await service.requests("POST", "request-upload")).toMatchObject([{ status: 200, origin: null }]);
  // For the next test: a page that is opened later may wake the background.
  await extension.open(`${streamPage.origin.replace("127.0.0.1", "localhost")}/video`);
  await expect.poll(() => extension.backgroundRuns(), { interval: 1000 }).toBe(false);
});

inAll("uploads by right-click on a video, asks for its host, though the background ended", async () => {
  // The page that is shown may have woken it once more.
  await expect.poll(() => extension.backgroundRuns(), { interval: 1000 }).toBe(false);
  await extension.chooseFromMenu("video");
  expect(await extension.allow()).toContain("localhost");
  await expectOneAsset(contentHash(2 * MiB));
});

inAll("tells of each video whether what is stored is what was sent", async () => {
  await service.set({ assetCall: true, damages: "damaged" });
  await extension.open("options.html");
  await isThere("#change");
  await extension.click("[data-section=advanced] summary");
  await extension.type("#path-asset", "/api/asset/{id}");
  await extension.click("#options [type=submit]");
  for (const [seed, name] of ["whole", "damaged"].entries()) await choose(`${name}.mp4`, 9 * MiB, 10 + seed);
  const row = (name: string) => `#list > li:has(h3[title^=${name}])`;
  const open = `document.querySelector(given[0] + " [data-act=more]").click()`;
  await expect.poll(() => extension.text("#list")).toMatch(/The service has stored something else.*Ready/);
  await extension.inPage(open, row("whole"));
  await expect.poll(() => extension.text(row("whole"))).toContain("Verified: ");
  // Of a file that is another one by then Firefox would read that one.
  await service.set({ processingTime: 30_000 });
  await choose("changed.mp4", 9 * MiB, 12);
  await expect.poll(() => extension.text(row("changed"))).toContain("Processing");
  await writeContent(join(files.path, "changed.mp4"), 9 * MiB, 13);
  await service.set({ processingTime: 0 });
  await expect.poll(() => extension.text(row("changed"))).toContain("Ready");
  await extension.inPage(open, row("changed"));
  await expect.poll(() => extension.text(row("changed"))).toContain("Verified: ");
});

inAll.each<[string, (path: string) => Promise<void>]>([
  ["is overwritten", (path) => overwrite(path, 24 * MiB, 15)],
  ["is cut short", (path) => truncate(path, 10 * MiB)],
])("says of a file that %s meanwhile that it has changed, and stores no mixture", async (how, change) => {
  await service.set({ throttle: 4 * MiB });
  const name = `${how.replaceAll(" ", "-")}.mp4`;
  await choose(name, 24 * MiB + 7, 14);
  await expect.poll(async () => (await service.uploads())[0]?.offset ?? 0).toBeGreaterThanOrEqual(8 * MiB);
  await change(join(files.path, name));
  await service.set({ throttle: 0 });
  // What is cut off the browser may report as sent: then the time for an answer, a minute, has to pass.
  await expect
    .poll(() => extension.text(`#list > li:has(h3[title^=${name.split(".")[0]}])`))
    .toContain("The file was changed");
  expect(await service.assets()).toMatchObject([{ sha256: null }]);
});

inAll("leaves no location, upload URL or token on the disk but in its own storage", async () => {
  await extension.close();
  // The search sees what the browser keeps of others.
  expect(await filesWith(streamPage.origin)).toContainEqual(expect.stringContaining("cache2"));
  const own = await filesWith(MARKER);
  expect(own.filter((each) => !each.includes("moz-extension+++"))).toEqual([]);
  expect(own).not.toEqual([]);
});

/** Writes other content over a file, which keeps its length. */
async function overwrite(path: string, end: number, seed: number): Promise<void> {
  const file = await open(path, "r+");
  await file.write(content(end, seed));
  await file.close();
}

/** The files of the profile that hold a text. */
async function filesWith(text: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(profile.path, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && (await readFile(path)).includes(text)) found.push(relative(profile.path, path));
  }
  return found;
}

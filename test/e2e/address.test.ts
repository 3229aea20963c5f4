import { execFileSync } from "node:child_process";
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { AddressedVideo } from "../../entrypoints/shared/messages.ts";
import { content, sha256 } from "../content.ts";
import { MARKER } from "../marker.ts";
import { scratchFolder } from "../scratch.ts";
import { useService } from "../service/use-service.ts";
import { serveVideo, type VideoServer } from "../video-server.ts";
import { changeOptions, clearList, rowOf, setUp } from "./actions.ts";
import { keepListBusy } from "./busy-list.ts";
import { type Extension, loadExtension } from "./extension.ts";
import { type Attached, attach, findTarget, openRealPopup, stopWorker, targets } from "./raw-target.ts";
import { useExtension } from "./use-extension.ts";

const MiB = 1024 * 1024;
/** Long enough that a part is still to be fetched while the second one is sent and the third one held. */
const SIZE = 28 * MiB;
const PAGES = { "/": "<title>A page</title><video src=videos/video.mp4></video>" };
const service = useService({ refuseOrigin: true });

/** Hands a video over as the popup does. */
async function hand(popup: Page, ...videos: AddressedVideo[]): Promise<void> {
  await popup.locator("#choose-videos:enabled").waitFor();
  await popup.evaluate((videos) => {
    new BroadcastChannel("upcut-to-offscreen").postMessage({ type: "addresses", batch: "test", videos });
  }, videos);
}

async function expectWhole(size = SIZE): Promise<void> {
  const assets = await service.assets();
  expect(assets).toHaveLength(1);
  expect((await service.whole(assets[0]?.asset.id ?? "")).sha256).toBe(sha256(content(size)));
}

describe("a video at an address", () => {
  const extension = useExtension(service);
  let video: VideoServer;
  beforeAll(async () => {
    video = await serveVideo(SIZE, {}, PAGES, "localhost");
  });
  afterEach(() => {
    video.habits = {};
  });
  afterAll(() => video.close());

  test("is read with the page's cookies under the click on the toolbar alone, and goes up whole", async () => {
    video.habits = { cookie: "member=yes" };
    const page = await extension.context.newPage();
    await page.goto(video.origin);
    await (await openRealPopup(extension, page.url())).detach();
    const popup = await extension.open("popup.html?tab=1");
    await hand(popup, {
      address: `${video.url}?signature=${MARKER}-abc`,
      page: page.url(),
      title: "A video",
    });
    const row = rowOf(popup, "A video");
    await row.getByText(new URL(video.origin).host).waitFor();
    await row.getByRole("button", { name: "Start" }).click();
    await row.getByText(/^Uploaded/).waitFor();
    await expectWhole();
  });

  test("that only its page can read comes as a Blob from a script in it, and waits as a draft", async () => {
    await changeOptions(extension, (options) => options.getByLabel("Review before uploading").uncheck());
    const page = await extension.context.newPage();
    await page.goto(video.origin);
    await page.evaluate(async () => {
      const blob = await (await fetch("videos/video.mp4")).blob();
      document.body.dataset.video = URL.createObjectURL(blob);
    });
    await (await openRealPopup(extension, page.url())).detach();
    const popup = await extension.open("popup.html?tab=1");
    await popup.locator("#choose-videos:enabled").waitFor();
    await sendBlob(extension, video.origin, "A blob");
    const row = rowOf(popup, "A blob");
    // Whatever the settings say: a page that was taken over could send one too.
    await row.getByRole("button", { name: "Start" }).click();
    await page.close();
    await row.getByText(/^Uploaded/).waitFor();
    await expectWhole();
    expect(await rowOf(popup, "No ").count()).toBe(0);
    await changeOptions(extension, (options) => options.getByLabel("Review before uploading").check());
  });

  test("of a host that isn't allowed asks for it by name, and resumes by itself once it is", async () => {
    const popup = await extension.open("popup.html?tab=1");
    await hand(popup, { address: video.url, title: "A video" });
    const row = rowOf(popup, "A video");
    await row.getByRole("button", { name: "Start" }).click();
    await row.getByText(`Allow the browser to read from ${new URL(video.origin).host}`).waitFor();
    await row.getByRole("button", { name: "Allow this host" }).waitFor();
    expect(await service.assets()).toEqual([]);
    await allowByClick(extension, row);
    await row.getByText(/^Uploaded/).waitFor();
    await expectWhole();
    await disallow(extension);
  });

  test("that is redirected to a host that isn't allowed reports it, and asks for that host at a click", async () => {
    const seesRedirects = () =>
      extension.inWorker<boolean>(`chrome.permissions.contains({ permissions: ["webRequest"] })`);
    // What was allowed can be taken back at any time, also under a worker that listens.
    for (const round of ["before anything was allowed", "after it was taken back"]) {
      expect(await seesRedirects(), round).toBe(false);
      const shop = await serveVideo(0, { redirect: `${video.url}?signature=${MARKER}-abc` });
      const popup = await extension.open("popup.html?tab=1");
      await hand(popup, { address: shop.url, title: "A video" });
      const row = rowOf(popup, "A video");
      await row.getByRole("button", { name: "Start" }).click();
      await row.getByText("sends us to one that isn't allowed").waitFor();
      await row.getByRole("button", { name: "Try again" }).click();
      await row.getByText(`Allow the browser to read from ${new URL(video.origin).host}`).waitFor();
      expect(await seesRedirects(), round).toBe(true);
      await allowByClick(extension, row);
      await row.getByText(/^Uploaded/).waitFor();
      await expectWhole();
      await disallow(extension);
      await clearList(extension);
      await service.reset();
      await shop.close();
    }
  });

  test("that is redirected asks for that host at once where redirects may be seen, by a worker that has just started", async () => {
    const shop = await serveVideo(0, { redirect: video.url });
    const popup = await extension.open("popup.html?tab=1");
    await hand(popup, { address: "http://other.localhost/video.mp4", title: "Another video" });
    await rowOf(popup, "Another video").getByRole("button", { name: "Start" }).click();
    await extension.allow("http://other.localhost/*");
    await rowOf(popup, "Another video").getByRole("button", { name: "Allow this host" }).click();
    await rowOf(popup, "Another video").getByText("The video can't be read from its site").waitFor();
    await stopWorker(extension);
    await hand(popup, { address: shop.url, title: "A video" });
    await rowOf(popup, "A video").getByRole("button", { name: "Start" }).click();
    await rowOf(popup, "A video")
      .getByText(`Allow the browser to read from ${new URL(video.origin).host}`)
      .waitFor();
    await disallow(extension);
    await shop.close();
  });

  test("whose tab is closed keeps what was uploaded, and resumes when it is added again", async () => {
    video.habits = { signature: "one", cookie: "member=yes" };
    await service.set({ throttle: 3 * MiB });
    const popup = await fromPage("A video", "one");
    const row = rowOf(popup, "A video");
    await row.getByRole("button", { name: "Start" }).click();
    await waitUntilSent(9 * MiB);
    await pageOf(extension, video)?.close();
    await row.getByText("What was uploaded is not lost. Or open its page").waitFor({ timeout: 60_000 });
    await service.set({ throttle: 0 });
    video.habits = { signature: "two", cookie: "member=yes" };
    video.given = 0;
    const opened = extension.context.waitForEvent("page");
    await row.getByRole("button", { name: "Open its page" }).click();
    await (await opened).waitForURL(`${video.origin}/`);
    await popup.close();
    const again = await fromPage("A video", "two");
    await rowOf(again, "A video")
      .getByText(/^Uploaded/)
      .waitFor();
    expect(await rowOf(again, "A video").count()).toBe(1);
    await expectWhole();
    expect(video.given).toBeLessThanOrEqual(SIZE);
  });

  test("that has expired is reported, and the upload resumes with its new address", async () => {
    video.habits = { signature: "one" };
    await service.set({ throttle: 3 * MiB });
    const popup = await fromPage("A video", "one");
    const row = rowOf(popup, "A video");
    await row.getByRole("button", { name: "Start" }).click();
    await waitUntilSent(9 * MiB);
    video.habits = { signature: "two" };
    await row.getByText("The link to the video has expired").waitFor();
    await row.getByText(/of 29.4 MB uploaded/).waitFor();
    await row.getByRole("button", { name: "Open its page" }).waitFor();
    // Another video at the same path is another one.
    video.habits = { signature: "three", version: "three", seed: 2 };
    await hand(popup, {
      address: `${video.url}?signature=${MARKER}-three`,
      page: video.origin,
      title: "Another video",
    });
    await rowOf(popup, "Another video").getByRole("button", { name: "Remove" }).click();
    await expect.poll(() => popup.getByRole("listitem").count()).toBe(1);
    video.habits = { signature: "two" };
    await hand(popup, {
      address: `${video.url}?signature=${MARKER}-two`,
      page: video.origin,
      title: "A video",
    });
    await row.getByText(/^Uploaded/).waitFor();
    await expectWhole();
  });

  test("that leads to a page in its place is refused before there is an asset", async () => {
    video.habits = { redirect: `${video.origin}/` };
    const popup = await fromPage("A video", "one");
    const row = rowOf(popup, "A video");
    await row.getByRole("button", { name: "Start" }).click();
    await row.getByText("The link to the video has expired, needs a sign-in").waitFor();
    await row.getByRole("button", { name: "Open its page" }).waitFor();
    expect(await service.assets()).toEqual([]);
  });

  test("that is paused while its server still thinks is not begun", async () => {
    video.habits = { signature: "one" };
    await service.set({ throttle: 3 * MiB });
    const popup = await fromPage("A video", "one");
    const row = rowOf(popup, "A video");
    await row.getByRole("button", { name: "Start" }).click();
    await waitUntilSent(9 * MiB);
    await row.getByRole("button", { name: "Pause" }).click();
    await row.getByText("Paused").waitFor();
    video.habits = { status: 503 };
    await hand(popup, { address: video.url, page: video.origin, title: "Another video" });
    const other = rowOf(popup, "Another video");
    // Whether it is the same video again only its server can say: at first it isn't, then it is.
    for (const [button, habits] of [
      ["Start", { version: "two", seed: 2 }],
      ["Continue", {}],
    ] as const) {
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      video.habits = { ...habits, held };
      const { length: asked } = video.requests;
      await other.getByRole("button", { name: button }).click();
      await expect.poll(() => video.requests.length).toBeGreaterThan(asked);
      await expect.poll(() => other.getByRole("button", { name: "Pause" }).isVisible()).toBe(true);
      // What is shown as paused is, also while that can't be stored yet.
      const letGo = await keepListBusy(popup);
      await other.getByRole("button", { name: "Pause" }).click();
      await other.getByText("Paused").waitFor();
      release();
      await new Promise((resolve) => setTimeout(resolve, 1000));
      await letGo();
      await new Promise((resolve) => setTimeout(resolve, 1000));
      for (const each of [row, other]) await each.getByText("Paused").waitFor();
      expect(await service.requests("POST", "request-upload")).toHaveLength(1);
    }
    await service.set({ throttle: 0 });
    await other.getByRole("button", { name: "Continue" }).click();
    await row.getByText(/^Uploaded/).waitFor();
    await expectWhole();
  });

  describe("by the menu", () => {
    /** As Chromium tells a click, which also lets the extension read the page's own site. */
    async function click(info: object): Promise<Page> {
      const page = await openSite();
      const dispatch = await dispatchOf(page, info);
      const opened = extension.context.waitForEvent("page");
      await extension.inWorker(dispatch);
      const list = await opened;
      await list.waitForURL(/popup\.html/);
      return list;
    }

    async function openSite(): Promise<Page> {
      const page = await extension.context.newPage();
      await page.goto(video.origin);
      await page.evaluate(async () => {
        const video = await (await fetch("videos/video.mp4")).blob();
        document.body.dataset.video = URL.createObjectURL(video);
        document.body.dataset.stream = URL.createObjectURL(new MediaSource());
      });
      const popup = await openRealPopup(extension, page.url());
      await popup.evaluate("void setTimeout(() => window.close())");
      await popup.detach();
      await expect.poll(popups).toBe(0);
      return page;
    }

    async function popups(): Promise<number> {
      return (await targets(extension)).filter(({ url }) => url.endsWith("/popup.html")).length;
    }

    async function dispatchOf(page: Page, info: object): Promise<string> {
      const blobs = await page.evaluate(() => ({ ...document.body.dataset }));
      const given = JSON.stringify({ pageUrl: page.url(), frameId: 0, ...info })
        .replace("BLOB", blobs.video ?? "")
        .replace("STREAM", blobs.stream ?? "");
      return `chrome.tabs.query({ url: "${video.origin}/*" }).then(([tab]) => void chrome.contextMenus.onClicked.dispatch(${given}, tab))`;
    }

    test("a video is added with the title of its page, and the list is opened", async () => {
      video.habits = { cookie: "member=yes" };
      const list = await click({ menuItemId: "video", srcUrl: video.url });
      await rowOf(list, "A page").getByRole("button", { name: "Start" }).click();
      await rowOf(list, "A page")
        .getByText(/^Uploaded/)
        .waitFor();
      await expectWhole();
    });

    test("a link to a video is added with its file name", async () => {
      const list = await click({
        menuItemId: "video-link",
        linkUrl: `${video.url}?signature=${MARKER}-abc#t=3`,
      });
      await rowOf(list, "video.mp4").getByRole("button", { name: "Start" }).click();
      await rowOf(list, "video.mp4")
        .getByText(/^Uploaded/)
        .waitFor();
      await expectWhole();
    });

    test("a video that only its page can read is sent by the page", async () => {
      const list = await click({ menuItemId: "video", srcUrl: "BLOB" });
      await rowOf(list, "A page").getByRole("button", { name: "Start" }).click();
      await rowOf(list, "A page")
        .getByText(/^Uploaded/)
        .waitFor();
      await expectWhole();
    });

    test("a player that is fed piece by piece, or has no address yet, opens the popup above its page", async () => {
      const lists = () => extension.context.pages().filter((each) => each.url().includes("popup.html"));
      for (const info of [{ srcUrl: "STREAM" }, {}]) {
        const page = await openSite();
        const before = lists();
        await extension.inWorker(await dispatchOf(page, { menuItemId: "video", ...info }));
        await expect.poll(popups, { timeout: 30_000 }).toBe(1);
        const popup = await attachPopup(extension);
        // One that is closed while it loads counts as one that couldn't be opened.
        await expect
          .poll(() => popup.evaluate("document.querySelector('#choose-videos').disabled"))
          .toBe(false);
        await popup.evaluate("void setTimeout(() => window.close())");
        await expect.poll(popups).toBe(0);
        // No list is opened instead. The popup itself is gone from here a moment later.
        await expect.poll(() => lists().filter((each) => !before.includes(each)).length).toBe(0);
        expect(await extension.inWorker("chrome.storage.session.get('dialog').then(JSON.stringify)")).toBe(
          "{}",
        );
        await page.close();
      }
    });

    test("what is no address is refused with the reason", async () => {
      const list = await click({ menuItemId: "video", srcUrl: "file:///video.mp4" });
      await list.getByText("This is a file on your computer").waitFor();
      expect(await list.getByRole("listitem").count()).toBe(0);
    });
  });

  /** A click on the toolbar opens the page to Upcut; its video is handed over. */
  async function fromPage(title: string, signature: string): Promise<Page> {
    const page = pageOf(extension, video) ?? (await extension.context.newPage());
    await page.goto(video.origin);
    await (await openRealPopup(extension, page.url())).detach();
    const popup = await extension.open("popup.html?tab=1");
    await hand(popup, { address: `${video.url}?signature=${MARKER}-${signature}`, page: page.url(), title });
    return popup;
  }
});

describe("a browser killed in the middle of a video of a page, and started again", () => {
  let profile: { path: string; remove(): Promise<void> };
  let extension: Extension;
  let video: VideoServer;
  beforeEach(async () => {
    profile = await scratchFolder("profile");
    video = await serveVideo(SIZE, {}, PAGES, "localhost");
  });
  afterEach(async () => {
    await extension.close();
    await video.close();
    await profile.remove();
  });

  async function killInTheMiddle(begin: (popup: Page) => Promise<void>, allowed: boolean) {
    extension = await loadExtension({ userDataDir: profile.path, firstRun: true });
    await setUp(extension, service);
    if (allowed) {
      const popup = await extension.open("popup.html?tab=1");
      await hand(popup, { address: video.url, title: "A video" });
      await rowOf(popup, "A video").getByRole("button", { name: "Start" }).click();
      await allowByClick(extension, rowOf(popup, "A video"));
      await rowOf(popup, "A video")
        .getByText(/^Uploaded/)
        .waitFor();
      await popup.getByRole("button", { name: "Clear finished" }).click();
      await popup.getByText("No uploads yet").waitFor();
      await service.reset();
      // A browser that is killed may not have written yet what it was allowed.
      await extension.close();
      extension = await loadExtension({ userDataDir: profile.path });
    }
    await service.set({ throttle: 3 * MiB });
    if (!allowed) {
      const page = await extension.context.newPage();
      await page.goto(video.origin);
      await (await openRealPopup(extension, page.url())).detach();
    }
    const popup = await extension.open("popup.html?tab=1");
    await begin(popup);
    const row = rowOf(popup, "A video");
    await row.getByRole("button", { name: "Start" }).click();
    await waitUntilSent(SIZE / 2);
    const ended = new Promise((resolve) => extension.context.once("close", resolve));
    execFileSync("pkill", ["-9", "-f", profile.path]);
    await ended;
    const sent = (await service.uploads())[0]?.offset ?? 0;
    await service.set({ throttle: 0 });
    video.given = 0;
    extension = await loadExtension({ userDataDir: profile.path });
    return sent;
  }
  const handVideo = (popup: Page) =>
    hand(popup, { address: `${video.url}?signature=${MARKER}-abc`, page: video.origin, title: "A video" });

  test("resumes by itself where its host is allowed permanently, and fetches only the rest", async () => {
    const sent = await killInTheMiddle(handVideo, true);
    await expect.poll(async () => (await service.uploads())[0]?.offset, { timeout: 40_000 }).toBe(SIZE);
    await expectWhole();
    expect(video.given).toBeLessThanOrEqual(SIZE - sent + 8 * MiB);
    const popup = await extension.open("popup.html");
    await rowOf(popup, "A video")
      .getByText(/^Uploaded/)
      .waitFor();
  });

  test("resumes by itself also where its server supports no ranges", async () => {
    video.habits = { ranges: false };
    await killInTheMiddle(handVideo, true);
    await expect.poll(async () => (await service.uploads())[0]?.offset, { timeout: 40_000 }).toBe(SIZE);
    await expectWhole();
    const [upload] = await service.uploads();
    expect((upload?.bytesReceived ?? 0) - SIZE).toBeLessThanOrEqual(8 * MiB);
  });

  test("asks for a click where only the toolbar click allowed reading, and then resumes", async () => {
    const sent = await killInTheMiddle(handVideo, false);
    const popup = await extension.open("popup.html");
    const row = rowOf(popup, "A video");
    await row.getByRole("button", { name: "Allow this host" }).waitFor();
    await allowByClick(extension, row);
    await row.getByText(/^Uploaded/).waitFor();
    await expectWhole();
    expect(video.given).toBeLessThanOrEqual(SIZE - sent + 8 * MiB);
  });

  test("asks for the page where only that has the video, and resumes when it is added again", async () => {
    const handBlob = async (popup: Page) => {
      await popup.locator("#choose-videos:enabled").waitFor();
      await pageOf(extension, video)?.evaluate(async () => {
        const blob = await (await fetch("videos/video.mp4")).blob();
        document.body.dataset.video = URL.createObjectURL(blob);
      });
      await sendBlob(extension, video.origin, "A video");
    };
    await killInTheMiddle(handBlob, false);
    const popup = await extension.open("popup.html");
    const row = rowOf(popup, "A video");
    await row.getByText("Open its page again").waitFor();
    const opened = extension.context.waitForEvent("page");
    await row.getByRole("button", { name: "Open its page" }).click();
    const page = await opened;
    await page.waitForURL(`${video.origin}/`);
    await (await openRealPopup(extension, page.url())).detach();
    await handBlob(popup);
    await row.getByText(/^Uploaded/).waitFor();
    await expectWhole();
    const [upload] = await service.uploads();
    expect((upload?.bytesReceived ?? 0) - SIZE).toBeLessThanOrEqual(8 * MiB);
  });
});

async function attachPopup(extension: Extension): Promise<Attached> {
  return await attach(extension.browser, (await findTarget(extension, "/popup.html")).targetId);
}

async function waitUntilSent(bytes: number): Promise<void> {
  const arrived = async () => (await service.uploads())[0]?.arrived ?? 0;
  await expect.poll(arrived, { timeout: 60_000 }).toBeGreaterThan(bytes);
}

function pageOf(extension: Extension, video: VideoServer): Page | undefined {
  return extension.context.pages().find((page) => page.url().startsWith(video.origin));
}

/** Has a script in the page send its Blob, and things that are none, as a page that was taken over could. */
async function sendBlob(extension: Extension, origin: string, title: string): Promise<void> {
  await extension.inWorker(`chrome.tabs.query({ url: "${origin}/*" }).then(([tab]) =>
    chrome.scripting.executeScript({
      target: { tabId: tab.id },
      args: ["${title}"],
      func: async (title) => {
        const blob = await (await fetch(document.body.dataset.video)).blob();
        const message = { to: "offscreen", type: "page-blob", batch: "b", page: location.href };
        chrome.runtime.sendMessage({ ...message, blob, title });
        chrome.runtime.sendMessage({ ...message, blob: {}, title: "No blob" });
        chrome.runtime.sendMessage({ ...message, type: "addresses", videos: [{ address: location.href, title: "No ask" }] });
      },
    }))`);
}

async function allowByClick(extension: Extension, row: Locator): Promise<void> {
  const button = row.getByRole("button", { name: "Allow this host" });
  await button.waitFor();
  await extension.allow("http://localhost/*");
  await button.click();
}

/** Takes back what a test has allowed. */
async function disallow(extension: Extension): Promise<void> {
  await extension.inWorker(
    `chrome.permissions.remove({ origins: ["http://localhost/*", "http://other.localhost/*"], permissions: ["webRequest"] })`,
  );
}

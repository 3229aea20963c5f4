/** A video at an address: read under a click on the toolbar or by a permission, and given again by its page. */
import type { Page } from "playwright-core";
import { afterEach, describe, expect, test } from "vitest";
import { useService } from "../service/use-service.ts";
import { serveVideo } from "../support/hosts/video-server.ts";
import { inAll, table } from "../support/in-all.ts";
import { MARKER } from "../support/marker.ts";
import { useOpened } from "../support/use-opened.ts";
import { allowByClick, changeOptions, handAddresses, rowOf, start, uploaded } from "./actions.ts";
import { keepListBusy } from "./busy-list.ts";
import { expectWhole, waitUntilSent } from "./evidence.ts";
import { loaded } from "./extension.ts";
import { attach, findTarget, openRealPopup, stopWorker, targets } from "./raw-target.ts";
import { makeBlob, sendBlob } from "./send-blob.ts";
import { useExtension } from "./use-extension.ts";

const MiB = 1024 * 1024;
/** Long enough that a part is still to be fetched while the second one is sent and the third one held. */
const SIZE = 28 * MiB;
const PATTERN = "http://localhost/*";
const service = useService({ refuseOrigin: true });
const extension = useExtension(service);
const page = { "/": "<title>A page</title><video src=videos/video.mp4></video>" };
const video = useOpened(() => serveVideo(SIZE, {}, page, "localhost"));

afterEach(async () => {
  video.habits = {};
  await disallow();
});

/** Takes back what a test has allowed. */
const disallow = () =>
  extension.inWorker(
    `chrome.permissions.remove({ origins: ["${PATTERN}", "http://other.localhost/*"], permissions: ["webRequest"] })`,
  );
const asksForHost = `Allow the browser to read from localhost`;
const pageOfVideo = () => extension.context.pages().find((page) => page.url().startsWith(video.origin));

/** A click on the toolbar opens the page to Upcut. */
async function visit(): Promise<Page> {
  const page = pageOfVideo() ?? (await extension.context.newPage());
  await page.goto(video.origin);
  await (await openRealPopup(extension, page.url())).detach();
  return page;
}

/** Has the page's video handed over, with an address that is signed so. */
async function fromPage(title: string, signature: string): Promise<Page> {
  const page = await visit();
  const popup = await extension.open("popup.html?tab=1");
  await handAddresses(popup, {
    address: `${video.url}?signature=${MARKER}-${signature}`,
    page: page.url(),
    title,
  });
  return popup;
}

test("a Blob that a script in its page sends waits as a draft, and nothing else that a page sends is taken", async () => {
  await changeOptions(extension, (options) => options.getByLabel("Review before uploading").uncheck());
  const page = await visit();
  await makeBlob(page);
  const popup = await extension.open("popup.html?tab=1");
  await popup.locator("#choose-videos:enabled").waitFor();
  await sendBlob(extension, video.origin, "A blob");
  // Whatever the settings say: a page that was taken over could send one too.
  const row = await start(popup, "A blob");
  await page.close();
  await uploaded(row);
  await expectWhole(service, SIZE);
  expect(await rowOf(popup, "No ").count()).toBe(0);
  await changeOptions(extension, (options) => options.getByLabel("Review before uploading").check());
});

inAll(
  "a redirect to a host that isn't allowed is reported, asked for at a click, and from then on at once",
  async () => {
    const seesRedirects = () =>
      extension.inWorker<boolean>(`chrome.permissions.contains({ permissions: ["webRequest"] })`);
    expect(await seesRedirects()).toBe(false);
    const shop = await serveVideo(0, { redirect: `${video.url}?signature=${MARKER}-abc` });
    const popup = await extension.open("popup.html?tab=1");
    await handAddresses(popup, { address: shop.url, title: "A video" });
    const row = await start(popup, "A video");
    await row.getByText("sends us to one that isn't allowed").waitFor();
    await row.getByRole("button", { name: "Try again" }).click();
    await row.getByText(asksForHost).waitFor();
    expect(await seesRedirects()).toBe(true);
    // Also by a worker that has just started.
    await stopWorker(extension);
    await handAddresses(popup, { address: `${shop.url}?other`, title: "Another" });
    const other = await start(popup, "Another");
    await other.getByText(asksForHost).waitFor();
    await other.getByRole("button", { name: "Cancel" }).click();
    expect(await service.assets()).toEqual([]);
    await allowByClick(extension, row, PATTERN);
    await uploaded(row);
    await expectWhole(service, SIZE);
    await shop.close();
  },
);

inAll(
  "an upload whose tab is closed keeps what was sent, and resumes with the new address of its video alone",
  async () => {
    video.habits = { signature: "one", cookie: "member=yes" };
    await service.set({ throttle: 3 * MiB });
    const popup = await fromPage("A video", "one");
    const row = await start(popup, "A video");
    await waitUntilSent(service, 9 * MiB);
    await pageOfVideo()?.close();
    await row.getByText("Details").click();
    await row.getByText("Or open its page").waitFor();
    await service.set({ throttle: 0 });
    const opened = extension.context.waitForEvent("page");
    await row.getByRole("button", { name: "Open its page" }).click();
    await loaded(await opened, `${video.origin}/`);
    // Another video at the same path is another one.
    video.habits = { signature: "three", version: "three", seed: 2 };
    const again = await fromPage("Another video", "three");
    await rowOf(again, "Another video").getByRole("button", { name: "Remove" }).click();
    await expect.poll(() => again.getByRole("listitem").count()).toBe(1);
    video.habits = { signature: "two", cookie: "member=yes" };
    video.given = 0;
    await handAddresses(again, {
      address: `${video.url}?signature=${MARKER}-two`,
      page: video.origin,
      title: "A video",
    });
    await uploaded(rowOf(again, "A video"));
    expect(await rowOf(again, "A video").count()).toBe(1);
    await expectWhole(service, SIZE);
    expect(video.given).toBeLessThanOrEqual(SIZE);
  },
);

inAll("a video that is paused while its server still thinks is not begun", async () => {
  video.habits = { signature: "one" };
  await service.set({ throttle: 3 * MiB });
  const popup = await fromPage("A video", "one");
  const row = await start(popup, "A video");
  await waitUntilSent(service, 9 * MiB);
  await row.getByRole("button", { name: "Pause" }).click();
  await row.getByText("Paused").waitFor();
  video.habits = { status: 503 };
  await handAddresses(popup, { address: video.url, page: video.origin, title: "Another video" });
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
    // What is shown as paused is, also while that can't be stored yet.
    await other.getByRole("button", { name: "Pause" }).waitFor();
    const letGo = await keepListBusy(extension);
    await other.getByRole("button", { name: "Pause" }).click();
    await other.getByText("Paused").waitFor();
    release();
    await letGo();
    // A draft that is added and removed goes through the list behind whatever was to be stored.
    await handAddresses(popup, { address: "http://other.localhost/marker.mp4", title: "Marker" });
    await rowOf(popup, "Marker").getByRole("button", { name: "Remove" }).click();
    await rowOf(popup, "Marker").waitFor({ state: "detached" });
    for (const each of [row, other]) await each.getByText("Paused").waitFor();
    expect(await service.requests("POST", "request-upload")).toHaveLength(1);
  }
  await service.set({ throttle: 0 });
  await other.getByRole("button", { name: "Continue" }).click();
  await uploaded(row);
  await expectWhole(service, SIZE);
});

describe("by the menu", () => {
  /** As Chromium tells a click, which also lets the extension read the page's own site. */
  async function click(info: object): Promise<void> {
    const page = await visit();
    await makeBlob(page);
    const blobs = await page.evaluate(() => ({
      BLOB: document.body.dataset.video ?? "",
      STREAM: URL.createObjectURL(new MediaSource()),
    }));
    const { targetId } = await findTarget(extension, "/popup.html");
    await extension.browser.send("Target.closeTarget", { targetId });
    await expect.poll(popups).toBe(0);
    const given = JSON.stringify({ pageUrl: page.url(), frameId: 0, ...info })
      .replace("BLOB", blobs.BLOB)
      .replace("STREAM", blobs.STREAM);
    await extension.inWorker(
      `chrome.tabs.query({ url: "${video.origin}/*" }).then(([tab]) => void chrome.contextMenus.onClicked.dispatch(${given}, tab))`,
    );
  }
  const popups = async () =>
    (await targets(extension)).filter(({ url }) => url.endsWith("/popup.html")).length;

  test.each(
    table<[string, object, string]>([
      ["a video", { menuItemId: "video", srcUrl: "VIDEO" }, "A page"],
      ["a link to a video", { menuItemId: "video-link", linkUrl: "VIDEO?signature=one#t=3" }, "video.mp4"],
      ["a video that only its page can read", { menuItemId: "video", srcUrl: "BLOB" }, "A page"],
    ]),
  )("%s is added by its name, and the list is opened", async (_, info, title) => {
    video.habits = { cookie: "member=yes" };
    const opened = extension.context.waitForEvent("page", (page) => page.url().includes("popup.html"));
    await click(JSON.parse(JSON.stringify(info).replace("VIDEO", video.url)));
    await uploaded(await start(await opened, title));
    await expectWhole(service, SIZE);
  });

  inAll.each([{ srcUrl: "STREAM" }, {}])("a player with %j for an address opens the popup", async (info) => {
    await click({ menuItemId: "video", ...info });
    await expect.poll(popups).toBe(1);
    const popup = await attach(extension.browser, (await findTarget(extension, "/popup.html")).targetId);
    // A popup that is closed while it loads counts as one that couldn't be opened.
    await expect.poll(() => popup.evaluate("document.querySelector('#choose-videos').disabled")).toBe(false);
    expect(await extension.inWorker("chrome.storage.session.get('dialog').then(JSON.stringify)")).toBe("{}");
    // No list was opened instead.
    expect(extension.context.pages().filter((each) => each.url().includes("popup.html"))).toEqual([]);
    await popup.evaluate("void setTimeout(() => window.close())");
    await popup.detach();
    await expect.poll(popups).toBe(0);
  });
});

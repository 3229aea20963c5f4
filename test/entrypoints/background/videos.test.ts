/** A click on a video's menu: what is handed to the uploads, and what the person is shown. */
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { createVideoMenus, isVideoMenu, takeVideo } from "../../../entrypoints/background/videos.ts";
import { FROM_OFFSCREEN, TO_OFFSCREEN } from "../../../entrypoints/shared/messages.ts";
import { endSearch, type StubbedWorker, stubWorker } from "../../support/extension/stub-worker.ts";

const SITE = "https://site.example";
const VIDEO = `${SITE}/video.mp4`;
const TAB = { id: 7, windowId: 3, title: "The page" };
const BATCH = expect.stringMatching(/^[\da-f-]{36}$/);

let worker: StubbedWorker;
/** What the document was told, hellos left out. */
let told: unknown[];
let channels: BroadcastChannel[];

beforeEach(() => {
  worker = stubWorker({
    "permissions.contains": true,
    "permissions.request": true,
    "runtime.getContexts": [{}],
    "action.openPopup": undefined,
    "scripting.executeScript": [{ result: true }],
  });
  Object.assign(worker.stored.local, { settings: { address: "https://video.example" }, token: "tok-1" });
  told = [];
  const [commands, events] = [TO_OFFSCREEN, FROM_OFFSCREEN].map((name) => new BroadcastChannel(name));
  channels = [commands, events].filter((each) => each !== undefined);
  (commands as BroadcastChannel).onmessage = ({ data }) => {
    if (data.type === "hello") events?.postMessage({ type: "ready" });
    else told.push(data);
  };
});
afterEach(async () => {
  await endSearch(worker.stored);
  for (const channel of channels) channel.close();
});

const given = (name: string) => worker.calls.flatMap(([each, ...all]) => (each === name ? [all] : []));
const take = (info: object, tab: object | undefined = TAB) =>
  takeVideo(
    { menuItemId: "video", pageUrl: `${SITE}/watch`, ...info } as chrome.contextMenus.OnClickData,
    tab as chrome.tabs.Tab | undefined,
  );
/** The address of the list that was opened in a window. */
const listUrl = () => (given("windows.create") as [{ url: string }][]).map(([{ url }]) => url);

test("a video has an entry, and a link to one in any case of its ending", () => {
  createVideoMenus();
  const [[video], [link]] = given("contextMenus.create") as [[object], [{ targetUrlPatterns: string[] }]];
  expect(video).toEqual({ id: "video", contexts: ["video"], title: expect.stringMatching(/./) });
  expect(link).toMatchObject({ id: "video-link", contexts: ["link"] });
  expect(link.targetUrlPatterns).toEqual(
    expect.arrayContaining(["*://*/*.mp4", "*://*/*.mp4?*", "*://*/*.MP4", "*://*/*.MP4?*"]),
  );
  const isOwn = ["video", "video-link", "link"].map((menuItemId) =>
    isVideoMenu({ menuItemId } as chrome.contextMenus.OnClickData),
  );
  expect(isOwn).toEqual([true, true, false]);
});

test("a video is handed over with its page and title, and a notification says that it starts", async () => {
  await take({ srcUrl: VIDEO });
  await expect
    .poll(() => told)
    .toMatchObject([
      {
        type: "addresses",
        batch: BATCH,
        videos: [{ address: VIDEO, page: `${SITE}/watch`, title: "The page" }],
      },
    ]);
  const [command] = told as { batch: string }[];
  expect(worker.stored.session).toMatchObject({
    "open-uploads": true,
    dialog: { batch: command?.batch, kind: "host", windowId: 3 },
  });
  expect(given("permissions.request")).toEqual([]);
  const message = expect.stringContaining("The page");
  expect(given("notifications.create")).toMatchObject([["upcut-upload", { message }]]);
  expect(listUrl()).toEqual([]);
});

test.each([VIDEO, `blob:${SITE}/1`])(
  "the list is opened where the uploads don't answer: %s",
  async (srcUrl) => {
    for (const channel of channels) channel.onmessage = null;
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const taking = take({ srcUrl });
    await vi.advanceTimersByTimeAsync(20_000);
    await taking;
    expect(listUrl()).toEqual(["chrome-extension://upcut/popup.html?tab="]);
    expect(worker.stored.session).not.toHaveProperty("dialog");
    expect(given("notifications.create")).toEqual([]);
  },
);

test("a link is named after its address, and its host asked for where it isn't the page's", async () => {
  await take({ menuItemId: "video-link", linkUrl: "https://cdn.example/launch.mp4", srcUrl: VIDEO });
  await expect
    .poll(() => told)
    .toMatchObject([{ videos: [{ address: "https://cdn.example/launch.mp4", title: "launch.mp4" }] }]);
  expect(given("permissions.request")).toMatchObject([[{ origins: ["https://cdn.example/*"] }]]);
});

test("a video of no web page is handed over without one", async () => {
  await take({ srcUrl: VIDEO, pageUrl: "file:///home/a.html" });
  await expect.poll(() => told).toMatchObject([{ videos: [{ address: VIDEO }] }]);
  expect((told as { videos: object[] }[])[0]?.videos[0]).not.toHaveProperty("page");
});

test("where uploads wait for a look, the list is opened instead of a notification", async () => {
  worker.stored.local.settings = { address: "https://video.example", reviewFirst: true };
  await take({ srcUrl: VIDEO });
  expect(listUrl()).toEqual(["chrome-extension://upcut/popup.html?tab="]);
  expect(worker.stored.session.dialog).toBe(undefined);
  expect(given("notifications.create")).toEqual([]);
});

test("without leave to notify, nothing is said", async () => {
  worker.answers["permissions.contains"] = false;
  await take({ srcUrl: VIDEO });
  await expect.poll(() => told).toHaveLength(1);
  expect(given("notifications.create")).toEqual([]);
});

test("without an account the options are opened, and nothing is handed over", async () => {
  worker.stored.local.token = "";
  await take({ srcUrl: VIDEO });
  expect(given("runtime.openOptionsPage")).toHaveLength(1);
  expect(told).toEqual([]);
});

test.each([
  ["that has no address, without a tab", {}, undefined, "no-address"],
  ["that is no web address", { srcUrl: "ftp://site.example/a.mp4" }, TAB, "no-link"],
  ["that a page made, without a tab", { srcUrl: `blob:${SITE}/1` }, undefined, "gone"],
])("the list says why a video is refused: one %s", async (_, info, tab, refused) => {
  await takeVideo(
    { menuItemId: "video", pageUrl: SITE, ...info } as chrome.contextMenus.OnClickData,
    tab as chrome.tabs.Tab | undefined,
  );
  expect(listUrl()).toEqual([expect.stringContaining(`popup.html?tab=&refused=${refused}`)]);
  expect(given("windows.create")).toMatchObject([[{ type: "popup", width: 460, height: 600 }]]);
  expect(told).toEqual([]);
});

test("a video without an address opens the popup above its page, or the list where that can't be", async () => {
  worker.stored.session.dialog = {};
  await take({});
  expect(given("action.openPopup")).toEqual([[{ windowId: 3 }]]);
  expect(worker.stored.session).not.toHaveProperty("dialog");
  expect(listUrl()).toEqual([]);
  worker.answers["action.openPopup"] = () => Promise.reject(new Error("no window"));
  await take({});
  expect(listUrl()).toEqual([expect.stringContaining("refused=no-address")]);
});

test("a video that only its page can read is sent by the frame, after the uploads expect it", async () => {
  await take({ srcUrl: `blob:${SITE}/1`, frameId: 2 }, { ...TAB, title: "" });
  await expect.poll(() => told).toEqual([{ type: "expect-blob", batch: BATCH }]);
  const [[script]] = given("scripting.executeScript") as [[{ target: object; args: unknown[] }]];
  expect(script).toMatchObject({
    target: { tabId: 7, frameIds: [2] },
    args: [`blob:${SITE}/1`, { batch: (told as { batch: string }[])[0]?.batch, page: `${SITE}/watch` }],
  });
  expect((script.args[1] as { title: string }).title).not.toBe("");
  expect(given("notifications.create")).toHaveLength(1);
});

test("a video that its page can't send either opens the popup above it", async () => {
  worker.answers["scripting.executeScript"] = [{ result: false }];
  await take({ srcUrl: `blob:${SITE}/1` });
  expect(given("action.openPopup")).toEqual([[{ windowId: 3 }]]);
  expect(given("notifications.create")).toEqual([]);
});

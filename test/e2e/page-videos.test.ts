import { fileURLToPath, pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { expectOriginal } from "../hls-original.ts";
import { RUNS } from "../pages/pieces.ts";
import { openSite, type Site, type Video } from "../pages/site.ts";
import { useService } from "../service/use-service.ts";
import { type ListedVideo, openPopupAbove, type RealPopup } from "./listed.ts";
import { type Tasks, tasksDuring } from "./tasks.ts";
import { namesLeftIn, tracesIn, watchPage } from "./traces.ts";
import { useExtension } from "./use-extension.ts";

const PAGES = "http://pages.localhost/*";
const MEDIA = "http://media.localhost/*";

type PageName = Parameters<Site["page"]>[0];

const service = useService();
const extension = useExtension(service, { allowed: { origins: [PAGES, MEDIA] } });
let site: Site;
let page: Page;
let popup: RealPopup | undefined;

beforeAll(async () => {
  site = await openSite();
  const [first] = extension.context.pages();
  if (first === undefined) throw new Error("the browser has no tab");
  page = first;
});
afterEach(async () => {
  await popup?.close();
  popup = undefined;
});
afterAll(() => site.close());

/** Opens a page, waits until its videos are what they are meant to be, and opens the popup above it. */
async function lookAt(name: PageName): Promise<RealPopup> {
  await page.goto(site.page(name));
  await page.waitForFunction(isSettled);
  site.takeRequests();
  popup = await openPopupAbove(extension, page);
  return popup;
}

/** Runs in the page. */
function isSettled(): boolean {
  const frames = [...document.querySelectorAll("iframe")].flatMap((each) => each.contentDocument ?? []);
  return [document, ...frames].every((inside) => {
    const waits = [...inside.scripts].some(({ text }) => text.includes("dataset.ready"));
    const videos = [...inside.querySelectorAll("video")];
    return (
      (!waits || inside.documentElement.dataset.ready === "yes") &&
      videos.every(
        ({ readyState, networkState, error, preload }) =>
          readyState >= 2 || error !== null || preload === "none" || [0, 3].includes(networkState),
      )
    );
  });
}

const launch: ListedVideo = {
  title: "Launch day",
  kind: "MP4",
  facts: "0:10 · 640 × 360 · 158 kB",
  ticked: true,
  picture: "thumbnail",
};
const dive: ListedVideo = {
  ...launch,
  title: "Into the deep",
  kind: "WEBM",
  facts: "0:06 · 480 × 270 · 419 kB",
};
const tiny: ListedVideo = { ...launch, facts: "0:03 · 320 × 180 · 4.2 kB" };
const { picture: _, ...unseen } = launch;
const { ticked: __, ...stream } = { ...launch, facts: "0:10 · 640 × 360" };
const pieces: ListedVideo = { ...launch, kind: "Stream", facts: "0:06 · 160 × 90" };
const ten: ListedVideo = {
  ...pieces,
  title: "Ten qualities",
  facts: "0:06 · 1600 × 900",
  qualities: Array.from({ length: 10 }, (_, at) => {
    const size = ["675", "608", "540", "473", "405", "338", "270", "203", "135", "67.5"][at];
    return `${90 * (10 - at)}p · about ${size} kB`;
  }),
};
const { ticked: ___, ...refused } = pieces;
const inPieces = "0:10 · 640 × 360 · about 151 kB";

describe("the popup lists", () => {
  test.each<[string, PageName, ListedVideo[]]>([
    ["an MP4 by the page's title", "mp4", [launch]],
    ["a WebM by its label", "webm", [dive]],
    [
      "one of several sources, the one that plays, by its caption",
      "source-choice",
      [{ ...dive, title: "The dive, in two formats" }],
    ],
    ["a video in a frame of the same site", "same-origin-frame", [launch]],
    [
      "a video in a frame that is text of the page",
      "inline-frame",
      [{ ...tiny, title: "In the text of a frame" }],
    ],
    [
      "a Blob of a page whose policy lets it fetch nothing",
      "strict-blob",
      [{ ...tiny, title: "A Blob on a strict page", kind: "In the page" }],
    ],
    [
      "a camera",
      "camera",
      [
        {
          ...stream,
          title: "A camera",
          kind: "Stream",
          facts: "300 × 150",
          reason: "Played piece by piece: there is no file to upload.",
        },
      ],
    ],
    ["a video in an open shadow", "open-shadow", [{ ...tiny, title: "In an open shadow" }]],
    [
      "a video in a closed shadow of a closed shadow",
      "closed-shadow",
      [{ ...tiny, title: "In a closed shadow" }],
    ],
    [
      "videos that are not loaded yet",
      "lazy",
      [
        { title: "Not loaded yet", kind: "MP4", facts: "158 kB", ticked: false },
        { title: "Nor this one", kind: "WEBM", facts: "419 kB", ticked: false },
      ],
    ],
    [
      "a Blob once, and not also what it was fetched from",
      "blob",
      [{ ...launch, title: "A Blob", kind: "In the page" }],
    ],
    [
      "a MediaSource whose playlist isn't found, and what helps",
      "media-source",
      [
        {
          ...stream,
          title: "Streamed",
          kind: "Stream",
          reason:
            "Played piece by piece, and its playlist was not found. Load the page again, start the video, and look again.",
        },
      ],
    ],
    [
      "an HLS stream that a script plays",
      "hls",
      [{ ...launch, title: "A stream", kind: "Stream", facts: inPieces }],
    ],
    [
      "an HLS stream in a source",
      "hls-source",
      [{ title: "A stream by itself", kind: "Stream", facts: "0:10 · about 151 kB", ticked: true }],
    ],
    ["a DASH stream", "dash", [{ ...launch, title: "Another stream", kind: "Stream", facts: inPieces }]],
    [
      "a video under DRM",
      "drm",
      [
        {
          title: "Under lock",
          kind: "Protected",
          facts: "0:10 · 640 × 360",
          reason: "Protected against copying: can't be uploaded.",
        },
      ],
    ],
    [
      "a video that only other sites are told of, once",
      "og-video",
      [{ ...launch, title: "The video of the year", facts: "640 × 360 · 158 kB" }],
    ],
    ["no page with a player in place of a video", "og-player", []],
    [
      "videos that search engines are told of, however deep, and past broken descriptions",
      "json-ld",
      [
        { ...launch, title: "Described deep inside", facts: "0:10 · 158 kB", ticked: false },
        { title: "Described elsewhere", kind: "WEBM", facts: "", host: "media", ticked: false },
      ],
    ],
    [
      "links to videos, and to nothing else",
      "links",
      [
        { title: "The camera roll", kind: "MOV", facts: "74.2 kB", ticked: false },
        { title: "Tiny, from elsewhere", kind: "MP4", facts: "4.2 kB", host: "media", ticked: false },
        { title: "tiny", kind: "MP4", facts: "4.2 kB", ticked: false },
      ],
    ],
    [
      "a video that was only loaded",
      "requested",
      [{ title: "Seen on the wire", kind: "MP4", facts: "4.2 kB", ticked: true }],
    ],
    [
      "a video of another site by its poster, since no frame of it can be read",
      "cross-origin-file",
      [
        { ...launch, title: "Elsewhere", facts: "0:10 · 640 × 360", host: "media", ticked: false },
        { ...tiny, title: "Here", ticked: false },
      ],
    ],
    ["a video for members, with its size", "gated", [{ ...launch, title: "For members" }]],
    [
      "a video whose address has expired, and says so",
      "expired",
      [
        {
          title: "Expired",
          kind: "MP4",
          facts: "",
          ticked: true,
          note: "Its server refuses it: the address may have expired. Load the page again.",
        },
      ],
    ],
    [
      "a video whose address is signed for GET alone, with its size",
      "signed",
      [{ ...launch, title: "Signed" }],
    ],
    ["a video from a server without ranges", "no-range", [{ ...launch, title: "Whole only" }]],
    [
      "a video whose length is not told",
      "no-length",
      [{ ...launch, title: "Of unknown length", facts: "0:10 · 640 × 360" }],
    ],
    ["a video that moved", "moved", [{ ...launch, title: "Moved" }]],
    [
      "a video that moved to another site",
      "moved-away",
      [{ ...unseen, title: "Moved away", facts: "0:10 · 640 × 360" }],
    ],
    [
      "a video once that lies in several places under several addresses, by its post",
      "same-video",
      [{ ...launch, title: "The launch" }],
    ],
    [
      "videos in the settings of players that are not there yet",
      "player-settings",
      [
        { title: "The launch", kind: "MP4", facts: "158 kB", ticked: false },
        { title: "The dive", kind: "WEBM", facts: "419 kB", ticked: false },
      ],
    ],
    ["nothing where there is nothing", "none", []],
  ])("%s", async (_, name, expected) => {
    await expectListed(name, expected);
  });

  test.each<[string, PageName, ListedVideo[]]>([
    ["a playlist of MPEG-TS", "hls-ts", [{ ...pieces, title: "MPEG-TS" }]],
    ["a playlist of fragments", "hls-fmp4", [{ ...pieces, title: "Fragments" }]],
    [
      "a main playlist with sound of its own, once",
      "hls-separate",
      [{ ...pieces, title: "Sound apart", facts: `${pieces.facts} · about 71.7 kB` }],
    ],
    [
      "ranges of one MP4 file",
      "hls-ranges",
      [{ ...pieces, title: "Ranges", facts: `${pieces.facts} · about 67.5 kB` }],
    ],
    [
      "ranges of one MPEG-TS file",
      "hls-ts-ranges",
      [{ ...pieces, title: "Ranges of MPEG-TS", facts: `${pieces.facts} · about 94.9 kB` }],
    ],
    ["pieces with a key", "hls-aes", [{ ...pieces, title: "Encrypted" }]],
    ["the best of ten qualities, and the others to choose from", "hls-ten", [ten]],
    [
      "three runs with a clock of their own",
      "hls-runs",
      [{ ...pieces, title: "Three runs", facts: "0:18 · 160 × 90" }],
    ],
    ["two hours", "hls-long", [{ ...pieces, title: "Two hours", facts: "2:00:00 · 160 × 90" }]],
    [
      "a playlist whose address doesn't say that it is one",
      "hls-unnamed",
      [{ ...pieces, title: "Without an ending" }],
    ],
    [
      "a playlist of another site that lets everybody read it",
      "hls-elsewhere",
      [{ ...ten, title: "Elsewhere", host: "media" }],
    ],
    [
      "a playlist of another site that lets this page alone read it, by what its player knows",
      "hls-for-page",
      [{ ...pieces, title: "For this page alone", host: "media" }],
    ],
    [
      "two players by the lengths of what they play",
      "hls-two",
      [
        { ...ten, title: "Six seconds", ticked: false },
        { ...pieces, title: "Four seconds", facts: "0:04 · 160 × 90", ticked: false },
      ],
    ],
    [
      "the video that a player has come to, and not the one before",
      "hls-next",
      [{ ...pieces, title: "The second", facts: "0:04 · 160 × 90" }],
    ],
    [
      "a DASH manifest with a template",
      "dash-template",
      [{ ...pieces, title: "By a template", facts: `${pieces.facts} · about 36.1 kB` }],
    ],
    [
      "a DASH manifest of files with an index",
      "dash-on-demand",
      [{ ...pieces, title: "On demand", facts: `${pieces.facts} · about 67.4 kB` }],
    ],
    [
      "a live stream, and why it can't be taken",
      "hls-live",
      [{ ...refused, title: "On air", reason: "A live stream that hasn't ended: can't be uploaded." }],
    ],
    [
      "a protected playlist, and why it can't be taken",
      "hls-protected",
      [
        {
          title: "Fair",
          kind: "Stream",
          facts: "0:06",
          reason: "Protected against copying: can't be uploaded.",
        },
      ],
    ],
    [
      "a player of which the browser no longer knows what it plays, and what to do",
      "hls-forgotten",
      [
        {
          ...refused,
          title: "After much else",
          facts: "0:06 · 160 × 90",
          reason:
            "Played piece by piece, and the browser no longer knows from where. Load the page again, and look again.",
        },
      ],
    ],
  ])("by a real player: %s", async (_, name, expected) => {
    await expectListed(name, expected);
  });

  async function expectListed(name: PageName, expected: ListedVideo[]): Promise<void> {
    const { listed, state } = await lookAt(name);
    const media = new URL(site.mediaOrigin).host;
    await expect
      .poll(listed)
      .toEqual(expected.map((each) => ({ ...each, ...(each.host && { host: media }) })));
    expect(await state()).toBe(expected.length === 0 ? "None found" : String(expected.length));
  }

  test("a video that is opened by itself, by its file's name", async () => {
    await page.goto(`${site.origin}/plain/launch-video.mp4`);
    popup = await openPopupAbove(extension, page);
    await expect.poll(popup.listed).toEqual([{ ...launch, title: "launch-video" }]);
  });

  test.each<[string, () => string, string]>([
    ["a page of the browser", () => "chrome://version", "one of the browser's own pages"],
    ["a new tab", () => "chrome://newtab", "one of the browser's own pages"],
    ["the extension store", () => "https://chromewebstore.google.com/", "out of the extension store"],
    ["an empty tab", () => "about:blank", "If it shows a file on this computer, choose that file."],
    ["the source of a page", () => `view-source:${site.page("mp4")}`, "If it shows a file"],
    ["a PDF", () => `${site.origin}/plain/paper.pdf`, "This is a PDF"],
    [
      "a page of an extension",
      () => `chrome-extension://${extension.id}/options.html`,
      "belongs to an extension",
    ],
    ["a page that didn't load", () => "http://pages.localhost:9/", "The page didn't load."],
  ])("nothing of %s, and says why", async (_, address, words) => {
    const tab = await extension.context.newPage();
    // Some don't load, and one leads to another.
    await tab.goto(address()).catch(() => tab.waitForURL(/^chrome/));
    const session = await extension.context.newCDPSession(tab);
    const { targetInfo } = await session.send("Target.getTargetInfo");
    popup = await openPopupAbove(extension, tab, targetInfo.url);
    expect(await popup.state()).toBe("Can't be searched");
    expect(await why()).toContain(words);
    await popup.close();
    popup = undefined;
    await tab.close();
  });

  test("nothing of a file of this computer, and offers to choose it", async () => {
    await page.goto(
      pathToFileURL(fileURLToPath(new URL("../service/samples/tiny.mp4", import.meta.url))).href,
    );
    popup = await openPopupAbove(extension, page);
    expect(await popup.state()).toBe("Can't be searched");
    expect(await why()).toContain("a file on this computer");
    expect(await why()).toContain("Choose the file instead");
  });

  test("a link that only its server knows to be a video, by the name that it gives it", async () => {
    const { listed } = await lookAt("disposition");
    await expect
      .poll(listed)
      .toEqual([{ title: "Saved launch-video", kind: "Video", facts: "158 kB", ticked: true }]);
    const asked = site.takeRequests().filter(({ path }) => path.startsWith("/download/"));
    expect(asked.map(({ method }) => method)).toEqual(["HEAD", "HEAD"]);
  });

  test("the one of 31 videos that a person came for, and the loops behind texts in one line", async () => {
    const { listed, state, evaluate } = await lookAt("showreel");
    expect(await state()).toBe("31");
    // Among so many a slow machine has no frame of it yet.
    const { picture: _, ...known } = launch;
    await expect.poll(listed).toMatchObject([{ ...known, title: "The showreel" }]);
    expect(
      await evaluate("document.querySelector('#background-loops:not([open]) summary').textContent"),
    ).toBe("30 background loops");
    expect(await evaluate("document.querySelectorAll('#background-loops-list input:checked').length")).toBe(
      0,
    );
  });
});

/** What is said of a page that can't be searched. */
const why = () =>
  popup?.evaluate<string>("document.getElementById('page-videos-why').innerText.replaceAll('\\n', ' ')");

const mayReadMedia = () =>
  extension.inWorker<boolean>(`chrome.permissions.contains({ origins: [${JSON.stringify(MEDIA)}] })`);

describe("what is chosen arrives whole", () => {
  afterEach(async () => {
    await extension.inWorker(
      `chrome.permissions.remove({ origins: ${JSON.stringify([PAGES, MEDIA])}, permissions: ["webRequest"] })`,
    );
  });

  async function expectArrived(...videos: Video[]): Promise<void> {
    const count = async () => (await service.assets()).length;
    await expect
      .poll(count, { timeout: 20_000 })
      .toBe(videos.length)
      .catch(async (error: unknown) => {
        throw new Error(`The list shows: ${await popup?.evaluate("document.body.innerText")}`, {
          cause: error,
        });
      });
    const assets = await service.assets();
    const whole = await Promise.all(assets.map(({ asset }) => service.whole(asset.id, 20_000)));
    expect(whole.map(({ sha256 }) => sha256).sort()).toEqual(
      videos.map((video) => site.sha256[video]).sort(),
    );
  }

  test.each<[string, PageName, Video[]]>([
    ["an MP4", "mp4", ["launch-video.mp4"]],
    ["a WebM", "webm", ["deep-dive.webm"]],
    ["the source that plays", "source-choice", ["deep-dive.webm"]],
    ["a video in a frame of the same site", "same-origin-frame", ["launch-video.mp4"]],
    ["a video in a frame that is text of the page", "inline-frame", ["tiny.mp4"]],
    ["a Blob of a page whose policy lets it fetch nothing", "strict-blob", ["tiny.mp4"]],
    ["a video in an open shadow", "open-shadow", ["tiny.mp4"]],
    ["a video in a closed shadow", "closed-shadow", ["tiny.mp4"]],
    ["videos that the page has not loaded", "lazy", ["launch-video.mp4", "deep-dive.webm"]],
    ["a Blob", "blob", ["launch-video.mp4"]],
    ["a Blob of a frame that is text of the page", "inline-blob", ["tiny.mp4"]],
    ["a video that only other sites are told of", "og-video", ["launch-video.mp4"]],
    ["a video that was only loaded", "requested", ["tiny.mp4"]],
    ["a video for members", "gated", ["launch-video.mp4"]],
    ["a video whose address is signed for GET alone", "signed", ["launch-video.mp4"]],
    ["a video from a server without ranges", "no-range", ["launch-video.mp4"]],
    ["a video whose length is not told", "no-length", ["launch-video.mp4"]],
    ["a video that moved", "moved", ["launch-video.mp4"]],
    ["a link that only its server knows to be a video", "disposition", ["launch-video.mp4"]],
    ["a video that lies in several places", "same-video", ["launch-video.mp4"]],
  ])("%s", async (_, name, videos) => {
    const { uploadAll } = await lookAt(name);
    await uploadAll();
    await expectArrived(...videos);
    expect(await mayReadMedia()).toBe(false);
  });

  test.each<[string, PageName, Video[]]>([
    ["a video element", "cross-origin-file", ["launch-video.mp4", "tiny.mp4"]],
    ["a description for search engines", "json-ld", ["launch-video.mp4", "deep-dive.webm"]],
  ])(
    "a file of another site in %s, by the permission that the same click asks for",
    async (_, name, videos) => {
      const { uploadAll } = await lookAt(name);
      expect(await mayReadMedia()).toBe(false);
      await uploadAll();
      await expectArrived(...videos);
      expect(await mayReadMedia()).toBe(true);
    },
  );

  test("a video of another site that lets everybody read, without a permission and without cookies", async () => {
    const { listed, uploadAll } = await lookAt("links");
    await expect.poll(async () => (await listed()).every(({ facts }) => facts !== "")).toBe(true);
    await uploadAll();
    await expectArrived("camera-roll.mov", "tiny.mp4", "tiny.mp4");
    expect(await mayReadMedia()).toBe(false);
    const foreign = site.takeRequests().filter(({ host }) => host === "media");
    expect(foreign.some(({ method }) => method === "GET")).toBe(true);
    expect(foreign.filter(({ cookie }) => cookie !== undefined)).toEqual([]);
  });

  test("a video that moved to another site, which is asked for by name once it is known", async () => {
    const { uploadAll, click, evaluate } = await lookAt("moved-away");
    await uploadAll();
    const asks = () => evaluate<string>("document.querySelector('#list .rest').textContent");
    await expect.poll(asks).toContain(`read from ${new URL(site.origin).host}`);
    await click("Allow this host");
    await expect.poll(asks).toContain(`read from ${new URL(site.mediaOrigin).host}`);
    await click("Allow this host");
    await expectArrived("launch-video.mp4");
  });

  test("a video in a frame of another site, after a click that lets us search it", async () => {
    const { listed, closedFrames, click, uploadAll } = await lookAt("cross-origin-frame");
    expect(await listed()).toEqual([]);
    const host = new URL(site.mediaOrigin).host;
    expect(await closedFrames()).toEqual([`Player from ${host}`]);
    await click("Look inside");
    await expect.poll(listed).toEqual([{ ...dive, host }]);
    expect(await closedFrames()).toEqual([]);
    await uploadAll();
    await expectArrived("deep-dive.webm");
  });

  test("a video in a player of another site, which the popup has looked into when it opens again", async () => {
    const { click } = await lookAt("cross-origin-frame");
    const host = new URL(site.mediaOrigin).host;
    await click("Look inside");
    await expect.poll(mayReadMedia).toBe(true);
    // The browser's question has closed it.
    await popup?.close();
    popup = await openPopupAbove(extension, page);
    await expect.poll(popup.listed).toEqual([{ ...dive, host }]);
    expect(await popup.closedFrames()).toEqual([]);
    await popup.uploadAll();
    await expectArrived("deep-dive.webm");
  });

  test.each<[string, PageName, expectWhole?: (bytes: Uint8Array) => Promise<void>]>([
    ["MPEG-TS", "hls-ts"],
    ["fragments", "hls-fmp4"],
    ["pictures with sound of their own", "hls-separate"],
    ["ranges of one MPEG-TS file", "hls-ts-ranges"],
    ["pieces with a key", "hls-aes"],
    ["the best of ten qualities", "hls-ten"],
    ["pieces of another site that lets everybody read them", "hls-elsewhere"],
    ["pieces that a site gives to this page alone", "hls-for-page"],
    ["pieces of another site than their manifest", "hls-split"],
    ["DASH by a template", "dash-template"],
    ["DASH by an index", "dash-on-demand"],
    ["runs of pieces with a clock of their own", "hls-runs", (bytes) => expectOriginal(bytes, RUNS)],
  ])("what a real player plays in pieces, as one file: %s", async (_, name, expectWhole = expectOriginal) => {
    const { uploadAll, evaluate } = await lookAt(name);
    await uploadAll();
    const count = async () => {
      // Where it was clicked before the manifest was read, the list asks for the hosts of the pieces.
      await evaluate(
        `[...document.querySelectorAll("#list button")].find(({ textContent }) => textContent.trim() === "Allow this host")?.click()`,
      );
      return (await service.assets()).length;
    };
    await expect.poll(count, { timeout: 60_000, interval: 500 }).toBe(1);
    const [{ asset } = { asset: undefined }] = await service.assets();
    if (asset === undefined) throw new Error("the asset is gone");
    await service.whole(asset.id);
    const { downloadUrl } = asset;
    await expectWhole(new Uint8Array(await (await fetch(String(downloadUrl))).arrayBuffer()));
  });

  test.each<[string, PageName]>([
    ["a manifest of another site that lets its page alone read it", "hls-for-page"],
    ["pieces of another site than their manifest", "hls-split"],
  ])("%s: their host is asked for by the same click", async (_, name) => {
    const { listed, uploadAll } = await lookAt(name);
    await expect.poll(async () => (await listed()).length).toBe(1);
    await expect.poll(() => site.takeRequests().some(({ path }) => path.endsWith(".m3u8"))).toBe(true);
    expect(await mayReadMedia()).toBe(false);
    await uploadAll();
    await expect.poll(mayReadMedia).toBe(true);
  });

  test("a playlist of another site that lets everybody read it needs no permission, and gets no cookies", async () => {
    const { listed } = await lookAt("hls-elsewhere");
    await expect.poll(async () => (await listed())[0]?.qualities?.length).toBe(10);
    expect(await mayReadMedia()).toBe(false);
    // The player of the page goes on as well, and may go over to another quality.
    const read = site
      .takeRequests()
      .filter(({ path, referrer }) => path.endsWith(".m3u8") && referrer === undefined);
    // The main playlist, and one for each quality.
    expect(read.map(({ path }) => path).sort()).toEqual([...new Set(read.map(({ path }) => path))].sort());
    expect(read.filter(({ cookie }) => cookie !== undefined)).toEqual([]);
    expect(read).toHaveLength(11);
  });

  test("nothing of a video whose address has expired, and no asset is made for it", async () => {
    const { uploadAll, evaluate } = await lookAt("expired");
    await uploadAll();
    await expect
      .poll(() => evaluate<string>("document.querySelector('#list .state')?.textContent ?? ''"))
      .toBe("Failed");
    expect(await service.assets()).toEqual([]);
  });
});

/** Chromium doesn't let the click on the toolbar button into them. */
test("a sandboxed frame of the page itself is said not to be searched", async () => {
  const tab = await extension.context.newPage();
  await tab.goto(site.page("sandboxed-frame"));
  popup = await openPopupAbove(extension, tab);
  expect(await popup.listed()).toEqual([]);
  expect(await popup.closedFrames()).toEqual([`Player from ${new URL(site.origin).host}`]);
  await popup.close();
  popup = undefined;
  await tab.close();
});

describe("in a tab", () => {
  test("the videos are those of the page it was opened from, until that page is left", async () => {
    const { evaluate } = await lookAt("mp4");
    const link = "document.getElementById('open-in-tab').href";
    await expect.poll(() => evaluate<string>(link)).toMatch(/\?tab=\d+$/);
    const [address] = await Promise.all([evaluate<string>(link), popup?.close()]);
    popup = undefined;
    const tab = await extension.open(address.slice(address.indexOf("popup.html")));
    const section = tab.getByRole("region", { name: "Videos on" });
    await section.getByRole("heading", { name: "Videos on “Launch day”" }).waitFor();
    await section.getByRole("checkbox", { name: "Launch day" }).waitFor();
    await page.goto(`${site.mediaOrigin}/pages/webm`);
    await section.getByRole("button", { name: "Look again" }).click();
    await section.getByText("Open Upcut on the page itself to see its videos").waitFor();
    expect(await section.getByRole("checkbox").count()).toBe(0);
    await tab.close();
  });
});

describe("a heavy page with 200 videos", () => {
  /** What is done in one go keeps a page from answering, so no task may do much of all that is to be done. */
  const expectManyTasks = (what: string, pages: Tasks[]) => {
    const [busiest = { total: 0 }] = pages;
    for (const { heaviest, total } of pages) {
      console.log(
        `${what}: ${Math.round(total)} ms of the processor, ${Math.round(heaviest)} ms in one task`,
      );
      // A page that has next to nothing to do does that in one go.
      if (total > busiest.total / 4) expect(heaviest / total).toBeLessThan(0.4);
    }
  };

  test("is listed in many short tasks of the page and the popup, and asks no server for what is out of sight", async () => {
    const shown = await lookAt("many");
    expect(await shown.state()).toBe("200");
    await expect.poll(async () => (await shown.listed()).length).toBe(200);
    await shown.announced();
    const looking = await tasksDuring(extension, () => shown.evaluate(`(${lookAgain})()`));
    expectManyTasks("looking again", looking);
    const asked = new Set(
      site.takeRequests().flatMap(({ method, path }) => (method === "HEAD" ? [path] : [])),
    );
    expect(asked.size).toBeGreaterThan(0);
    expect(asked.size).toBeLessThan(20);
  });

  test("is queued in many short tasks of the popup, and opened again in many", async () => {
    const queued = () => popup?.evaluate<number>("document.querySelectorAll('#list > li').length");
    const shown = await lookAt("many");
    await expect.poll(async () => (await shown.listed()).length).toBe(200);
    await shown.announced();
    const queueing = await tasksDuring(extension, async () => {
      await shown.evaluate("document.getElementById('pick-all').click()");
      await shown.click("Upload 200 videos");
      await expect.poll(queued).toBe(200);
    });
    expectManyTasks("queueing", queueing);
    await shown.close();
    const opening = await tasksDuring(extension, async () => {
      popup = await openPopupAbove(extension, page);
      await expect.poll(queued).toBe(200);
      await expect.poll(async () => (await popup?.listed())?.length).toBe(200);
    });
    expectManyTasks("opening again", opening);
  });
});

test("of 4,000 links in one article the first 500 are listed, and the popup says so", async () => {
  const { listed, state } = await lookAt("crowd");
  expect(await state()).toBe("Shows the first 500");
  await expect.poll(async () => (await listed()).length).toBe(500);
  const [first, second] = await listed();
  expect([first?.title, second?.title]).toEqual(["All of it", "All of it (2)"]);
});

describe("the page", () => {
  test.each<PageName>(["many", "closed-shadow", "blob", "hls", "cross-origin-file", "links"])(
    "“%s” is left as it was",
    async (name) => {
      await page.goto(site.page(name));
      await page.waitForFunction(isSettled);
      await watchPage(page);
      const before = await tracesIn(page);
      popup = await openPopupAbove(extension, page);
      await popup.listed();
      expect(await tracesIn(page)).toEqual(before);
      expect(
        (await namesLeftIn(page, popup)).filter((each) => !["chrome", "browser"].includes(each)),
      ).toEqual([]);
    },
  );

  test("shows it, were it changed", async () => {
    await page.goto(site.page("mp4"));
    await watchPage(page);
    const before = await tracesIn(page);
    await page.evaluate(() => {
      document.querySelector("video")?.addEventListener("play", () => {});
      document.body.append("more");
    });
    const after = await tracesIn(page);
    expect(after.listeners).toBe(before.listeners + 1);
    expect(after.mutations).toBe(before.mutations + 1);
    expect(after.html).not.toBe(before.html);
  });
});

/** Runs in the popup: looks again, and waits until what was found has been said, which is last. */
function lookAgain(): Promise<void> {
  document.getElementById("look-again")?.click();
  const spoken = document.getElementById("page-videos-found");
  return new Promise((resolve, reject) => {
    const check = () => {
      if (spoken?.textContent) setTimeout(resolve);
    };
    const state = document.getElementById("page-videos-state");
    setTimeout(() => reject(new Error(`looking again came to "${state?.textContent}"`)), 60_000);
    if (spoken)
      new MutationObserver(check).observe(spoken, { childList: true, characterData: true, subtree: true });
  });
}

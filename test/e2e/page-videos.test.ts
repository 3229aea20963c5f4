/** Videos of real pages, players and servers: what the popup lists of them, and what arrives. All else is tested by parts. */
import type { Page } from "playwright-core";
import { afterEach, beforeAll, expect, test } from "vitest";
import { openSite, type Site, type Video } from "../pages/site.ts";
import { useService } from "../service/use-service.ts";
import { expectOriginal } from "../support/hls/hls-original.ts";
import { inAll, table } from "../support/in-all.ts";
import { useOpened } from "../support/use-opened.ts";
import { type ListedVideo, openPopupAbove, type RealPopup } from "./listed.ts";
import { tracesIn, watchPage } from "./traces.ts";
import { useExtension } from "./use-extension.ts";

const PAGES = "http://pages.localhost/*";
const MEDIA = "http://media.localhost/*";
const service = useService();
const extension = useExtension(service);
const site = useOpened(openSite);
let page: Page;
let popup: RealPopup | undefined;

beforeAll(() => {
  page = extension.context.pages()[0] as Page;
});
afterEach(async () => {
  await closePopup();
  await extension.inWorker(
    `chrome.permissions.remove({ origins: ${JSON.stringify([PAGES, MEDIA])}, permissions: ["webRequest"] })`,
  );
});

type PageName = Parameters<Site["page"]>[0];
/** Files as they are, or one that is made of pieces, which is compared with the original. */
type Arrival = Video[] | "pieces";

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
const pieces: ListedVideo = { ...launch, kind: "In pieces", facts: "0:06 · 160 × 90" };

/** Opens a page, waits until its videos are what they are meant to be, and opens the popup above it. */
async function lookAt(name: PageName): Promise<RealPopup> {
  await page.goto(site.page(name));
  await page.waitForFunction(isSettled);
  site.takeRequests();
  return await openPopup();
}

async function openPopup(): Promise<RealPopup> {
  await closePopup();
  popup = await openPopupAbove(extension, page);
  return popup;
}

async function closePopup(): Promise<void> {
  await popup?.close();
  popup = undefined;
}

async function expectListed(...listed: ListedVideo[]): Promise<void> {
  const media = new URL(site.mediaOrigin).host;
  const expected = listed.map((each) => ({ ...each, ...(each.host && { host: media }) }));
  // Pictures have a time together: a busy machine may need all of it for the first.
  const withPictures = async () =>
    (await popup?.listed())?.map((each, at) => ({
      ...each,
      picture: each.picture ?? (at > 0 ? expected[at]?.picture : undefined),
    }));
  await expect.poll(withPictures).toEqual(expected);
  expect(await popup?.state()).toMatch(new RegExp(`^${listed.length} videos? on this page$`));
}

async function expectArrived(arrival: Arrival): Promise<void> {
  const count = async () => {
    // Where it was clicked before the manifest was read, the list asks for the hosts of the pieces.
    if (arrival === "pieces") await popup?.evaluate(ALLOW_HOST);
    return (await service.assets()).length;
  };
  await expect.poll(count).toBe(arrival === "pieces" ? 1 : arrival.length);
  const assets = await service.assets();
  const hashes: (string | undefined | null)[] = [];
  for (const { asset } of assets) hashes.push((await service.whole(asset.id)).sha256);
  if (arrival !== "pieces")
    return expect(hashes.sort()).toEqual(arrival.map((video) => site.sha256[video]).sort());
  const answer = await fetch(String(assets[0]?.asset.downloadUrl));
  await expectOriginal(new Uint8Array(await answer.arrayBuffer()));
}

const ALLOW_HOST = `[...document.querySelectorAll("#list button")]
  .find(({ textContent }) => /^Allow \\S+$/.test(textContent.trim()))?.click()`;

const mayReadMedia = () =>
  extension.inWorker<boolean>(`chrome.permissions.contains({ origins: [${JSON.stringify(MEDIA)}] })`);

// First, since any host that is allowed opens it.
inAll("a sandboxed frame of the page itself is said not to be searched", async () => {
  const { listed, closedFrames } = await lookAt("sandboxed-frame");
  expect(await listed()).toEqual([]);
  await expect.poll(closedFrames).toEqual([`Player from ${new URL(site.origin).host}`]);
});

test.each(
  table<[title: string, name: PageName, listed: ListedVideo[], arrives: Arrival]>([
    [
      "a Blob of a page whose policy lets it fetch nothing",
      "strict-blob",
      [{ ...tiny, title: "A Blob on a strict page", kind: "In the page" }],
      ["tiny.mp4"],
    ],
    [
      "DASH that a player plays",
      "dash-on-demand",
      [{ ...pieces, title: "On demand", facts: `${pieces.facts} · about 67.4 kB` }],
      "pieces",
    ],
    [
      "a video in a closed shadow of a closed shadow",
      "closed-shadow",
      [{ ...tiny, title: "In a closed shadow" }],
      ["tiny.mp4"],
    ],
    [
      "one of several sources, the one that plays, by its caption",
      "source-choice",
      [{ ...dive, title: "The dive, in two formats" }],
      ["deep-dive.webm"],
    ],
    [
      "a video for members, with its size",
      "gated",
      [{ ...launch, title: "For members" }],
      ["launch-video.mp4"],
    ],
  ]),
)("%s is listed and arrives whole", async (_, name, listed, arrives) => {
  const { uploadAll } = await lookAt(name);
  await expectListed(...listed);
  await uploadAll();
  await expectArrived(arrives);
  expect(await mayReadMedia()).toBe(false);
});

test("files of another site arrive by the permission that the same click asks for", async () => {
  const { uploadAll } = await lookAt("cross-origin-file");
  await expectListed(
    // By its poster, since no frame of it can be read.
    { ...launch, title: "Elsewhere", facts: "0:10 · 640 × 360", host: "media", ticked: false },
    { ...tiny, title: "Here", ticked: false },
  );
  expect(await mayReadMedia()).toBe(false);
  await uploadAll();
  await expectArrived(["launch-video.mp4", "tiny.mp4"]);
  expect(await mayReadMedia()).toBe(true);
});

test("pieces that a site gives to this page alone arrive as one file, by the permission that the same click asks for", async () => {
  const { uploadAll } = await lookAt("hls-for-page");
  await expectListed({ ...pieces, title: "For this page alone", host: "media" });
  expect(await mayReadMedia()).toBe(false);
  await uploadAll();
  await expectArrived("pieces");
  expect(await mayReadMedia()).toBe(true);
});

inAll(
  "a player of another site is searched after a click, and still is when the popup opens again",
  async () => {
    const { listed, closedFrames, click } = await lookAt("cross-origin-frame");
    expect(await listed()).toEqual([]);
    const { host } = new URL(site.mediaOrigin);
    expect(await closedFrames()).toEqual([`Player from ${host}`]);
    await click("Look inside");
    await expectListed({ ...dive, host: "media" });
    // The browser's question closes it.
    const again = await openPopup();
    await expectListed({ ...dive, host: "media" });
    expect(await again.closedFrames()).toEqual([]);
    await again.uploadAll();
    await expectArrived(["deep-dive.webm"]);
  },
);

test("a page is left as it was, and shows it were it changed", async () => {
  await page.goto(site.page("closed-shadow"));
  await page.waitForFunction(isSettled);
  await watchPage(page);
  const before = await tracesIn(page);
  const popup = await openPopup();
  await popup.listed();
  expect(await tracesIn(page)).toEqual(before);
  await page.evaluate(() => {
    document.body.addEventListener("play", () => {});
    document.body.append("more");
  });
  const after = await tracesIn(page);
  expect(after).toMatchObject({ listeners: before.listeners + 1, mutations: before.mutations + 1 });
  expect(after.html).not.toBe(before.html);
});

inAll.each<[string, PageName, Omit<ListedVideo, "picture">, string]>([
  [
    "a camera",
    "camera",
    { title: "A camera", kind: "In pieces", facts: "300 × 150" },
    "This player has no file to upload.",
  ],
  [
    "a video under DRM",
    "drm",
    { title: "Under lock", kind: "Protected", facts: "0:10 · 640 × 360" },
    "Protected against copying: can't be uploaded.",
  ],
])("%s is listed with the reason why it can't be taken", async (_, name, video, reason) => {
  const { listed } = await lookAt(name);
  await expect.poll(listed).toEqual([expect.objectContaining({ ...video, reason })]);
});

inAll("a video whose address has expired says so, and no asset is made for it", async () => {
  const { uploadAll, evaluate } = await lookAt("expired");
  const note = "Its server refuses it: the address may have expired. Load the page again.";
  await expectListed({ title: "Expired", kind: "MP4", facts: "", ticked: true, note });
  await uploadAll();
  const state = () => evaluate<string>("document.querySelector('#list .state')?.textContent ?? ''");
  await expect.poll(state).toContain("The link to the video has expired");
  expect(await service.assets()).toEqual([]);
});

inAll(
  "links of another site that lets everybody read are taken without a permission and without cookies",
  async () => {
    const { uploadAll } = await lookAt("links");
    await expectListed(
      { title: "The camera roll", kind: "MOV", facts: "74.2 kB", ticked: false },
      { title: "Tiny, from elsewhere", kind: "MP4", facts: "4.2 kB", host: "media", ticked: false },
      { title: "tiny", kind: "MP4", facts: "4.2 kB", ticked: false },
    );
    await uploadAll();
    await expectArrived(["camera-roll.mov", "tiny.mp4", "tiny.mp4"]);
    expect(await mayReadMedia()).toBe(false);
    const foreign = site.takeRequests().filter(({ host }) => host === "media");
    expect(foreign.some(({ method }) => method === "GET")).toBe(true);
    expect(foreign.filter(({ cookie }) => cookie !== undefined)).toEqual([]);
  },
);

inAll("of a PDF nothing is said", async () => {
  await page.goto(`${site.origin}/plain/paper.pdf`);
  const { evaluate } = await openPopup();
  const ways = () => evaluate("document.getElementById('ways')?.innerText.trim()");
  await expect.poll(ways).toBe("Paste a link");
});

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

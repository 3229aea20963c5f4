/** Every kind of page with videos, by real players and servers: what is listed of it, and that it arrives whole. */
import { expect, test } from "vitest";
import { expectOriginal } from "../hls-original.ts";
import { RUNS } from "../pages/pieces.ts";
import type { ListedVideo } from "./listed.ts";
import { dive, inOneFile, launch, pieces, usePageVideos, type VideoRow } from "./page-videos.ts";

const all = usePageVideos();
const { ticked: _, ...refused } = pieces;
const { picture: __, ...unseen } = launch;
const ten: ListedVideo = {
  ...pieces,
  title: "Ten qualities",
  facts: "0:06 · 1600 × 900",
  qualities: Array.from({ length: 10 }, (_, at) => {
    const size = ["675", "608", "540", "473", "405", "338", "270", "203", "135", "67.5"][at];
    return `${90 * (10 - at)}p · about ${size} kB`;
  }),
};
const about = (size: string) => `${pieces.facts} · about ${size} kB`;

// First, since any host that is allowed opens it.
test("a sandboxed frame of the page itself is said not to be searched", async () => {
  const { listed, closedFrames } = await all.lookAt("sandboxed-frame");
  expect(await listed()).toEqual([]);
  await expect.poll(closedFrames).toEqual([`Player from ${new URL(all.site.origin).host}`]);
});

test.each<VideoRow>([
  [
    "one of several sources, the one that plays, by its caption",
    "source-choice",
    [{ ...dive, title: "The dive, in two formats" }],
    ["deep-dive.webm"],
  ],
  [
    "videos that are not loaded yet",
    "lazy",
    [
      { title: "Not loaded yet", kind: "MP4", facts: "158 kB", ticked: false },
      { title: "Nor this one", kind: "WEBM", facts: "419 kB", ticked: false },
    ],
    ["launch-video.mp4", "deep-dive.webm"],
  ],
  [
    "a Blob once, and not also what it was fetched from",
    "blob",
    [{ ...launch, title: "A Blob", kind: "In the page" }],
    ["launch-video.mp4"],
  ],
  [
    "a video that only other sites are told of, once",
    "og-video",
    [{ ...launch, title: "The video of the year", facts: "640 × 360 · 158 kB" }],
    ["launch-video.mp4"],
  ],
  [
    "videos that search engines are told of, however deep, and past broken descriptions",
    "json-ld",
    [
      { ...launch, title: "Described deep inside", facts: "0:10 · 158 kB", ticked: false },
      { title: "Described elsewhere", kind: "WEBM", facts: "", host: "media", ticked: false },
    ],
    ["launch-video.mp4", "deep-dive.webm"],
  ],
  [
    "a video for members, with its size",
    "gated",
    [{ ...launch, title: "For members" }],
    ["launch-video.mp4"],
  ],
  [
    "a video from a server without ranges",
    "no-range",
    [{ ...launch, title: "Whole only" }],
    ["launch-video.mp4"],
  ],
  [
    "a video once that lies in several places under several addresses, by its post",
    "same-video",
    [{ ...launch, title: "The launch" }],
    ["launch-video.mp4"],
  ],
  ["a playlist of MPEG-TS", "hls-ts", [{ ...pieces, title: "MPEG-TS" }], inOneFile],
  [
    "a main playlist with sound of its own, once",
    "hls-separate",
    [{ ...pieces, title: "Sound apart", facts: about("71.7") }],
    inOneFile,
  ],
  [
    "ranges of one MPEG-TS file",
    "hls-ts-ranges",
    [{ ...pieces, title: "Ranges of MPEG-TS", facts: about("94.9") }],
    inOneFile,
  ],
  ["pieces with a key", "hls-aes", [{ ...pieces, title: "Encrypted" }], inOneFile],
  ["the best of ten qualities", "hls-ten", [ten], inOneFile],
  [
    "three runs with a clock of their own",
    "hls-runs",
    [{ ...pieces, title: "Three runs", facts: "0:18 · 160 × 90" }],
    (bytes) => expectOriginal(bytes, RUNS),
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
    "a DASH manifest with a template",
    "dash-template",
    [{ ...pieces, title: "By a template", facts: about("36.1") }],
    inOneFile,
  ],
])("%s is listed and arrives whole", async (...row) => {
  await all.walk(row);
});

test.each<[string, VideoRow[1], Omit<ListedVideo, "picture">, string]>([
  [
    "a camera",
    "camera",
    { title: "A camera", kind: "Stream", facts: "300 × 150" },
    "Played piece by piece: there is no file to upload.",
  ],
  [
    "a video under DRM",
    "drm",
    { title: "Under lock", kind: "Protected", facts: "0:10 · 640 × 360" },
    "Protected against copying: can't be uploaded.",
  ],
  [
    "a live stream",
    "hls-live",
    { ...refused, title: "On air" },
    "A live stream that hasn't ended: can't be uploaded.",
  ],
])("%s is listed with the reason why it can't be taken", async (_, name, video, reason) => {
  const { listed } = await all.lookAt(name);
  await expect.poll(listed).toEqual([expect.objectContaining({ ...video, reason })]);
});

test("a video whose address has expired says so, and no asset is made for it", async () => {
  const { uploadAll, evaluate } = await all.lookAt("expired");
  const note = "Its server refuses it: the address may have expired. Load the page again.";
  await all.expectListed({ title: "Expired", kind: "MP4", facts: "", ticked: true, note });
  await uploadAll();
  const state = () => evaluate<string>("document.querySelector('#list .state')?.textContent ?? ''");
  await expect.poll(state).toContain("The link to the video has expired");
  expect(await all.service.assets()).toEqual([]);
});

test("links of another site that lets everybody read are taken without a permission and without cookies", async () => {
  const { uploadAll } = await all.lookAt("links");
  await all.expectListed(
    { title: "The camera roll", kind: "MOV", facts: "74.2 kB", ticked: false },
    { title: "Tiny, from elsewhere", kind: "MP4", facts: "4.2 kB", host: "media", ticked: false },
    { title: "tiny", kind: "MP4", facts: "4.2 kB", ticked: false },
  );
  await uploadAll();
  await all.expectArrived(["camera-roll.mov", "tiny.mp4", "tiny.mp4"]);
  expect(await all.mayReadMedia()).toBe(false);
  const foreign = all.site.takeRequests().filter(({ host }) => host === "media");
  expect(foreign.some(({ method }) => method === "GET")).toBe(true);
  expect(foreign.filter(({ cookie }) => cookie !== undefined)).toEqual([]);
});

test("a playlist of another site that lets everybody read it is read once for each quality, without cookies", async () => {
  const { uploadAll } = await all.lookAt("hls-elsewhere");
  await all.expectListed({ ...ten, title: "Elsewhere", host: "media" });
  // The player of the page goes on as well, and may go over to another quality.
  const read = all.site
    .takeRequests()
    .filter(({ path, referrer }) => path.endsWith(".m3u8") && referrer === undefined);
  expect(new Set(read.map(({ path }) => path)).size).toBe(11);
  expect(read).toHaveLength(11);
  expect(read.filter(({ cookie }) => cookie !== undefined)).toEqual([]);
  await uploadAll();
  await all.expectArrived(inOneFile);
  expect(await all.mayReadMedia()).toBe(false);
});

test("pieces of another site than their manifest are asked for by the click that uploads them", async () => {
  const { uploadAll } = await all.lookAt("hls-split");
  await uploadAll();
  await all.expectArrived(inOneFile);
  expect(await all.mayReadMedia()).toBe(true);
});

test("a video that moved to another site is asked for by name once that is known", async () => {
  const { uploadAll, click, evaluate } = await all.lookAt("moved-away");
  await all.expectListed({ ...unseen, title: "Moved away", facts: "0:10 · 640 × 360" });
  await uploadAll();
  const asks = () => evaluate<string>("document.querySelector('#list .state')?.textContent ?? ''");
  for (const origin of [all.site.origin, all.site.mediaOrigin]) {
    await expect.poll(asks).toContain(`read from ${new URL(origin).host}`);
    await click("Allow this host");
  }
  await all.expectArrived(["launch-video.mp4"]);
});

test.each<[string, () => string]>([
  ["a page of the browser", () => "chrome://version"],
  ["a PDF", () => `${all.site.origin}/plain/paper.pdf`],
  ["a page that didn't load", () => "http://pages.localhost:9/"],
])("of what can't be searched nothing is said: %s", async (_, address) => {
  const tab = await all.extension.context.newPage();
  // Some don't load, and one leads to another.
  await tab.goto(address()).catch(() => tab.waitForURL(/^chrome/));
  const session = await all.extension.context.newCDPSession(tab);
  const { targetInfo } = await session.send("Target.getTargetInfo");
  const { evaluate } = await all.openPopup(tab, targetInfo.url);
  const ways = () => evaluate("document.getElementById('ways')?.innerText.trim()");
  await expect.poll(ways).toBe("Paste a link");
});

/** Chromium doesn't let the click on the toolbar button into them. */
test("of 200 videos those out of sight are asked of no server", async () => {
  const { listed, announced, state } = await all.lookAt("many");
  expect(await state()).toBe("200 videos on this page");
  await expect.poll(async () => (await listed()).length).toBe(200);
  await announced();
  const asked = all.site.takeRequests().flatMap(({ method, path }) => (method === "HEAD" ? [path] : []));
  expect(asked.length).toBeGreaterThan(0);
  expect(new Set(asked).size).toBeLessThan(20);
});

/** One page of each way in which a video is found and read. What else pages can have is in the long table beside it. */
import { expect, test } from "vitest";
import { inAll, table } from "../in-all.ts";
import {
  dive,
  inOneFile,
  isSettled,
  launch,
  pieces,
  tiny,
  usePageVideos,
  type VideoRow,
} from "./page-videos.ts";
import { tracesIn, watchPage } from "./traces.ts";

const all = usePageVideos();

test.each(
  table<VideoRow>([
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
      inOneFile,
    ],
    ["a video in a frame of the same site", "same-origin-frame", [launch], ["launch-video.mp4"]],
    [
      "a video in a closed shadow of a closed shadow",
      "closed-shadow",
      [{ ...tiny, title: "In a closed shadow" }],
      ["tiny.mp4"],
    ],
  ]),
)("%s is listed and arrives whole", async (...row) => {
  await all.walk(row);
  expect(await all.mayReadMedia()).toBe(false);
});

inAll(
  "a link that only its server knows to be a video is listed by the name that it gives it, and arrives",
  async () => {
    const saved = { title: "Saved launch-video", kind: "Video", facts: "158 kB", ticked: true };
    await all.walk(["", "disposition", [saved], ["launch-video.mp4"]]);
    const asked = all.site.takeRequests().filter(({ path }) => path.startsWith("/download/"));
    expect(asked.flatMap(({ method }) => (method === "HEAD" ? method : []))).toEqual(["HEAD", "HEAD"]);
  },
);

test("files of another site arrive by the permission that the same click asks for", async () => {
  const { uploadAll } = await all.lookAt("cross-origin-file");
  await all.expectListed(
    // By its poster, since no frame of it can be read.
    { ...launch, title: "Elsewhere", facts: "0:10 · 640 × 360", host: "media", ticked: false },
    { ...tiny, title: "Here", ticked: false },
  );
  expect(await all.mayReadMedia()).toBe(false);
  await uploadAll();
  await all.expectArrived(["launch-video.mp4", "tiny.mp4"]);
  expect(await all.mayReadMedia()).toBe(true);
});

test("pieces that a site gives to this page alone arrive as one file, by the permission that the same click asks for", async () => {
  const { uploadAll } = await all.lookAt("hls-for-page");
  await all.expectListed({ ...pieces, title: "For this page alone", host: "media" });
  expect(await all.mayReadMedia()).toBe(false);
  await uploadAll();
  await all.expectArrived(inOneFile);
  expect(await all.mayReadMedia()).toBe(true);
});

inAll(
  "a player of another site is searched after a click, and still is when the popup opens again",
  async () => {
    const { listed, closedFrames, click } = await all.lookAt("cross-origin-frame");
    expect(await listed()).toEqual([]);
    const { host } = new URL(all.site.mediaOrigin);
    expect(await closedFrames()).toEqual([`Player from ${host}`]);
    await click("Look inside");
    await all.expectListed({ ...dive, host: "media" });
    // The browser's question closes it.
    const again = await all.openPopup();
    await all.expectListed({ ...dive, host: "media" });
    expect(await again.closedFrames()).toEqual([]);
    await again.uploadAll();
    await all.expectArrived(["deep-dive.webm"]);
  },
);

inAll("in a tab the videos are those of the page it was opened from, until that page is left", async () => {
  const { evaluate } = await all.lookAt("mp4");
  const link = () => evaluate<string>("document.getElementById('open-in-tab').href");
  await expect.poll(link).toMatch(/\?tab=\d+$/);
  const address = await link();
  await all.closePopup();
  const tab = await all.extension.open(address.slice(address.indexOf("popup.html")));
  const section = tab.getByRole("region", { name: "Videos on" });
  await tab.getByRole("button", { name: "1 video on “Launch day”" }).click();
  await section.getByRole("checkbox", { name: "Launch day" }).waitFor();
  await all.page.goto(`${all.site.mediaOrigin}/pages/webm`);
  await section.getByRole("button", { name: "Look again" }).click();
  await section.waitFor({ state: "detached" });
});

test("a page is left as it was, and shows it were it changed", async () => {
  await all.page.goto(all.site.page("closed-shadow"));
  await all.page.waitForFunction(isSettled);
  await watchPage(all.page);
  const before = await tracesIn(all.page);
  const popup = await all.openPopup();
  await popup.listed();
  expect(await tracesIn(all.page)).toEqual(before);
  await all.page.evaluate(() => {
    document.body.addEventListener("play", () => {});
    document.body.append("more");
  });
  const after = await tracesIn(all.page);
  expect(after).toMatchObject({ listeners: before.listeners + 1, mutations: before.mutations + 1 });
  expect(after.html).not.toBe(before.html);
});

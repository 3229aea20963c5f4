import { describe, expect, test } from "vitest";
import { putTogether, withinLimits } from "../../../entrypoints/page-videos/found.ts";
import { announcement, lineOf } from "../../../entrypoints/page-videos/message-catalogue.ts";
import type { FoundVideo, Shown } from "../../../entrypoints/page-videos/page-video.ts";
import { frame, loop, unstarted } from "../../support/extension/pages/findings.ts";

const video = (address: string, more: Partial<FoundVideo> = {}): FoundVideo => ({
  kind: "file",
  address,
  aliases: [],
  ...more,
});
const inner = { frameId: 5, url: "https://player.example/embed", title: "A player" };

const filled = (frameId: number, count = 50) =>
  frame(
    Array.from({ length: count }, (_, at) => video(`https://cdn.example/${frameId}/${at}.mp4`)),
    { frameId },
  );

describe("a page of far too many frames", () => {
  test("is taken in part, the page itself first", () => {
    const frames = withinLimits([...Array(400).keys()].reverse().map((frameId) => filled(frameId)));
    expect(frames.length).toBe(100);
    expect(frames[0]).toMatchObject({ frameId: 0, isCut: true });
    expect(frames.reduce((sum, { videos }) => sum + videos.length, 0)).toBe(2000);
    expect(putTogether(7, frames)).toMatchObject({ isCut: true, videos: { length: 500 } });
  });

  test("is taken whole where the others are empty", () => {
    const empty = [...Array(400).keys()].map((frameId) => filled(frameId, 0));
    const frames = withinLimits([...empty, filled(400)]);
    expect(frames.map(({ frameId }) => frameId).slice(0, 3)).toEqual([0, 400, 1]);
    expect(frames.some(({ isCut }) => isCut)).toBe(false);
  });
});

describe("videos of several frames", () => {
  test("are listed once, with what each frame knows of them", () => {
    const { videos } = putTogether(7, [
      frame(
        [video("https://cdn.example/b.webm", { aliases: ["https://cdn.example/a.mp4"], duration: 9 })],
        inner,
      ),
      frame([video("https://cdn.example/a.mp4", { title: "From the page" })]),
    ]);
    expect(videos).toEqual([
      {
        kind: "file",
        address: "https://cdn.example/a.mp4",
        title: "From the page",
        duration: 9,
        page: { tabId: 7, frameId: 0, url: "https://news.example/today" },
      },
    ]);
  });

  test("that have no address of their own are never taken for one another", () => {
    const stream = video("", { kind: "media-source" });
    expect(putTogether(7, [frame([stream, stream])]).videos).toHaveLength(2);
  });

  test("belong to the page around their frame: it can be opened again, and may lend its title", () => {
    const text = { frameId: 3, url: "about:srcdoc", title: "" };
    const blob = video("blob:https://news.example/1", { kind: "blob" });
    expect(putTogether(7, [frame([blob], text), frame([])]).videos).toMatchObject([
      { title: "The news of today", page: { frameId: 3, url: "https://news.example/today" } },
    ]);
  });

  test("name their frame, which servers expect as the referrer, where it has an address of its own", () => {
    const one = video("https://cdn.example/main.m3u8", { kind: "hls" });
    const { url } = frame([]);
    expect(putTogether(7, [frame([]), frame([one], inner)]).videos[0]?.page).toEqual({
      tabId: 7,
      frameId: 5,
      url,
      referrer: inner.url,
    });
    for (const same of [url, "about:srcdoc"]) {
      const { videos } = putTogether(7, [frame([]), frame([one], { frameId: 5, url: same })]);
      expect(videos[0]?.page).toEqual({ tabId: 7, frameId: 5, url });
    }
  });

  test("begin with those that can be taken", () => {
    const kinds = (["drm", "file", "media-source", "blob", "hls"] as const).map((kind) =>
      video(`https://cdn.example/${kind}`, { kind }),
    );
    expect(putTogether(7, [frame(kinds)]).videos.map(({ kind }) => kind)).toEqual([
      "file",
      "blob",
      "hls",
      "drm",
      "media-source",
    ]);
  });

  test.each([
    ["the page's title for the only one", [video("https://cdn.example/a.mp4")], ["The news of today"]],
    [
      "their files' names for several, without the ending",
      [video("https://cdn.example/my%20tour.mp4?s=1"), video("https://cdn.example/night%E0.mp4")],
      ["my tour", "night%E0"],
    ],
    [
      "the heading near them where only a program has named their files",
      [video("https://cdn.example/64caB.mp4", { near: "The launch" }), video("https://cdn.example/tour.mp4")],
      ["The launch", "tour"],
    ],
    [
      "the same with a number where there is nothing else to tell them apart",
      [
        video("https://cdn.example/1.mp4"),
        video("https://cdn.example/2.mp4"),
        video("https://cdn.example/3.mp4"),
      ],
      ["The news of today", "The news of today (2)", "The news of today (3)"],
    ],
    [
      "names without what turns their direction around",
      [
        video("https://cdn.example/a.mp4", { title: "gpm.\u202Elaunch\u2069 4pm\u200B" }),
        video("https://cdn.example/tour.mp4", { title: "\u202E\u200B" }),
        video("https://cdn.example/gpm.%E2%80%AElaunch%E2%81%A9%205pm"),
      ],
      ["gpm.launch 4pm", "tour", "gpm.launch 5pm"],
    ],
    [
      "the page's title where there is no file",
      [
        video("blob:https://news.example/1", { kind: "blob" }),
        video("https://cdn.example/a.mp4", { title: "Own" }),
      ],
      ["The news of today", "Own"],
    ],
  ])("are called by %s", (_, videos, titles) => {
    expect(putTogether(7, [frame(videos)]).videos.map(({ title }) => title)).toEqual(titles);
  });
});

const element: Shown = { ...unstarted, inView: false, controls: false, area: 0 };
const large = { inView: true, area: 640 * 360 };

describe("the order of videos", () => {
  /** Each comes before all below it, and so do any of these together. */
  const ranks: [string, Partial<FoundVideo>][] = [
    ["playing with sound", { shown: { ...element, playing: true, sounding: true } }],
    ["playing", { shown: { ...element, playing: true } }],
    ["large and in view", { shown: { ...element, ...large } }],
    ["long", { shown: element, duration: 600 }],
    ["with controls", { shown: { ...element, controls: true } }],
    ["any other element", { shown: element }],
    ["only described", {}],
    ["only linked", { isLink: true }],
  ];

  test("is that of what a person is looking at", () => {
    const found = ranks.map(([title, more]) => video(`https://cdn.example/${title}.mp4`, { title, ...more }));
    const { videos } = putTogether(7, [frame(found.toReversed())]);
    expect(videos.map(({ title }) => title)).toEqual(ranks.map(([title]) => title));
  });

  test("begins with the one among loops that a person came for, and folds the loops", () => {
    const found = Array.from({ length: 31 }, (_, at) =>
      at === 30
        ? video("https://cdn.example/reel.mp4", { duration: 90, shown: { ...element, controls: true } })
        : video(`https://cdn.example/${at}.mp4`, { duration: 8, shown: loop }),
    );
    const { videos, loops } = putTogether(7, [frame(found)]);
    expect(videos).toMatchObject([{ address: "https://cdn.example/reel.mp4" }]);
    expect(loops).toHaveLength(30);
  });

  test("folds nothing where there is nothing but loops", () => {
    const loops = [
      video("https://cdn.example/a.mp4", { shown: loop }),
      video("https://cdn.example/b.mp4", { shown: loop }),
    ];
    expect(putTogether(7, [frame(loops)])).toMatchObject({ videos: { length: 2 }, loops: [] });
  });

  test("takes a video that is a loop in one place and watched in another for what is watched", () => {
    const address = "https://cdn.example/a.mp4";
    const watched = { ...element, controls: true, playing: true, sounding: true };
    const found = [
      video(address, { shown: loop }),
      video(address, { shown: watched }),
      video(`${address}?id=2`),
    ];
    expect(putTogether(7, [frame(found)])).toMatchObject({ videos: [{ address }, {}], loops: [] });
  });
});

describe("a frame that can't be looked into", () => {
  const { url } = inner;
  const { origin } = new URL(url);

  test("is named once for its site, until it was entered", () => {
    const page = frame([], { closedOrigins: [origin, origin] });
    expect(putTogether(7, [page]).closedOrigins).toEqual([origin]);
    const entered = frame([], { ...inner, apart: true });
    expect(putTogether(7, [page, entered]).closedOrigins).toEqual([origin]);
    expect(putTogether(7, [page, entered, entered]).closedOrigins).toEqual([]);
  });

  test("may be of the page's own site", () => {
    const own = new URL(frame([]).url).origin;
    expect(putTogether(7, [frame([], { closedOrigins: [own] }), frame([])]).closedOrigins).toEqual([own]);
  });
});

describe("a page with more videos than are listed", () => {
  test("shows the first ones of all its frames, and says so", () => {
    const found = putTogether(7, [filled(0, 300), filled(1, 300)]);
    expect(found.videos).toHaveLength(500);
    expect(found.isCut).toBe(true);
    expect(lineOf(putTogether(7, [filled(0, 500)]), undefined)).toBe("500 videos on this page");
    expect(announcement(putTogether(7, [filled(0, 500)]))).toBe("500 videos found");
  });

  test("says so too where one of its frames was not searched to its end", () => {
    const cut = (videos: FoundVideo[]) =>
      putTogether(7, [frame([]), frame(videos, { frameId: 1, isCut: true })]);
    expect(cut([video("https://cdn.example/a.mp4")]).isCut).toBe(true);
    expect(lineOf(cut([]), undefined)).toBe("No videos found in time");
  });
});

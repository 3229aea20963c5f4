import { describe, expect, test } from "vitest";
import { formatLength } from "../../entrypoints/popup/format.ts";
import { putTogether } from "../../entrypoints/popup/page-videos/found.ts";
import { facts, foreignHost, kindLabel } from "../../entrypoints/popup/page-videos/message-catalogue.ts";
import type { FoundVideo } from "../../entrypoints/shared/page-video.ts";
import { addressOf, kindOf } from "../../entrypoints/shared/video-kind.ts";
import { frame } from "./pages/findings.ts";

const video = (address: string, more: Partial<FoundVideo> = {}): FoundVideo => ({
  kind: "file",
  address,
  aliases: [],
  ...more,
});
const inner = { frameId: 5, url: "https://player.example/embed", title: "A player" };

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

  test("begin with those that can be taken", () => {
    const kinds = (["drm", "file", "hls", "blob"] as const).map((kind) =>
      video(`https://cdn.example/${kind}`, { kind }),
    );
    expect(putTogether(7, [frame(kinds)]).videos.map(({ kind }) => kind)).toEqual([
      "file",
      "blob",
      "drm",
      "hls",
    ]);
  });

  test.each([
    ["the page's title for the only one", [video("https://cdn.example/a.mp4")], ["The news of today"]],
    [
      "their files' names for several",
      [video("https://cdn.example/x%20y.mp4?s=1"), video("https://cdn.example/%E0.mp4")],
      ["x y.mp4", "%E0.mp4"],
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

describe("what lies at an address", () => {
  test.each([
    ["https://a.example/video.mp4?token=1", "", "file"],
    ["https://a.example/VIDEO.MOV", "", "file"],
    ["https://a.example/watch", "video/webm", "file"],
    ["https://a.example/live.m3u8", "", "hls"],
    ["https://a.example/live", "application/x-mpegURL", "hls"],
    ["https://a.example/video.mpd", "", "dash"],
    ["https://a.example/video", "application/dash+xml", "dash"],
    ["https://a.example/main.ts", "", undefined],
    ["https://a.example/video.mp4/comments", "", undefined],
    ["https://a.example/webm", "", undefined],
    ["https://a.example/?file=video.mp4", "", undefined],
  ])("%s %s: %s", (address, type, kind) => {
    expect(kindOf(address, type)).toBe(kind);
  });

  test.each([
    [" video.mp4 ", "https://a.example/videos/video.mp4"],
    ["video.mp4#t=10", "https://a.example/videos/video.mp4"],
    ["javascript:alert(1)", undefined],
    ["https://", undefined],
    ["", undefined],
    [undefined, undefined],
  ])("%j is read as %s", (value, address) => {
    expect(addressOf(value, "https://a.example/videos/")).toBe(address);
  });
});

test("the facts of a video are those that are known", () => {
  const page = { tabId: 7, frameId: 0, url: "https://news.example/today" };
  const known = { ...video("https://cdn.example/a.mp4"), title: "A video", page };
  expect(facts(known)).toBe("");
  expect(facts({ ...known, duration: 3723.4, width: 1280, height: 720, size: 1_500_000 })).toBe(
    "1:02:03 · 1280 × 720 · 1.5 MB",
  );
  expect(foreignHost(known, "https://news.example")).toBe("cdn.example");
  expect(foreignHost(known, "https://cdn.example")).toBeUndefined();
  expect(
    foreignHost({ ...known, address: "blob:https://news.example/1" }, "https://news.example"),
  ).toBeUndefined();
  expect(kindLabel({ ...known, address: "https://cdn.example/watch", type: "video/quicktime" })).toBe("MOV");
  expect(kindLabel({ ...known, address: "https://cdn.example/watch" })).toBe("Video");
});

test.each([
  [0.2, "0:00"],
  [59.6, "1:00"],
  [3599, "59:59"],
  [36_000, "10:00:00"],
])("%d seconds are %s", (seconds, words) => {
  expect(formatLength(seconds)).toBe(words);
});

import { describe, expect, test } from "vitest";
import { documentPatterns, findStreamId, STREAM_LINKS } from "../../../entrypoints/background/stream-id.ts";
import { DEFAULT_SETTINGS } from "../../../entrypoints/shared/settings.ts";

const { streamPage } = DEFAULT_SETTINGS;

describe("findStreamId() in a selection", () => {
  test.each([
    ["  9a1b-77c2 \n", "9a1b-77c2"],
    ["évènement n° 7", "évènement n° 7"],
    ["live/one", "live/one"],
    ["https://video.example/streams/9a1b?tab=health", "9a1b"],
    ["https://video.example/", "https://video.example/"],
  ])("takes %j for %j", (selectionText, id) => {
    expect(findStreamId({ selectionText, streamPage })).toBe(id);
  });

  // The last ones would show less than they hold.
  test.each(["..", ".", "a\u0000b", "one\ntwo", "\ud800", "9a1b\u200b77c2", "\u2066 9a1b"])(
    "takes no id from %j",
    (selectionText) => {
      expect(findStreamId({ selectionText, streamPage })).toBeUndefined();
    },
  );

  test("never falls back to the page's stream when what is selected can't be an id", () => {
    const pageUrl = "https://video.example/streams/page-stream";
    expect(findStreamId({ selectionText: "..", pageUrl, streamPage })).toBeUndefined();
  });

  test("goes before a link and the page", () => {
    const linkUrl = "https://video.example/streams/linked";
    const pageUrl = "https://video.example/streams/page-stream";
    expect(findStreamId({ selectionText: "selected", linkUrl, pageUrl, streamPage })).toBe("selected");
    expect(findStreamId({ selectionText: "  ", linkUrl, pageUrl, streamPage })).toBe("linked");
  });
});

describe("findStreamId() in a link", () => {
  test.each([
    ["https://video.example/streams/9a1b", "9a1b"],
    ["https://video.example/Streams/9a1b?id=other#top", "9a1b"],
    ["https://video.example/stream/old/streams/new", "new"],
    ["https://video.example/9a1b/stream?id=9a1b", "9a1b"],
    ["https://video.example/streams/?id=9a1b", "9a1b"],
    ["https://video.example/app#/streams/9a1b?tab=health", "9a1b"],
    ["https://video.example/streams/live%2Fone", "live/one"],
    ["https://video.example/streams/100%", "100%"],
    ["https://video.example/streams/stream", "stream"],
    ["http://localhost:4000/streams/%20padded%20", "padded"],
  ])("finds in %s the id %j", (linkUrl, id) => {
    expect(findStreamId({ linkUrl, streamPage })).toBe(id);
  });

  test.each([
    "https://video.example/stream",
    "https://video.example/upstream/9a1b",
    "https://video.example/watch?id=",
    "https://video.example/watch?id=..",
    "mailto:someone@video.example?id=9a1b",
    "no address",
  ])("finds none in %s", (linkUrl) => {
    expect(findStreamId({ linkUrl, streamPage })).toBeUndefined();
  });

  test("never falls back to the page's stream", () => {
    const pageUrl = "https://video.example/streams/page-stream";
    expect(findStreamId({ linkUrl: "https://video.example/help", pageUrl, streamPage })).toBeUndefined();
  });
});

describe("findStreamId() in a page's address", () => {
  test.each([
    ["https://video.example/dashboard/streams/9a1b?tab=health", streamPage, "9a1b"],
    ["https://video.example/stream/a%20b", streamPage, "a b"],
    ["https://video.example/live/9a1b", "/(?:live|on-air)/([^/]+)", "9a1b"],
    ["https://video.example/help", streamPage, undefined],
    ["https://video.example/streams/9a1b", "", undefined],
    ["https://video.example/streams/9a1b", "/streams/[^/]+", undefined],
    ["https://video.example/streams/9a1b", "/streams/(", undefined],
    ["https://video.example/streams/9a1b", "(x)?/streams/", undefined],
  ])("%s with the pattern %j gives %j", (pageUrl, pattern, id) => {
    expect(findStreamId({ pageUrl, streamPage: pattern })).toBe(id);
  });

  test("without anything clicked there is no id", () => {
    expect(findStreamId({ streamPage })).toBeUndefined();
  });
});

test.each([
  [streamPage, ["*://*/*stream*"]],
  ["/dashboard/streams/([^/]+)", ["*://*/*dashboard/streams/*"]],
  ["\\/live\\/([^/]+)", ["*://*/*live/*"]],
  ["/live\\.html\\?ch=(.+)", ["*://*/*live.html*"]],
  ["/live/(.+)|[?]ch=(.+)", ["*://*/*"]],
  ["^https://video\\.example/s/(.+)", ["*://*/*"]],
  ["//video\\.example/s/(.+)", ["*://*/*"]],
  ["", []],
  ["/streams/(", []],
])("documentPatterns() covers the pages of %j by %j", (pattern, patterns) => {
  expect(documentPatterns(pattern)).toEqual(patterns);
});

test.each([
  ["https://video.example/streams/abc", true],
  ["https://video.example/live/stream/abc?tab=1", true],
  ["https://video.example/watch?id=abc", true],
  // Of an address its fragment is left out.
  ["https://video.example/", true],
  ["https://video.example/app/index.html", true],
  ["https://video.example/files/launch.mp4", false],
  ["https://video.example/files/launch.mp4?X-Signature=1", false],
  ["https://video.example/about", false],
])("the menu offers to end the stream of the link %s: %s", (link, isOffered) => {
  const isMatch = (pattern: string) =>
    new RegExp(`^${pattern.replaceAll(/[.?/]/g, "\\$&").replaceAll("*", ".*")}$`).test(link);
  expect(STREAM_LINKS.some(isMatch)).toBe(isOffered);
});

import { describe, expect, test } from "vitest";
import { videoAt } from "../../entrypoints/popup/page-videos/named-by-server.ts";
import { whyUnsearchable } from "../../entrypoints/popup/page-videos/unsearchable.ts";

const ADDRESS = "https://news.example/download/17";

describe("the answer of a server", () => {
  test.each<[string, Record<string, string>, string | undefined]>([
    ["with a file's name", { "content-disposition": 'attachment; filename="The tour.mp4"' }, "The tour"],
    ["with a bare name", { "content-disposition": "attachment; filename=tour.webm" }, "tour"],
    ["with an encoded name", { "content-disposition": "attachment; filename*=UTF-8''B%C3%BCro.mov" }, "Büro"],
    [
      "with both",
      { "content-disposition": `attachment; filename="x.mp4"; filename*=UTF-8''Der%20Rundgang.mp4` },
      "Der Rundgang",
    ],
    ["with a video's type", { "content-type": "video/mp4; codecs=avc1" }, "Download now"],
    ["with a name of a program", { "content-disposition": 'inline; filename="64caB.mp4"' }, "Download now"],
    ["with another file", { "content-disposition": 'attachment; filename="mp4.zip"' }, undefined],
    ["with a page", { "content-type": "text/html" }, undefined],
    ["that says nothing", {}, undefined],
  ])("%s", (_, headers, title) => {
    const video = videoAt(ADDRESS, { title: "Download now" }, new Headers(headers));
    expect(video?.title).toBe(title);
    if (video !== undefined) expect(video).toMatchObject({ kind: "file", address: ADDRESS, isLink: true });
  });
});

test.each([
  ["chrome://settings/", "", "browser"],
  ["edge://newtab/", "", "browser"],
  ["https://chrome.google.com/webstore/detail/x", "", "store"],
  [undefined, "Error: The extensions gallery cannot be scripted.", "store"],
  [undefined, 'Error: Cannot access contents of url "file:///a.mp4". Extension manifest must…', "file"],
  [undefined, "Error: Cannot access a chrome:// URL", "browser"],
  [undefined, "Error: Cannot access a chrome-extension:// URL of different extension", "extension"],
  ["https://a.example/", "Error: Frame with ID 0 is showing error page", "error"],
  [
    "https://a.example/",
    "Error: This page cannot be scripted due to an ExtensionsSettings policy.",
    "managed",
  ],
  ["https://a.example/", "Error: Cannot access contents of the page.", "closed"],
  [undefined, "Error: Cannot access contents of the page.", "unknown"],
])("a page at %s that answers %j is kept from us as %s", (address, refusal, why) => {
  expect(whyUnsearchable(address, refusal)).toBe(why);
});

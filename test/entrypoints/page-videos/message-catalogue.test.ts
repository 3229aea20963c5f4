import { expect, test } from "vitest";
import type { FoundOnPage } from "../../../entrypoints/page-videos/found.ts";
import {
  announcement,
  facts,
  foreignHost,
  kindLabel,
  lineOf,
  refusedSentence,
} from "../../../entrypoints/page-videos/message-catalogue.ts";

test("the facts of a video are those that are known", () => {
  const page = { tabId: 7, frameId: 0, url: "https://news.example/today" };
  const address = "https://cdn.example/a.mp4";
  const known = { kind: "file", address, title: "A video", page } as const;
  expect(facts(known)).toBe("");
  expect(facts({ ...known, duration: 3723.4, width: 1280, height: 720, size: 1_500_000 })).toBe(
    "1:02:03 · 1280\u00a0×\u00a0720 · 1.5\u00a0MB",
  );
  expect(foreignHost(known, "https://news.example")).toBe("cdn.example");
  expect(foreignHost(known, "https://cdn.example")).toBeUndefined();
  expect(
    foreignHost({ ...known, address: "blob:https://news.example/1" }, "https://news.example"),
  ).toBeUndefined();
  expect(kindLabel({ ...known, address: "https://cdn.example/watch", type: "video/quicktime" })).toBe("MOV");
  expect(kindLabel({ ...known, address: "https://cdn.example/watch" })).toBe("Video");
});

const video = (title: string) =>
  ({ kind: "file", address: `https://cdn.example/${title}.mp4`, title }) as const;
const found = (more: object) =>
  ({ videos: [], loops: [], closedOrigins: [], isCut: false, ...more }) as unknown as FoundOnPage;

test.each<[Parameters<typeof lineOf>, string]>([
  [[undefined, undefined], ""],
  [["closed", undefined], ""],
  [["press", undefined], "To see the videos of this page, press the Upcut button in the toolbar."],
  [["stuck", undefined], "The page doesn't answer"],
  [[found({}), undefined], "No videos on this page"],
  [[found({ isCut: true }), undefined], "No videos found in time"],
  [[found({ closedOrigins: ["https://player.example"] }), undefined], "Players from other sites"],
  [
    [found({ videos: [video("a")], closedOrigins: ["https://p.example"] }), undefined],
    "1 video on this page",
  ],
  [[found({ videos: [video("a")], loops: [video("b")] }), undefined], "2 videos on this page"],
])("the line of what was found, %j, says “%s”", (given, line) => {
  expect(lineOf(...given)).toBe(line);
});

test("those who hear it are told of loops, too, and whose hosts were refused is named once", () => {
  expect(announcement(found({ videos: [video("a")], loops: [video("b")] }))).toBe("2 videos found");
  const sentence = refusedSentence([
    "https://a.example/1.mp4",
    "https://a.example/2.mp4",
    "https://b.example/",
  ]);
  expect(sentence).toContain("a.example, b.example");
});

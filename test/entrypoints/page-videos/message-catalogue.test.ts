import { expect, test } from "vitest";
import { facts, foreignHost, kindLabel } from "../../../entrypoints/page-videos/message-catalogue.ts";

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

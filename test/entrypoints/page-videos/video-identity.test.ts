import { expect, test } from "vitest";
import type { FoundVideo } from "../../../entrypoints/page-videos/page-video.ts";
import { complete, identityOf, isSameLength } from "../../../entrypoints/page-videos/video-identity.ts";
import { unstarted } from "../../support/extension/pages/findings.ts";

test.each([
  ["a query that keeps caches out", "https://a.example/tour.mp4?_=1", "https://a.example/tour.mp4", true],
  ["a version", "https://a.example/tour.mp4?v=3", "https://a.example/tour.mp4?v=4", true],
  ["the scheme", "http://a.example/tour.mp4", "https://a.example/tour.mp4", true],
  ["the order of the query", "https://a.example/v?id=1&q=hd", "https://a.example/v?q=hd&id=1", true],
  ["a signature", "https://a.example/t.mp4?X-Amz-Date=1&X-Amz-Signature=b", "https://a.example/t.mp4", true],
  ["a bare time", "https://a.example/tour.mp4?1684839201", "https://a.example/tour.mp4?1684839202", true],
  ["what is new", "https://a.example/1.m3u8?_HLS_msn=12&_HLS_part=1", "https://a.example/1.m3u8", true],
  ["what may choose the video", "https://a.example/v.mp4?id=1", "https://a.example/v.mp4?id=2", false],
  ["a query that one of them has", "https://a.example/v.mp4?id=1", "https://a.example/v.mp4", false],
  ["a token", "https://a.example/get.mp4?token=a", "https://a.example/get.mp4?token=b", false],
  ["a version that is a name", "https://a.example/watch?v=dQw4", "https://a.example/watch?v=xvFZ", false],
  ["a short number", "https://a.example/tour.mp4?12345", "https://a.example/tour.mp4?12346", false],
  ["a very long query", `https://a.example/1?_=${"1".repeat(2000)}`, "https://a.example/1", false],
  ["the path", "https://a.example/1/tour.mp4", "https://a.example/2/tour.mp4", false],
  ["the host", "https://a.example/tour.mp4", "https://b.example/tour.mp4", false],
  ["an address that is none of the web", "blob:https://a.example/1", "blob:https://a.example/2", false],
])("addresses that differ in %s", (_, one, other, isSame) => {
  expect(identityOf(one) === identityOf(other)).toBe(isSame);
});

test("an element and its manifest may differ by two seconds, or by a hundredth", () => {
  const lengths = [
    [60, 62],
    [60, 58],
    [60, 62.1],
    [600, 606],
    [600, 594],
    [600, 606.1],
  ] as const;
  expect(lengths.map(([played, found]) => isSameLength(played, found))).toEqual([
    true,
    true,
    false,
    true,
    true,
    false,
  ]);
});

test("a second place completes a video, and what is known of it stays", () => {
  const aliases = ["https://a.example/2.mp4"];
  const known: FoundVideo = {
    kind: "file",
    address: "https://a.example/1.mp4",
    aliases,
    title: "Tour",
    isLink: true,
  };
  complete(known, { title: "Other", width: 640, isLink: true, aliases: [] });
  expect(known).toMatchObject({ title: "Tour", width: 640, isLink: true, aliases });
  complete(known, { shown: { ...unstarted, area: 9, muted: true } });
  complete(known, { shown: { ...unstarted, area: 5, playing: true, controls: true } });
  const shown = { ...unstarted, area: 9, playing: true, controls: true, muted: false };
  expect(known).toEqual({ kind: "file", address: known.address, aliases, title: "Tour", width: 640, shown });
});

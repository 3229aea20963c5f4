import { describe, expect, test } from "vitest";
import { addressOf, kindOf, mediaType } from "../../../entrypoints/shared/video-kind.ts";

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
    ["https://a.example/?file=video.mp4", "", undefined],
  ])("%s %s: %s", (address, type, kind) => {
    expect(kindOf(address, type)).toBe(kind);
  });

  test.each([
    [" video.mp4 ", "https://a.example/videos/video.mp4"],
    ["video.mp4#t=10", "https://a.example/videos/video.mp4"],
    ["javascript:alert(1)", undefined],
    ["https://", undefined],
    [`/${"a".repeat(10_000)}.mp4`, undefined],
    [`data:video/mp4;base64,${"A".repeat(2 ** 21)}`, undefined],
    ["DATA:video/mp4;base64,AAAA#t=1", "data:video/mp4;base64,AAAA"],
    ["", undefined],
    [undefined, undefined],
  ])("%j is read as %s", (value, address) => {
    expect(addressOf(value, "https://a.example/videos/")).toBe(address);
  });
});

test.each([
  ["https://a.example/", 8192],
  ["data:video/mp4,", 2 ** 20],
])("an address that begins with %s has at most %i characters", (start, most) => {
  const address = start + "a".repeat(most - start.length);
  expect(addressOf(address, "https://a.example")).toBe(address);
  expect(addressOf(`${address}a`, "https://a.example")).toBeUndefined();
});

test.each([
  ["Video/MP4; codecs=avc1", "video/mp4"],
  [" application/vnd.apple.mpegurl ", "application/vnd.apple.mpegurl"],
  ["video", undefined],
  [`video/${"a".repeat(1000)}`, `video/${"a".repeat(994)}`],
  [7, undefined],
])("mediaType() reads %j as %j", (value, type) => {
  expect(mediaType(value)).toBe(type);
});

import { expect, test } from "vitest";
import { cleanName, humanName, shortName } from "../../../entrypoints/shared/video-name.ts";
import { expectLinear } from "../../support/linear-time.ts";

test.each([
  "64caB",
  "dQw4w9WgXcQ",
  "xKjQpZw",
  "5f3a9c2e71b04d8a",
  "550e8400-e29b-41d4-a716-446655440000",
  "20240517_140322",
  "video",
  "VIDEO_1",
  "index-720p",
  "1920x1080",
  "...",
])("a name of a program, %s, gives way to another", (name) => {
  expect(humanName(`${name}.mp4`)).toBe("");
});

test.each(["tour", "tour_64caB", "Video 1", "S01E02", "iPhone15Pro", "Unser Büro", "夏の旅"])(
  "a name of a person, %s, stays",
  (name) => {
    expect(humanName(`${name}.mp4`)).toBe(name);
  },
);

test.each([
  ["tour.final.MOV", "tour.final"],
  ["tour.mp4?token=a-secret", "tour"],
  ["tour.mp4#t=10", "tour"],
  ["https://cdn.example/videos/a%20tour.mp4?token=a-secret", "a tour"],
  ["Watch https://cdn.example/x?token=a-secret with us", "Watch with us"],
  ["AC/DC live", "AC/DC live"],
  ["Version 2.0", "Version 2.0"],
  ["  two\n lines ", "two lines"],
  ["gpm.\u202Elaunch", "gpm.launch"],
  ["a".repeat(300), `${"a".repeat(199)}…`],
  ["", ""],
])("%j is shown as %j", (text, name) => {
  expect(cleanName(text)).toBe(name);
});

test.each([".mp4?", "/", "a1", "http://", ".mp4", " ", "_"])(
  "texts of many %j take time in proportion",
  (part) => {
    expectLinear((size) => {
      humanName(part.repeat(size / part.length));
      for (let at = 0; at < size; at += 1000) humanName(part.repeat(1000 / part.length));
    });
  },
);

test("a name of a million characters is cut in whole characters", () => {
  const long = 1_500_000;
  expect(shortName("x".repeat(long))).toBe("x".repeat(200));
  expect(shortName("🎬".repeat(long / 2))).toBe("🎬".repeat(200));
  expect(shortName(`x${"🎬".repeat(long / 2)}`)).toBe(`x${"🎬".repeat(199)}`);
  expect(shortName("The tour")).toBe("The tour");
});

import { matchesGlob } from "node:path";
import { describe, expect, test } from "vitest";
import { globMatcher } from "../../../core/cli/glob.ts";

describe("globMatcher()", () => {
  const patterns = [
    "**/*.mp4",
    "a/**",
    "a/*.mp4",
    "a/?.mp4",
    "./a/[bc].mp4",
    "a/[!b].mp4",
    "**/b/**",
    "{a,d}/*.{mp4,mov}",
  ];
  const paths = ["a/b.mp4", "a/c/b.mp4", "d/b.mov", "b.mp4", "a/b/c/d.mp4", "a/e.mp4", "a", "b", "a/(b).mp4"];
  test.each(patterns)("matches as Node itself does: %s", (pattern) => {
    const matches = globMatcher(pattern);
    expect(paths.filter((path) => matches(path))).toEqual(
      paths.filter((path) => matchesGlob(path, pattern.replace("./", ""))),
    );
  });

  test.each([
    ["*.mp4", "2024/CLIP.MP4", true],
    ["clip", "2024/clip", true],
    ["clip", "clip/a.mp4", false],
    ["2024/*", "old/2024/a.mp4", false],
    ["2024/", "2024/may/a.mp4", true],
    ["a\\*b,c.mp4", "x/a*b,c.mp4", true],
    ["a.mp4", "abmp4", false],
    ["ü?.mp4", "ü😀.mp4", true],
  ])("of %j makes of %j %j", (pattern, path, expected) => {
    expect(globMatcher(pattern)(path)).toBe(expected);
  });
});

test.each([
  ["drafts\\**", "drafts/a.mp4", "win32", true],
  ["2024\\*.mov", "2024/a.mov", "win32", true],
  [".\\drafts\\", "drafts/a.mp4", "win32", true],
  ["a\\*.mp4", "a*.mp4", "linux", true],
  ["a\\*.mp4", "a/b.mp4", "linux", false],
  // One letter with its mark, and the two apart.
  ["Caf\u00e9*", "Cafe\u0301.mp4", "darwin", true],
  ["Cafe\u0301/**", "Caf\u00e9/a.mp4", "linux", true],
])("the pattern %j matches %j on %s: %s", (pattern, path, system, isMatch) => {
  expect(globMatcher(pattern, system)(path)).toBe(isMatch);
});

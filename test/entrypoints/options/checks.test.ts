import { expect, test } from "vitest";
import { pathProblem, playbackPageProblem, streamPageProblem } from "../../../entrypoints/options/checks.ts";
import { addressProblem, tokenProblem } from "../../../entrypoints/shared/account-check.ts";

test("what is right has no problem", () => {
  expect(addressProblem("https://video.example/base/")).toBeUndefined();
  expect(tokenProblem(" Bearer abc-123\n")).toBeUndefined();
  expect(pathProblem("terminate", "/api/stream/{id}/terminate")).toBeUndefined();
  expect(pathProblem("requestUpload", "")).toBeUndefined();
  expect(streamPageProblem("/live/([^/]+)")).toBeUndefined();
  expect(streamPageProblem("")).toBeUndefined();
  expect(playbackPageProblem("https://video.example/{assetId}?p={playbackId}")).toBeUndefined();
});

test.each([
  ["terminate", "/stream/terminate", "{id} once"],
  ["terminate", "stream/{id}", "has to begin with /"],
  ["requestUpload", "/a?b", "can't contain ?"],
  ["requestUpload", "/../a", "parts . and .."],
] as const)("pathProblem() of the path to %s %j", (name, path, words) => {
  expect(pathProblem(name, path)).toContain(words);
});

test.each(["/live/[^/]+", "(", "/live/(?:[^/]+)"])("streamPageProblem() finds one in %j", (pattern) => {
  expect(streamPageProblem(pattern)).toBeDefined();
});

test.each(["https://video.example/", "video.example/{playbackId}", "javascript:{playbackId}", "/{assetId}"])(
  "playbackPageProblem() finds one in %j",
  (page) => {
    expect(playbackPageProblem(page)).toMatch(
      page.includes("{") ? /whole address/ : /\{playbackId\} or \{assetId\}/,
    );
  },
);

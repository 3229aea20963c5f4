import { expect, test } from "vitest";
import type { Shown } from "../../../entrypoints/page-videos/page-video.ts";
import { isBackgroundLoop } from "../../../entrypoints/page-videos/video-rank.ts";
import { loop } from "../../support/extension/pages/findings.ts";

test.each<[string, boolean, Partial<Shown>, number | undefined]>([
  ["short, muted and by itself", true, {}, 8],
  ["of a length that isn't known, without controls", true, {}, undefined],
  ["short, with controls", true, { controls: true }, 8],
  ["with controls, and not short", false, { controls: true }, 30],
  ["with controls, of a length that isn't known", false, { controls: true }, undefined],
  ["long", false, {}, 60],
  ["that can be heard", false, { muted: false }, 8],
  ["that waits to be started", false, { repeats: false }, 8],
])("a video %s is a background loop: %s", (_, isLoop, more, duration) => {
  expect(isBackgroundLoop({ shown: { ...loop, ...more }, ...(duration !== undefined && { duration }) })).toBe(
    isLoop,
  );
});

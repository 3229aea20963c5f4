/** A DASH manifest that names one file without the index of its pieces. */
import { describe, expect, test } from "vitest";
import { inspectHls, openHls } from "../../../core/hls/mod.ts";
import { caught } from "../../support/caught.ts";
import { mpd } from "../../support/hls/dash-manifest.ts";
import { bytesOf } from "../../support/hls/hls-original.ts";
import { useHls } from "../../support/hls/use-hls.ts";

const hls = useHls();

function put(text: string): URL {
  hls.files.set("/launch/manifest.mpd", text);
  return new URL("/launch/manifest.mpd", hls.origin);
}

const FILE = "<BaseURL>/ranges/all.mp4</BaseURL>";
const progressive = (segments: string, more = "") =>
  `<AdaptationSet mimeType="video/mp4" codecs="avc1.64000b,mp4a.40.2"><Representation bandwidth="9000" width="160" height="90">${segments}</Representation>${more}</AdaptationSet>`;
const inOne = (sets: string) => mpd([`<Period duration="PT6S">${sets}</Period>`], { duration: 6 });
const soundFile = (file: string) =>
  `<AdaptationSet mimeType="audio/mp4"><Representation bandwidth="9000">${file}</Representation></AdaptationSet>`;

describe("one file without an index", () => {
  test.each([
    ["by its address alone", progressive(FILE)],
    ["by an empty index", progressive(`${FILE}<SegmentBase/>`)],
    ["for pictures and sound", progressive(FILE) + soundFile(FILE)],
  ])("is taken as it is where it is named %s", async (_, sets) => {
    expect((await inspectHls(put(inOne(sets)))).qualities).toMatchObject([
      { duration: 6000, problem: undefined },
    ]);
    expect(
      Buffer.from(await bytesOf(await openHls(put(inOne(sets))))).equals(
        hls.files.get("/ranges/all.mp4") as Uint8Array,
      ),
    ).toBe(true);
  });

  const noIndex = { code: "unsupported-video", message: expect.stringContaining("without the index") };
  const ofFile = `<Period duration="PT3S">${progressive(FILE)}</Period>`;
  test.each<[string, string, object]>([
    ["has sound elsewhere", inOne(progressive(FILE) + soundFile("<BaseURL>/sound.mp4</BaseURL>")), noIndex],
    ["is one of two Periods", mpd([ofFile, ofFile], { duration: 6 }), noIndex],
    [
      "is read with another file",
      inOne(progressive(`${FILE}<SegmentBase><Initialization sourceURL="a"/></SegmentBase>`)),
      noIndex,
    ],
    ["is no MP4", inOne(progressive(FILE).replace("video/mp4", "video/mp2t")), noIndex],
    [
      "adds to another quality",
      inOne(progressive(FILE).replace("<Representation", '<Representation dependencyId="0"')),
      { code: "unsupported-video", message: expect.stringContaining("adds to another quality") },
    ],
    ["is protected", inOne(progressive(FILE, "<ContentProtection/>")), { code: "protected-video" }],
  ])("is refused where it %s", async (_, text, expected) => {
    expect(await caught(openHls(put(text)))).toMatchObject(expected);
  });
});

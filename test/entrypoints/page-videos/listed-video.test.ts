import { expect, test } from "vitest";
import {
  chosenQuality,
  isFresh,
  isTakeable,
  type ListedVideo,
  withManifest,
} from "../../../entrypoints/page-videos/listed-video.ts";

type Manifest = NonNullable<ListedVideo["manifest"]>;

const video = { address: "https://cdn.example/a.mp4", kind: "file" } as unknown as ListedVideo["video"];
const listed = (more: Partial<ListedVideo> = {}) => ({ video, picked: true, ...more }) as ListedVideo;
const manifest = (more: object = {}) =>
  ({
    open: true,
    refused: false,
    qualities: [{ id: "high" }, { id: "low" }],
    ...more,
  }) as unknown as Manifest;

test("a video is taken unless its manifest speaks against it, and fresh until it was added", () => {
  expect([isTakeable(listed()), isFresh(listed())]).toEqual([true, true]);
  expect(isTakeable(listed({ video: { ...video, isUncertain: true } }))).toBe(false);
  expect(isFresh(listed({ added: true } as Partial<ListedVideo>))).toBe(false);
  expect(isFresh(listed({ known: {} } as unknown as Partial<ListedVideo>))).toBe(false);
  const refusal = { manifest: manifest({ refusal: "live" }) };
  expect([isTakeable(listed(refusal)), isFresh(listed(refusal))]).toEqual([false, false]);
});

test("the quality that was chosen is taken, else the first", () => {
  expect(chosenQuality(listed())).toBe(undefined);
  expect(chosenQuality(listed({ manifest: manifest(), quality: "low" }))?.id).toBe("low");
  for (const quality of ["gone", undefined])
    expect(chosenQuality(listed({ manifest: manifest(), ...(quality && { quality }) }))?.id).toBe("high");
});

test("a manifest says whether its video is open, stays picked, and is refused", () => {
  const one = listed();
  expect(withManifest(one, undefined)).toBe(one);
  expect(withManifest(one, manifest())).toEqual({ ...one, manifest: manifest(), open: true });
  const refused = manifest({ refused: true });
  expect(withManifest(one, refused)).toMatchObject({ open: false, picked: true, trouble: "refused" });
  expect(withManifest(one, manifest({ open: false }))).toMatchObject({ open: false, picked: true });
  expect(withManifest(one, manifest({ refusal: "live" }))).toMatchObject({ picked: false });
  expect(withManifest(listed({ picked: false }), manifest())).toMatchObject({ picked: false });
});

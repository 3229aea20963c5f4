import { describe, expect, test } from "vitest";
import { mayBeVideo, mediaTypeOf, VIDEO_ENDINGS } from "../../../core/content/media-type.ts";

test.each<[string | undefined, string | undefined, string | undefined]>([
  // A source's own type, where it is specific.
  ["video/mp4", undefined, "video/mp4"],
  ["video/mp4", "video.mov", "video/mp4"],
  [" video/webm; codecs=vp9", "video.mp4", "video/webm"],
  ["video/x-unheard-of", "video", "video/x-unheard-of"],
  // The name's type, where the own one says nothing.
  [undefined, "video.mp4", "video/mp4"],
  [";", "video.mov", "video/quicktime"],
  ["binary/octet-stream", "video.webm", "video/webm"],
  ["Application/Octet-Stream; charset=binary", "video.m4v", "video/x-m4v"],
  [undefined, "VIDEO.MP4", "video/mp4"],
  [undefined, "/home/me/video.mxf", "application/mxf"],
  // The name's type, where the own one is another kind's: systems have strange ideas of endings.
  ["text/plain", "video.mp4", "video/mp4"],
  // Neither tells.
  [undefined, undefined, undefined],
  [undefined, "video", undefined],
  [undefined, "video.", undefined],
  [undefined, ".mp4x", undefined],
  ["binary/octet-stream", "video.bin", undefined],
  ["application/x-binary", undefined, undefined],
  // Something else.
  ["text/html", undefined, "text/html"],
])("mediaTypeOf() of %j named %j is %j", (type, name, expected) => {
  expect(mediaTypeOf(type, name)).toBe(expected);
});

test("VIDEO_ENDINGS are those whose media type is known", () => {
  const endings =
    "3g2 3gp 3gpp asf avi divx dv f4v flv h264 h265 hevc ivf m1v m2t m2ts m2v m4v mj2 mkv mov mp4 mpeg mpeg4 mpg mts ogm ogv qt ts vob webm wmv y4m";
  for (const ending of endings.split(" "))
    expect([ending, mediaTypeOf(undefined, `a.${ending}`)]).toEqual([
      ending,
      expect.stringMatching(/^video\/\w/),
    ]);
  expect(VIDEO_ENDINGS.toSorted()).toEqual([...endings.split(" "), "mxf"].toSorted());
});

describe("mayBeVideo()", () => {
  test.each<[string | undefined, string | undefined]>([
    ["video/mp4", "video.txt"],
    [undefined, "video.mp4"],
    ["application/octet-stream", "video.ts"],
    ["application/mxf", "video"],
    [undefined, undefined],
    ["application/octet-stream", undefined],
    [undefined, "video"],
  ])("lets %j named %j pass", (type, name) => {
    expect(mayBeVideo(type, name)).toBe(true);
  });

  test.each<[string | undefined, string | undefined]>([
    ["image/png", "video.png"],
    ["text/plain", undefined],
    ["audio/mp4", "song.m4a"],
    [undefined, "notes.txt"],
    ["application/octet-stream", "setup.exe"],
  ])("stops %j named %j", (type, name) => {
    expect(mayBeVideo(type, name)).toBe(false);
  });
});

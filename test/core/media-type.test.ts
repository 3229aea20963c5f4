import { describe, expect, test } from "vitest";
import { mayBeVideo, mediaTypeOf } from "../../core/source/media-type.ts";

describe("mediaTypeOf()", () => {
  test.each<[string | undefined, string | undefined, string | undefined]>([
    // A source's own type, where it is specific.
    ["video/mp4", undefined, "video/mp4"],
    ["video/mp4", "film.mov", "video/mp4"],
    ["VIDEO/MP4", "film", "video/mp4"],
    [" video/webm; codecs=vp9", "film.mp4", "video/webm"],
    ["video/x-unheard-of", "film", "video/x-unheard-of"],
    // The name's type, where the own one says nothing.
    [undefined, "film.mp4", "video/mp4"],
    ["", "film.mov", "video/quicktime"],
    [";", "film.mov", "video/quicktime"],
    ["application/octet-stream", "film.mkv", "video/x-matroska"],
    ["binary/octet-stream", "film.webm", "video/webm"],
    ["Application/Octet-Stream; charset=binary", "film.m4v", "video/x-m4v"],
    [undefined, "FILM.MP4", "video/mp4"],
    [undefined, "my.first.film.mp4", "video/mp4"],
    [undefined, "/home/me/film.mxf", "application/mxf"],
    // The name's type, where the own one is another kind's: systems have strange ideas of endings.
    ["text/plain", "film.mp4", "video/mp4"],
    ["audio/mpeg", "film.mpg", "video/mpeg"],
    // Neither tells.
    [undefined, undefined, undefined],
    [undefined, "film", undefined],
    [undefined, "film.", undefined],
    [undefined, ".mp4x", undefined],
    ["application/octet-stream", "film.bin", undefined],
    // Something else.
    ["image/png", "picture.png", "image/png"],
    ["text/html", undefined, "text/html"],
  ])("of %j named %j is %j", (type, name, expected) => {
    expect(mediaTypeOf(type, name)).toBe(expected);
  });
});

describe("mayBeVideo()", () => {
  test.each<[string | undefined, string | undefined]>([
    ["video/mp4", "film.mp4"],
    ["video/mp4", "film.txt"],
    [undefined, "film.mp4"],
    ["application/octet-stream", "film.ts"],
    ["application/mxf", "film"],
    [undefined, undefined],
    ["", undefined],
    ["application/octet-stream", undefined],
    [undefined, "film"],
    [undefined, "Launch film 2026"],
  ])("lets %j named %j pass", (type, name) => {
    expect(mayBeVideo(type, name)).toBe(true);
  });

  test.each<[string | undefined, string | undefined]>([
    ["image/png", "film.png"],
    ["text/plain", undefined],
    ["text/plain", "film"],
    ["audio/mp4", "song.m4a"],
    ["application/pdf", "film.pdf"],
    [undefined, "notes.txt"],
    [undefined, "archive.zip"],
    ["application/octet-stream", "setup.exe"],
  ])("stops %j named %j", (type, name) => {
    expect(mayBeVideo(type, name)).toBe(false);
  });
});

import { describe, expect, test } from "vitest";
import { kindOfBytes, kindOfType } from "../../../core/source/answer-kind.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const utf16 = (text: string, littleEndian: boolean) => {
  const view = new DataView(new ArrayBuffer(2 * text.length));
  for (let at = 0; at < text.length; at++) view.setUint16(2 * at, text.charCodeAt(at), littleEndian);
  return new Uint8Array(view.buffer);
};

// foreign-text.test.ts has that they fail for no text, and take no long time.
describe("kindOfType()", () => {
  test.each<[string, string]>([
    ["text/html", "an HTML page"],
    ["application/xhtml+xml", "an HTML page"],
    ["application/json", "JSON"],
    ["application/geo+json", "JSON"],
    ["application/x-ndjson", "JSON"],
    ["application/json5", "JSON"],
    ["text/xml", "XML"],
    ["text/plain;charset=utf-8", "text"],
    ["text", "text"],
    ["application/x-httpd-php", "text"],
    ["application/dash+xml", "a playlist"],
    ["video/vnd.mpeg.dash.mpd", "a playlist"],
    ["audio/x-mpegurl", "a playlist"],
    ["video/vnd.mpegurl", "a playlist"],
    ["application/m3u8", "a playlist"],
    ["image/jpeg", "a picture"],
    ["model/gltf-binary", "another kind of file"],
    ["image/png, text/html", "an HTML page"],
    ['video/mp4; codecs="avc1.4d, text/html"', "nothing else"],
    ["video/mp4", "nothing else"],
    ["video/x-json", "nothing else"],
    ["application/mxf", "nothing else"],
    ["application/x-matroska", "nothing else"],
    ["application/ogg", "nothing else"],
    ["application/x-constructor", "nothing else"],
    ["application/jsonpath", "nothing else"],
    ["context/a", "nothing else"],
    ["text-a/b", "text"],
    ["font/woff2", "another kind of file"],
    ["multipart/mixed", "another kind of file"],
    ["text / html", "an HTML page"],
    ['application/json"a"', "JSON"],
    ["", "nothing else"],
    [";/,", "nothing else"],
  ])("takes %s for %s", (type, words) => {
    expect(kindOfType(type) ?? "nothing else").toBe(words);
  });

  test("takes no type for nothing else", () => {
    expect(kindOfType(null)).toBeUndefined();
  });
});

test.each<[string, Uint8Array, string | undefined]>([
  ["a page", bytesOf("<!doctype html>"), "an HTML page"],
  ["a page after a byte order mark", bytesOf("\ufeff<body>"), "an HTML page"],
  ["a page in UTF-16LE", utf16("\ufeff<!DOCTYPE html>", true), "an HTML page"],
  ["a page in UTF-16BE", utf16("\ufeff<!DOCTYPE html>", false), "an HTML page"],
  ["a page in UTF-16LE without a mark", utf16("<html>", true), "an HTML page"],
  ["an XML text", bytesOf("<?xml version='1.0'?>"), "XML"],
  ["an object", bytesOf('{\n "error": 1}'), "JSON"],
  ["a list", bytesOf("[ {} ]"), "JSON"],
  ["an empty object", bytesOf("{ }"), "JSON"],
  ["an empty list", bytesOf("[\n]"), "JSON"],
  ["a list of lists", bytesOf("[["), "JSON"],
  ["no list in brackets around a word", bytesOf("[ a ]"), undefined],
  ["a playlist", bytesOf("#EXTM3U\n"), "a playlist"],
  ["nothing", new Uint8Array(0), undefined],
  ["an MP4 file", new Uint8Array([0, 0, 0, 24, 0x66, 0x74, 0x79, 0x70]), undefined],
  ["an AVI file", bytesOf("RIFF\0\0\0\0AVI "), undefined],
  ["bytes that begin as a page does", new Uint8Array([0x3c, 0, 1, 2, 3]), undefined],
  ["bytes that begin as JSON does", new Uint8Array([0x7b, 0xff, 0x22]), undefined],
])("kindOfBytes() tells %s", (_, bytes, words) => {
  expect(kindOfBytes(bytes)).toBe(words);
});

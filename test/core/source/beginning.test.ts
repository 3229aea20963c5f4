import { expect, test } from "vitest";
import { beginsAsVideo, isTransportStream, isVideoByContent } from "../../../core/source/beginning.ts";
import { emptyPackets } from "../../support/hls/empty-packets.ts";

test.each([
  [188, 0],
  [192, 4],
  [204, 0],
])("a transport stream has its sync byte each %d bytes", (size, sync) => {
  const stream = emptyPackets(size, sync);
  expect(isTransportStream(stream.subarray(0, 1024))).toBe(true);
  stream[size * 3 + sync] = 0x46;
  expect(isTransportStream(stream.subarray(0, 1024))).toBe(false);
  expect(isTransportStream(emptyPackets(size, sync, 1))).toBe(false);
});

test.each([
  ["\0\0\0\x18ftypmp42", true],
  ["\x1aE\xdf\xa3", true],
  ["RIFF....AVI LIST", true],
  ["RIFF....WAVEfmt ", false],
  ["\0\0\x01\xba", true],
  ["\x7fELF", false],
  ["127.0.0.1 localhost", false],
  ["", false],
])("a file without an ending that begins with %j is a video: %j", (text, isVideo) => {
  const bytes = Uint8Array.from(text, (sign) => sign.charCodeAt(0));
  expect(beginsAsVideo("film", bytes)).toBe(isVideo);
  // A name that promises a transport stream must be one.
  expect(beginsAsVideo("film.ts", bytes)).toBe(false);
});

test.each([
  ["film.mp4", "text", true],
  ["film", "text", false],
  [".film", "\0\0\0\x18ftypmp42", true],
  ["main.ts", "export {};", false],
])("a file named %s with the content %j is a video: %j", async (name, text, isVideo) => {
  const read = async () => new TextEncoder().encode(text);
  expect(await isVideoByContent(name, read)).toBe(isVideo);
});

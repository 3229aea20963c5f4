import { describe, expect, test } from "vitest";
import { boxesIn, findBoxes } from "../../../core/hls/boxes.ts";
import type { PieceTrack } from "../../../core/hls/demux.ts";
import { decodingTimes, delayOf, sampleReader, writeIndex } from "../../../core/hls/mux.ts";

test("pictures are decoded before they are shown by as much as their order asks for", () => {
  expect(delayOf([])).toBe(0);
  expect(delayOf([70, 80, 90])).toBe(0);
  // A piece may be cut behind the picture that is shown last.
  expect(delayOf([70, 100, 80, 90])).toBe(21);
  expect(delayOf([70, 110, 90, 80, 100])).toBe(32);
});

test("pictures are decoded in their order, and none later than it is shown", () => {
  expect(decodingTimes([70, 110, 90, 80, 100], 32)).toEqual([70, 80, 90, 100, 110]);
  expect(decodingTimes([80, 100], 32, 111)).toEqual([111, 112]);
  // In pieces that need a longer delay than the first one did.
  expect(decodingTimes([70, 110, 90, 80, 100], 0)).toEqual([70, 78, 79, 80, 100]);
});

test("a box of MP4 may tell its length in 64 bits", () => {
  const box = [0, 0, 0, 1, ...Buffer.from("free"), 0, 0, 0, 0, 0, 0, 0, 17, 5];
  expect([...boxesIn(Uint8Array.from(box))]).toEqual([{ type: "free", start: 0, content: 16, end: 17 }]);
});

test("a fragment has a number, and may hold as many samples as a piece of half an hour", () => {
  const sample = { size: 1, time: 0, decoded: 0, duration: 1024, isKey: true };
  const samples = Array.from({ length: 100_000 }, (_, at) => ({ ...sample, decoded: at }));
  const index = writeIndex(1, [{ id: 1, samples, delay: 0 }]);
  expect(index.length).toBeGreaterThan(16 * samples.length);
  expect([...boxesIn(index, 8)].map(({ type }) => type)).toEqual(["mfhd", "traf"]);
  // In the first version of it, no time is negative.
  expect(findBoxes(index, ["moof", "traf", "trun"]).map(({ content }) => index[content])).toEqual([1]);
});

describe("samples", () => {
  const write = (data: number[], more: object): number[] =>
    sampleReader(more as PieceTrack)(Uint8Array.from(data)).flatMap((run) => [...run]);
  const avc = { type: "video", codec: "avc", config: {} };

  test.each([
    ["one unit", [0, 0, 1, 5, 6], [0, 0, 0, 2, 5, 6]],
    ["marks of three and four bytes", [0, 0, 0, 1, 9, 0, 0, 1, 7, 8], [0, 0, 0, 1, 9, 0, 0, 0, 2, 7, 8]],
    ["zeros within a unit and behind it", [0, 0, 1, 3, 0, 0, 3, 1, 0, 0, 0, 0], [0, 0, 0, 5, 3, 0, 0, 3, 1]],
    ["what comes before the first mark", [4, 4, 0, 0, 1, 5], [0, 0, 0, 1, 5]],
  ])("of pictures: %s", (_, data, expected) => {
    expect(write(data, avc)).toEqual(expected);
  });

  test("of pictures that can't be read are refused", () => {
    for (const data of [[], [1, 2, 3], [0, 0, 1], [0, 0, 1, 0, 0]])
      expect(() => write(data, avc)).toThrow("picture");
  });

  test("of AAC lose their header, and others stay as they are", () => {
    const aac = { type: "audio", codec: "aac", config: {} };
    expect(write([0xff, 0xf1, 0, 0, 0, 0, 0, 42], aac)).toEqual([42]);
    expect(write([0xff, 0xf0, 0, 0, 0, 0, 0, 1, 2, 43], aac)).toEqual([43]);
    expect(() => write([1, 2, 3, 4, 5, 6, 7, 8], aac)).toThrow("sound");
    expect(() => write([0xff, 0xf1, 0, 0, 0, 0, 0], aac)).toThrow("sound");
    expect(write([1, 2], { ...aac, config: { description: new Uint8Array(2) } })).toEqual([1, 2]);
    expect(write([1, 2], { ...aac, codec: "ac3" })).toEqual([1, 2]);
  });
});

import { expect, test } from "vitest";
import { boxesIn, findBoxes } from "../../../core/hls/boxes.ts";
import { decodingTimes, delayOf, writeIndex } from "../../../core/hls/mux.ts";

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

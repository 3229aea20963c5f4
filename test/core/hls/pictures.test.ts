/** Pictures of H.264 as MPEG-TS holds them, unit by unit. */
import { describe, expect, test } from "vitest";
import { picturesIn } from "../../../core/hls/pictures.ts";

describe("pictures of H.264", () => {
  const KEY = [0, 0, 1, 0x65, 0x88];
  const runsOf = (data: number[]) =>
    picturesIn(Uint8Array.from(data), "avc", 0).map(({ runs }) => runs.flatMap((run) => [...run]));

  test.each([
    ["hold a unit behind its length", KEY, [[0, 0, 0, 2, 0x65, 0x88]]],
    [
      "have marks of three and four bytes",
      [0, 0, 0, 1, 9, 8, ...KEY],
      [[0, 0, 0, 2, 9, 8, 0, 0, 0, 2, 0x65, 0x88]],
    ],
    [
      "hold zeros within a unit, and none behind it",
      [...KEY, 0, 0, 3, 1, 0, 0, 0, 0],
      [[0, 0, 0, 6, 0x65, 0x88, 0, 0, 3, 1]],
    ],
    ["begin with the first mark", [4, 4, ...KEY], [[0, 0, 0, 2, 0x65, 0x88]]],
    [
      "end where the next one begins",
      [...KEY, ...KEY],
      [
        [0, 0, 0, 2, 0x65, 0x88],
        [0, 0, 0, 2, 0x65, 0x88],
      ],
    ],
    [
      "have further slices",
      [...KEY, 0, 0, 1, 0x65, 0x40],
      [[0, 0, 0, 2, 0x65, 0x88, 0, 0, 0, 2, 0x65, 0x40]],
    ],
    ["don't begin with a further slice", [0, 0, 1, 0x65, 0x40], []],
    ["aren't what holds no unit", [0, 0, 1, 0, 0], []],
  ])("%s", (_, data, expected) => {
    expect(runsOf(data)).toEqual(expected);
  });
});

test.each([
  ["alone", [6, 1, 0xc4], true],
  ["behind a message, a byte of which is put in between", [0, 3, 0, 0, 3, 1, 6, 1, 0xc4], true],
  ["that takes pictures until all is right", [0, 1, 0x11, 6, 1, 0x44], false],
])("a picture of H.264 is one to begin with by its recovery point %s", (_, messages, isKey) => {
  const unit = [0, 0, 1, 6, ...messages, 0x80, 0, 0, 1, 0x41, 0x88];
  expect(picturesIn(Uint8Array.from(unit), "avc", 0)).toMatchObject([{ isKey }]);
});

test("a picture of H.265 has the unit that ends its stream", () => {
  const picture = [0, 0, 1, 0x26, 1, 0x80];
  const pictures = picturesIn(Uint8Array.from([...picture, 0, 0, 1, 0x48, 1, ...picture]), "hevc", 0);
  expect(pictures.map(({ runs }) => runs.length)).toEqual([4, 2]);
});

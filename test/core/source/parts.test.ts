import { expect, test } from "vitest";
import { LEAST_PART_SIZE, partSizeOf, wholeParts } from "../../../core/source/parts.ts";
import { MiB } from "../../support/content.ts";

const GiB = 1024 * MiB;

test.each([
  [undefined, 8 * MiB],
  [1, 8 * MiB],
  [10_000 * 8 * MiB, 8 * MiB],
  [10_000 * 8 * MiB + 1, 8 * MiB + 1],
  [200 * GiB, Math.ceil((200 * GiB) / 10_000)],
])("partSizeOf() of %d bytes is %d, as a store of at most 10,000 parts makes them", (size, partSize) => {
  expect(partSizeOf(size)).toBe(partSize);
});

test("LEAST_PART_SIZE is what S3 asks of each part but the last", () => {
  expect(LEAST_PART_SIZE).toBe(5 * MiB);
});

test.each([
  [0, 0],
  [7, 0],
  [8, 8],
  [23, 16],
])("wholeParts() of %d bytes in parts of 8 are %d", (bytes, whole) =>
  expect(wholeParts(bytes, 8)).toBe(whole),
);

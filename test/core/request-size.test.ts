import { describe, expect, test } from "vitest";
import { partSizeOf } from "../../core/source/parts.ts";
import { requestSize } from "../../core/transfer/resumable.ts";

const MiB = 1024 * 1024;
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

describe("requestSize()", () => {
  const limits = { partSize: 8 * MiB, most: Number.POSITIVE_INFINITY, lastApart: false };

  test.each([
    [1, 1],
    [8 * MiB, 8 * MiB],
    [8 * MiB + 1, 8 * MiB],
    [16 * MiB, 16 * MiB],
    [100 * MiB, 96 * MiB],
  ])("of %d bytes that are left takes %d: whole parts, or what is left below one", (rest, size) => {
    expect(requestSize(rest, limits)).toBe(size);
  });

  test("takes no more than one request may hold, and one part at least", () => {
    expect(requestSize(100 * MiB, { ...limits, most: 24 * MiB })).toBe(24 * MiB);
    expect(requestSize(100 * MiB, { ...limits, most: 8 * MiB })).toBe(8 * MiB);
    expect(requestSize(100 * MiB, { ...limits, partSize: 21 * MiB, most: 8 * MiB })).toBe(21 * MiB);
  });

  test("leaves the last part for a request of its own when told to", () => {
    expect(requestSize(16 * MiB, { ...limits, lastApart: true })).toBe(8 * MiB);
    expect(requestSize(17 * MiB, { ...limits, lastApart: true })).toBe(16 * MiB);
    expect(requestSize(8 * MiB, { ...limits, lastApart: true })).toBe(8 * MiB);
  });

  test("never leaves an end that a store of parts would lose", () => {
    for (const size of [200 * GiB, 90 * GiB + 7, 64 * MiB + 1]) {
      const partSize = partSizeOf(size);
      const first = requestSize(size, { ...limits, partSize });
      expect(first % partSize).toBe(0);
      expect(size - first).toBeLessThan(partSize);
    }
  });
});

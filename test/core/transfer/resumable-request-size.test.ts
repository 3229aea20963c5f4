import { describe, expect, test } from "vitest";
import { partSizeOf } from "../../../core/source/parts.ts";
import { requestSize } from "../../../core/transfer/resumable.ts";
import { MiB } from "../../support/content.ts";

const GiB = 1024 * MiB;

describe("requestSize()", () => {
  const limits = { partSize: 8 * MiB, most: Number.POSITIVE_INFINITY };

  test.each([
    [1, 1],
    [5 * MiB, 5 * MiB],
    [8 * MiB + 1, 8 * MiB],
    [29 * MiB, 24 * MiB],
    [100 * MiB, 96 * MiB],
  ])("of %d bytes that are left takes %d: whole parts, or what is left below one", (rest, size) => {
    for (const start of [0, 16 * MiB, 3, undefined])
      expect(requestSize(rest, { ...limits, ...(start !== undefined && { start }) })).toBe(size);
  });

  test("takes no more than one request may hold, and one part at least", () => {
    expect(requestSize(100 * MiB, { ...limits, most: 24 * MiB })).toBe(24 * MiB);
    expect(requestSize(100 * MiB, { ...limits, most: 8 * MiB })).toBe(8 * MiB);
    expect(requestSize(100 * MiB, { ...limits, partSize: 21 * MiB, most: 8 * MiB })).toBe(21 * MiB);
  });

  test("leaves the last part for a request of its own, also one of whole size", () => {
    expect(requestSize(16 * MiB, limits)).toBe(8 * MiB);
    expect(requestSize(17 * MiB, limits)).toBe(16 * MiB);
    expect(requestSize(32 * MiB, { ...limits, start: 8 * MiB })).toBe(24 * MiB);
  });

  test("sends more than 5 MiB at the end in one request only behind a part that was counted", () => {
    for (const rest of [5 * MiB + 1, 7 * MiB, 8 * MiB]) {
      expect(requestSize(rest, { ...limits, start: 16 * MiB })).toBe(rest);
      for (const start of [0, 5 * MiB, 16 * MiB + 1])
        expect(requestSize(rest, { ...limits, start })).toBe(5 * MiB);
      // Of a stream without a length the store has counted none yet.
      expect(requestSize(rest, limits)).toBe(5 * MiB);
      expect(requestSize(40 * MiB + rest, { ...limits, start: 0 })).toBe(8 * MiB);
    }
    expect(requestSize(45 * MiB, { ...limits, start: 0 })).toBe(40 * MiB);
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

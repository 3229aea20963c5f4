import { describe, expect, test } from "vitest";
import { PART_SIZE } from "../../../core/source/parts.ts";
import { PartDigests } from "../../../core/source/single-pass.ts";
import { caught } from "../../support/caught.ts";
import { content } from "../../support/content.ts";

const url = new URL("https://videos.example/video.mp4");

/** What is remembered of the parts of some bytes, given in pieces. */
async function partsOf(bytes: Uint8Array, pieceSize = bytes.length, known: string[] = []): Promise<string[]> {
  const parts = new PartDigests(url, known);
  for (let at = 0; at < bytes.length; at += pieceSize) await parts.take(bytes.subarray(at, at + pieceSize));
  expect(parts.end).toBe(bytes.length);
  await parts.finish();
  return known;
}

describe("PartDigests", () => {
  test.each([
    [0, 0],
    [1, 1],
    [PART_SIZE, 1],
    [PART_SIZE + 1, 2],
  ])("of %d bytes are %d, be the last part as short as it may", async (size, count) => {
    const known = await partsOf(content(size));
    expect(known).toHaveLength(count);
    for (const digest of known) expect(digest).toMatch(/^[\da-f]{16}$/);
  });

  test("are the same however the bytes are cut into pieces", async () => {
    const bytes = content(PART_SIZE + 5);
    const known = await partsOf(bytes);
    expect(await partsOf(bytes, 700_001)).toEqual(known);
    expect(await partsOf(bytes, 2 ** 20)).toEqual(known);
  });

  test("differ by any byte of their part alone", async () => {
    const bytes = content(PART_SIZE + 5);
    const known = await partsOf(bytes);
    for (const at of [0, 2 ** 20, PART_SIZE - 1, PART_SIZE, PART_SIZE + 4]) {
      const other = bytes.slice();
      other[at] = 255 - (other[at] ?? 0);
      const found = await partsOf(other);
      const changed = at < PART_SIZE ? 0 : 1;
      expect(found[changed]).not.toBe(known[changed]);
      expect(found[1 - changed]).toBe(known[1 - changed]);
    }
  });

  test("reject what is not what was remembered, the last part too", async () => {
    const bytes = content(PART_SIZE + 1);
    const known = await partsOf(bytes);
    expect(await partsOf(bytes, bytes.length, [...known])).toEqual(known);
    bytes[PART_SIZE] = 255 - (bytes[PART_SIZE] ?? 0);
    expect(await caught(partsOf(bytes, bytes.length, [...known]))).toMatchObject({ code: "source-changed" });
    bytes[0] = 255 - (bytes[0] ?? 0);
    expect(await caught(partsOf(bytes, bytes.length, [...known]))).toMatchObject({ code: "source-changed" });
  });

  test("compare what two passes hold of a part that isn't complete", async () => {
    const pass = async (bytes: Uint8Array) => {
      const parts = new PartDigests(url, []);
      await parts.take(bytes);
      return parts;
    };
    const size = 2 ** 20 + 3;
    await (await pass(content(size))).compare(await pass(content(size)));
    const other = (await pass(content(size))).compare(await pass(content(size, 2)));
    expect(await caught(other)).toMatchObject({ code: "source-changed" });
  });
});

/** Downloads, and a video that its server gives only whole: read from the start each time, and compared by its parts. */
import { afterEach, describe, expect, test } from "vitest";
import { PART_SIZE } from "../../../core/source/parts.ts";
import { PartDigests } from "../../../core/source/single-pass.ts";
import type { ReadableSource, Slice } from "../../../core/source/source.ts";
import { urlSource } from "../../../core/source/url.ts";
import { caught } from "../../support/caught.ts";
import { content, contentHash, sha256 } from "../../support/content.ts";
import { readAll } from "../../support/core/read-all.ts";
import { serveVideo, type VideoServer } from "../../support/hosts/video-server.ts";

const SIZE = 2 * PART_SIZE + 5;
const how = { fetch: globalThis.fetch };
let video: VideoServer;
afterEach(() => video?.close());

async function open(seed = 1): Promise<ReadableSource> {
  video = await serveVideo(SIZE, { ranges: false, seed });
  return await urlSource(new URL(video.url), how);
}

const hashOf = async (slice: Pick<Slice, "pieces">) => sha256(await readAll(slice));

describe("a video that its server gives only whole", () => {
  test("is read in slices, from the start again for one that was let go", async () => {
    const source = await open();
    expect(source).toMatchObject({ name: "video.mp4", size: SIZE, rereadable: false });
    for (const start of [0, PART_SIZE, 2 * PART_SIZE, 0]) {
      const slice = await source.slice(start, start + PART_SIZE);
      const expected = content(SIZE).subarray(start, start + PART_SIZE);
      expect([slice.size, slice.last]).toEqual([expected.length, start === 2 * PART_SIZE]);
      expect(await hashOf(slice)).toBe(sha256(expected));
    }
    expect(video.requests).toHaveLength(2);
    await source.close();
  });

  test("knows the parts that were read, which another reading is compared with", async () => {
    const source = await open();
    expect(source.parts?.()).toEqual([]);
    await source.slice(2 * PART_SIZE, SIZE);
    const parts = [...(source.parts?.() ?? [])];
    expect(parts).toHaveLength(3);
    await source.close();
    await video.close();

    const same = await open();
    same.expect?.(parts);
    expect((await same.slice(0, SIZE)).last).toBe(true);
    expect(await caught(() => same.expect?.(["another", ...parts.slice(1)]))).toMatchObject({
      code: "source-changed",
    });
    await same.close();
    await video.close();

    const other = await open(2);
    other.expect?.(parts);
    expect(await caught(other.slice(0, SIZE))).toMatchObject({ code: "source-changed" });
    await other.close();
  });

  test("is read at once as well, and again", async () => {
    const source = await open();
    for (let count = 0; count < 2; count++) {
      const whole = await source.whole?.();
      expect(whole).toMatchObject({ size: SIZE, last: true });
      if (whole !== undefined)
        expect(await hashOf({ pieces: () => whole.pieces(count === 0) })).toBe(contentHash(SIZE));
    }
    await source.close();
  });
});

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

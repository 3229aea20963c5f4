/** Downloads, and a video that its server gives only whole: read from the start each time, and compared by its parts. */
import { afterEach, describe, expect, test } from "vitest";
import { PART_SIZE } from "../../../core/source/parts.ts";
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

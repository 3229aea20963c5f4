import { afterEach, describe, expect, test } from "vitest";
import { upload } from "../../../core/mod.ts";
import { urlSource } from "../../../core/source/url.ts";
import { fetchTransport } from "../../../core/transfer/fetch.ts";
import { useService } from "../../service/use-service.ts";
import { caught } from "../../support/caught.ts";
import { content, MiB, sha256 } from "../../support/content.ts";
import { serveVideo, type VideoServer } from "../../support/hosts/video-server.ts";

const SIZE = 32 * MiB + 5;
const service = useService();
let video: VideoServer | undefined;

afterEach(async () => {
  await video?.close();
  video = undefined;
});

describe("slices of a video in ranges", () => {
  /** No piece of a download ends where these slices do. */
  const SLICE = MiB + 7;
  const whole = content(5 * SLICE + 1);

  async function open() {
    const server = await serveVideo(whole.length);
    video = server;
    const source = await urlSource(new URL(server.url), { fetch });
    const expectSlice = async (start: number, isCopied = false) => {
      const { pieces } = await source.slice(start, start + SLICE);
      const read: Uint8Array[] = [];
      for (
        let reading = pieces(isCopied), next = await reading.next();
        !next.done;
        next = await reading.next()
      )
        read.push(isCopied ? next.value.slice() : next.value);
      expect(sha256(Buffer.concat(read))).toBe(sha256(whole.subarray(start, start + SLICE)));
    };
    return { server, source, expectSlice };
  }

  test.each([false, true])("go on with one download, in memory that is used again: %s", async (isCopied) => {
    const { server, expectSlice } = await open();
    for (let start = 0; start < whole.length; start += SLICE) await expectSlice(start, isCopied);
    expect(server.requests.map(({ range }) => range)).toEqual(["bytes=0-0", `bytes=0-${whole.length - 1}`]);
  });

  test("are right in any order, again, at once, and where one is left half-way", async () => {
    const { source, expectSlice } = await open();
    await expectSlice(2 * SLICE);
    await expectSlice(2 * SLICE);
    const left = (await source.slice(3 * SLICE, 4 * SLICE)).pieces();
    await left.next();
    await Promise.all([expectSlice(0), expectSlice(3 * SLICE), expectSlice(SLICE)]);
    await left.return?.();
    await expectSlice(SLICE, true);
    await expectSlice(2 * SLICE, false);
    await expectSlice(3 * SLICE, true);
    await source.close();
    await expectSlice(4 * SLICE, true);
  });

  test("are asked for before they are wanted where they are said to come next, until the source is closed", async () => {
    const { server, source, expectSlice } = await open();
    source.begin?.(SLICE);
    await expect.poll(() => server.requests.at(-1)?.range).toBe(`bytes=${SLICE}-${whole.length - 1}`);
    await expectSlice(SLICE);
    await expectSlice(2 * SLICE);
    expect(server.requests).toHaveLength(2);
    server.habits = { held: new Promise(() => {}) };
    source.begin?.(0);
    await expect.poll(() => server.requests.length).toBe(3);
    await source.close();
    await expect.poll(() => server.underWay).toBe(0);
  });
});

describe("the ranges of a video", () => {
  test("are fetched once each, a part ahead, from wherever they are wanted", async () => {
    const server = await serveVideo(SIZE);
    video = server;
    const source = await urlSource(new URL(server.url), { fetch });
    const ahead = source.readAhead?.();
    if (ahead === undefined) throw new Error("nothing is read ahead");
    const whole = content(SIZE);
    const read = async (start: number, end: number) => {
      const { held, last } = await ahead.slice(start, end);
      expect(sha256(held ?? new Uint8Array())).toBe(sha256(whole.subarray(start, Math.min(end, SIZE))));
      return last;
    };
    ahead.begin(0);
    await expect.poll(() => server.given).toBeGreaterThanOrEqual(8 * MiB);
    expect(await read(0, 8 * MiB)).toBe(false);
    await expect.poll(() => server.given).toBeGreaterThanOrEqual(16 * MiB);
    expect(await read(8 * MiB, 16 * MiB)).toBe(false);
    // A service that lost some of it is given that from what is held.
    expect(await read(12 * MiB, 16 * MiB)).toBe(false);
    expect(await read(16 * MiB, 24 * MiB)).toBe(false);
    const ranges = () => server.requests.slice(1).map(({ range }) => range);
    expect(new Set(ranges()).size).toBe(ranges().length);
    expect(await read(2 * MiB, 8 * MiB)).toBe(false);
    expect(await read(32 * MiB, 40 * MiB)).toBe(true);
    await ahead.close();
  });

  test("are no longer fetched once the upload has failed", async () => {
    const server = await serveVideo(17 * MiB);
    video = server;
    await service.set({ answerStatus: [{ host: "upload", method: "PATCH", status: 403 }] });
    const source = await urlSource(new URL(server.url), { fetch });
    let closed = 0;
    const counted = {
      ...source,
      // As in a browser: each part is held before it leaves, so the next one is read meanwhile.
      transport: { ...fetchTransport(fetch), streams: false },
      readAhead() {
        const ahead = source.readAhead?.();
        if (ahead === undefined) throw new Error("nothing is read ahead");
        return {
          ...ahead,
          async close() {
            closed++;
            await ahead.close();
          },
        };
      },
    };
    expect((await caught(upload(service.client(), counted))).code).toBe("location-refused");
    expect(closed).toBe(1);
  });
});

/** What is read while other bytes are on their way. */
import { createServer } from "node:http";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { isUpcutError, upload } from "../../../core/mod.ts";
import { StreamWindow } from "../../../core/source/window.ts";
import type { Switches } from "../../service/switches.ts";
import { useService } from "../../service/use-service.ts";
import { caught } from "../../support/caught.ts";
import { content, contentHash, MiB } from "../../support/content.ts";
import { listen } from "../../support/hosts/listen.ts";
import { serveVideo, type VideoServer } from "../../support/hosts/video-server.ts";

const KiB = 1024;
const SIZE = 32 * MiB + 5;
const service = useService();
let video: VideoServer | undefined;

afterEach(async () => {
  await video?.close();
  video = undefined;
});

function countedStream(size: number): { stream: ReadableStream<Uint8Array>; taken: () => number } {
  const bytes = content(size);
  let at = 0;
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const piece = bytes.subarray(at, at + MiB);
        at += piece.length;
        if (piece.length > 0) controller.enqueue(piece.slice());
        else controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  return { stream, taken: () => at };
}

/** The bytes of each PATCH, with a star where its length wasn't told before. */
async function patches(): Promise<string[]> {
  const requests = await service.requests();
  return requests
    .filter(({ method }) => method === "PATCH")
    .map(({ bytesReceived, contentLength }) => `${bytesReceived / MiB}${contentLength === null ? "*" : ""}`);
}

describe("a stream of unknown length", () => {
  test.each([
    [33, ["24*", "8*", "1"]],
    [24, ["16*", "5", "3"]],
    [9, ["8*", "1"]],
    [8, ["5", "3"]],
  ])(
    "of %d MiB goes by three parts in a request, and its last bytes in one of their own",
    async (size, sent) => {
      const { stream } = countedStream(size * MiB);
      const { asset } = await upload(service.client(), stream, { type: "video/mp4" });
      expect((await service.whole(asset.id)).sha256).toBe(contentHash(size * MiB));
      const found = await patches();
      expect(found).toEqual(sent);
    },
  );

  test.each<[string, Partial<Switches>, () => Promise<unknown>]>([
    ["is stored", {}, () => expect.poll(async () => (await service.uploads())[0]?.offset).toBe(8 * MiB)],
    [
      "has broken",
      { resetAfter: [{ host: "upload", method: "PATCH", bytes: 7 * MiB, times: 1 }] },
      () => expect.poll(async () => (await service.requests("PATCH"))[0]?.status).toBe("reset"),
    ],
  ])("keeps no request waiting for what it gives late, once that %s", async (_, switches, event) => {
    await service.set(switches);
    const bytes = content(17 * MiB);
    async function* late() {
      yield bytes.subarray(0, 9 * MiB);
      await event();
      for (let at = 9 * MiB; at < bytes.length; at += MiB / 2) yield bytes.subarray(at, at + MiB / 2);
    }
    const { asset } = await upload(service.client(), late(), { type: "video/mp4", timeout: { settle: 50 } });
    expect((await service.whole(asset.id)).sha256).toBe(contentHash(17 * MiB));
  });

  test.each([4, 12])("goes on a part at a time once a request broke at %d MiB", async (at) => {
    await service.set({
      parts: true,
      resetAfter: [{ host: "upload", method: "PATCH", bytes: at * MiB, times: 1 }],
    });
    const options = { type: "video/mp4", timeout: { settle: 50 } };
    const { asset } = await upload(service.client(), countedStream(SIZE).stream, options);
    expect((await service.whole(asset.id)).sha256).toBe(contentHash(SIZE));
    expect((await patches()).slice(1).filter((each) => each.endsWith("*"))).toEqual([]);
  });

  test("whose host wants to know each length is sent so, and the next one at once", async () => {
    await service.set({ answerStatus: [{ host: "upload", method: "PATCH", status: 411, times: 1 }] });
    const options = { type: "video/mp4", timeout: { settle: 50 } };
    for (const _ of ["first", "next"]) {
      const { asset } = await upload(service.client(), countedStream(SIZE).stream, options);
      expect((await service.whole(asset.id)).sha256).toBe(contentHash(SIZE));
    }
    expect((await patches()).map((each) => each.endsWith("*"))).toEqual([true, ...Array(10).fill(false)]);
  });

  test("that fails in the middle of a request is told as failed, with what is stored", async () => {
    async function* failing() {
      yield content(20 * MiB);
      throw new Error("own words");
    }
    const error = await caught(upload(service.client(), failing(), { type: "video/mp4" }));
    expect(error).toMatchObject({ code: "source-unreadable", resume: { offset: 16 * MiB } });
  });
});

/** The first chunk gets stuck half-way. */
const stuck = { stallAfter: [{ host: "upload" as const, method: "PATCH", bytes: 4 * MiB, times: 1 }] };

describe("while a chunk is on its way", () => {
  test("one more is read of a stream, and no more than that", async () => {
    await service.set(stuck);
    const { stream, taken } = countedStream(SIZE);
    const stop = new AbortController();
    const call = caught(upload(service.client(), stream, { type: "video/mp4", signal: stop.signal }));
    await expect.poll(taken).toBeGreaterThanOrEqual(16 * MiB);
    expect((await service.uploads())[0]?.offset).toBe(0);
    stop.abort();
    await call;
    expect(taken()).toBeLessThanOrEqual(17 * MiB);
  });

  test("the next is read once the bytes before it are taken, and not while their request begins", async () => {
    let taken = 0;
    const read = async () => ({ value: new Uint8Array(MiB), done: ++taken > 40 });
    const window = new StreamWindow({ read, cancel() {} }, undefined);
    const slice = await window.read(0, 8 * MiB);
    // The last one tells that there is more.
    expect(taken).toBe(9);
    await slice.pieces().next();
    await window.read(8 * MiB, 16 * MiB);
    expect(taken).toBe(17);
    window.cancel();
  });

  test.each([
    [100, "pieces of 64 KiB", 64, undefined, 1],
    [1024, "pieces of 1 MiB", 1024, undefined, 1],
    [3 * 1024, "pieces of 64 KiB", 64, undefined, 4],
    [5 * 1024, "pieces of 64 KiB", 64, undefined, 32],
    [5 * 1024, "pieces of 64 KiB, as announced", 64, 5 * 1024, 5],
  ])("a stream of %d KiB in %s has the room that it needs", async (kibibytes, _, piece, announced, room) => {
    let left = kibibytes * KiB;
    const read = async () => {
      const value = new Uint8Array(Math.min(left, piece * KiB));
      left -= value.length;
      return { value, done: value.length === 0 };
    };
    const window = new StreamWindow({ read, cancel() {} }, announced && announced * KiB);
    window.begin(0, 24 * MiB);
    const { held } = await window.read(0, 8 * MiB);
    expect(held?.buffer.byteLength).toBe(room * MiB);
  });

  test.each([
    ["of unknown length", {}, 24],
    ["of known length", { size: MiB }, 8],
    ["in parts", { chunkSize: 8 * MiB }, 8],
  ])("a stream %s is told how much a request takes", async (_, options, most) => {
    const begin = vi.spyOn(StreamWindow.prototype, "begin");
    onTestFinished(() => begin.mockRestore());
    await upload(service.client(), new Blob([content(MiB)]).stream(), { type: "video/mp4", ...options });
    expect(begin.mock.calls).toEqual([[0, most * MiB]]);
  });

  test.each<[string, (window: StreamWindow) => Promise<unknown>, read: () => Promise<unknown>]>([
    ["before it is read", async () => {}, async () => ({ value: new Uint8Array(MiB), done: false })],
    [
      "while it is read ahead",
      async (window) => (await window.read(0, 8 * MiB)).pieces().next(),
      async () => ({ value: new Uint8Array(MiB), done: false }),
    ],
    ["while its first bytes are awaited", async (window) => window.begin(0), () => new Promise(() => {})],
  ])("what is cancelled %s has no end", async (_, begin, read) => {
    const window = new StreamWindow(
      { read: read as () => Promise<{ done: boolean }>, cancel() {} },
      undefined,
    );
    await begin(window);
    const start = window.reaches(8 * MiB) ? 8 * MiB : 0;
    const reading = caught(window.read(start, start + 8 * MiB));
    window.cancel();
    expect(await reading).toMatchObject({ code: "source-unreadable" });
    expect(await caught(window.read(start, start + 8 * MiB))).toMatchObject({ code: "source-unreadable" });
  });

  test("what is cancelled as its last bytes come is whole, or has no end", async () => {
    for (let moment = 0; moment < 20; moment++) {
      let taken = 0;
      const read = async () => ({ value: new Uint8Array(MiB), done: ++taken > 1 });
      const window = new StreamWindow({ read, cancel() {} }, undefined);
      const reading = window.read(0, 8 * MiB).catch((error: unknown) => error);
      for (let at = 0; at < moment; at++) await null;
      window.cancel();
      const found = await reading;
      if (!isUpcutError(found)) expect(found).toMatchObject({ size: MiB, last: true });
    }
  });

  test("one more is read of a video that its server gives only whole", async () => {
    await service.set(stuck);
    const server = await serveVideo(SIZE, { ranges: false });
    video = server;
    const stop = new AbortController();
    const call = caught(upload(service.client(), new URL(server.url), { signal: stop.signal }));
    await expect.poll(() => server.given).toBeGreaterThanOrEqual(16 * MiB);
    stop.abort();
    await call;
  });

  test("a download that hangs doesn't hold up the end of the call", async () => {
    await service.set({ answerStatus: [{ host: "upload", method: "PATCH", status: 403 }] });
    let gone = false;
    const server = createServer((_, response) => {
      response.on("close", () => {
        gone = true;
      });
      response.writeHead(200, { "content-type": "video/mp4", "content-length": SIZE });
      response.write(content(10 * MiB));
    });
    const { code } = await caught(upload(service.client(), new URL(`${await listen(server)}/video.mp4`)));
    expect(code).toBe("location-refused");
    await expect.poll(() => gone).toBe(true);
  });
});

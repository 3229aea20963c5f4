/** What objects of an R2 bucket promise as sources, whoever keeps the bucket. */

import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { createClient, journalKey, memoryJournal, type Uploadable, upload } from "../../../core/mod.ts";
import { openR2Object, type R2BucketLike } from "../../../core/source/r2.ts";
import { useService } from "../../service/use-service.ts";
import { caught } from "../../support/caught.ts";
import { content, contentHash, MiB } from "../../support/content.ts";
import { inAll, table } from "../../support/in-all.ts";
import { MARKER } from "../../support/marker.ts";

const size = 20 * MiB + 7;

export type R2ObjectBody = Extract<Uploadable, { etag: string }>;

export type Bucket = R2BucketLike & {
  put(key: string, value: Uint8Array, options?: { httpMetadata: { contentType: string } }): Promise<unknown>;
  delete(key: string): Promise<void>;
  get(key: string, options?: { range: { offset: number; length: number } }): Promise<R2ObjectBody | null>;
};

/** @param open gives the bucket, before the first test */
export function testR2(open: () => Promise<Bucket>): void {
  const service = useService();
  const client = () => createClient({ baseUrl: service.baseUrl, token: service.token });
  let bucket: Bucket;

  beforeAll(async () => {
    bucket = await open();
    await bucket.put("videos/one.mp4", content(size));
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test.each(table(["resumable", "direct"] as const))(
    "brings an object to the service by the %s method",
    async (method) => {
      const source = await openR2Object(bucket, "videos/one.mp4");
      expect(source).toMatchObject({ name: "one.mp4", type: undefined, size });
      const { asset } = await upload(client(), source, { method });
      const { received } = (await service.assets())[0] ?? {};
      expect(received?.name).toBe("one.mp4");
      expect((await service.whole(asset.id)).sha256).toBe(contentHash(size));
    },
  );

  test("reads on where a connection was reset, and asks the bucket for no more than is left", async () => {
    const asked: number[] = [];
    const counting: R2BucketLike = {
      head: (key) => bucket.head(key),
      get(key, options) {
        asked.push(options.range.offset);
        return bucket.get(key, options);
      },
    };
    await service.set({ resetAfter: [{ host: "upload", method: "PATCH", bytes: 10 * MiB, times: 1 }] });
    const { asset } = await upload(client(), await openR2Object(counting, "videos/one.mp4"));
    expect((await service.whole(asset.id)).sha256).toBe(contentHash(size));
    expect(asked).toEqual([0, 10 * MiB, 18 * MiB]);
  });

  test("is resumed by another call, and is another video once it was replaced", async () => {
    const journal = memoryJournal();
    await bucket.put("two.mp4", content(size, 2));
    const key = await journalKey(await openR2Object(bucket, "two.mp4"));
    await service.set({ throttle: 8 * MiB });
    const stop = new AbortController();
    const begun = caught(
      upload(client(), await openR2Object(bucket, "two.mp4"), { journal, signal: stop.signal }),
    );
    await expect.poll(async () => (await service.uploads())[0]?.arrived ?? 0).toBeGreaterThan(8 * MiB);
    stop.abort();
    await begun;
    await service.set({ throttle: 0 });
    const { asset, resumed } = await upload(client(), await openR2Object(bucket, "two.mp4"), { journal });
    expect(resumed).toBe(true);
    expect((await service.whole(asset.id)).sha256).toBe(contentHash(size, 2));
    await bucket.put("two.mp4", content(size, 3));
    expect(await journalKey(await openR2Object(bucket, "two.mp4"))).not.toBe(key);
  });

  const object = async (options?: { range: { offset: number; length: number } }) => {
    const found = await bucket.get("videos/one.mp4", options);
    if (found === null) throw new Error("it is gone");
    return found;
  };

  test("brings what get() gave to the service, and resumes it by what another get() gives", async () => {
    const journal = memoryJournal();
    const key = await journalKey(await openR2Object(bucket, "videos/one.mp4"));
    expect(await journalKey(await object())).toBe(key);
    await service.set({ resetAfter: [{ host: "upload", method: "PATCH", bytes: 5 * MiB, times: 1 }] });
    const broken = { journal, retry: { attempts: 0 }, timeout: { settle: 50 } };
    expect(await caught(upload(client(), await object(), broken))).toMatchObject({
      code: "interrupted",
      resume: { possible: true },
    });
    const { asset, resumed } = await upload(client(), await object(), { journal });
    expect(resumed).toBe(true);
    expect((await service.assets())[0]?.received.name).toBe("one.mp4");
    expect((await service.whole(asset.id)).sha256).toBe(contentHash(size));
  });

  test("refuses what get() gave where its bytes are read, a range, or absent", async () => {
    const read = await object();
    await new Response(read.body).arrayBuffer();
    const ranged = await object({ range: { offset: 0, length: 5 } });
    const known = (await bucket.head("videos/one.mp4")) as R2ObjectBody;
    for (const [given, state] of [
      [read, "its bytes have been read already"],
      [ranged, "it is only a range of the object"],
      [known, "its bytes were not asked for"],
    ] as const)
      expect(await caught(upload(client(), given))).toMatchObject({
        code: "invalid-source",
        message: expect.stringContaining(`Cannot upload "videos/one.mp4": ${state}`),
      });
    expect(await service.requests("POST")).toEqual([]);
  });

  test.each([
    ["replaced", (key: string) => bucket.put(key, content(size, 9)), "the object in the bucket was replaced"],
    ["deleted", (key: string) => bucket.delete(key), "it is no longer in the bucket"],
  ])("ends an upload whose object is %s meanwhile", async (name, change, sentence) => {
    const key = `${name}.mp4`;
    await bucket.put(key, content(size, 4));
    const source = await openR2Object(bucket, key);
    let changing: Promise<unknown> | undefined;
    const call = upload(client(), source, {
      chunkSize: 8 * MiB,
      onProgress({ acknowledged }) {
        if (acknowledged === 8 * MiB) changing ??= change(key);
        return changing;
      },
    });
    const error = await caught(call);
    await changing;
    expect(error).toMatchObject({ code: "source-changed", message: expect.stringContaining(sentence) });
  });

  inAll("reads on where the bucket breaks off, and gives up where it stays away", async () => {
    let failures = 2;
    const breaking: R2BucketLike = {
      head: (key) => bucket.head(key),
      async get(key, options) {
        if (options.range.offset >= 8 * MiB && failures-- > 0) throw new Error(MARKER);
        return await bucket.get(key, options);
      },
    };
    const open = () => openR2Object(breaking, "videos/one.mp4");
    const options = { chunkSize: 8 * MiB };
    const { asset } = await upload(client(), await open(), options);
    expect((await service.whole(asset.id)).sha256).toBe(contentHash(size));
    failures = 100;
    expect(await caught(upload(client(), await open(), options))).toMatchObject({
      code: "source-unreadable",
      retryable: true,
      message: `Cannot read the video: the download from the bucket breaks off at byte ${8 * MiB}`,
    });
    const away: R2BucketLike = { ...breaking, head: () => Promise.reject(new Error(MARKER)) };
    expect(await caught(openR2Object(away, "a.mp4"))).toMatchObject({
      code: "source-unreadable",
      retryable: true,
    });
  });

  test("waits no longer for a bucket that is silent than for a server", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const silent: R2BucketLike = {
      head: () => new Promise(() => {}),
      get: () => new Promise(() => {}),
    };
    const opening = caught(openR2Object(silent, "videos/one.mp4"));
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await opening).toMatchObject({ code: "source-unreadable", retryable: true });
  });

  test("asks again where a range is not answered", async () => {
    let silences = 0;
    const key = "videos/one.mp4";
    const falling: R2BucketLike = {
      head: (name) => bucket.head(name),
      get(name, options) {
        if (options.range.offset === 0 || silences++ > 0) return bucket.get(name, options);
        vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
        setImmediate(() => {
          vi.advanceTimersByTime(30_000);
          vi.useRealTimers();
        });
        return new Promise(() => {});
      },
    };
    const { asset } = await upload(client(), await openR2Object(falling, key), { chunkSize: 8 * MiB });
    expect(silences).toBeGreaterThan(1);
    expect((await service.whole(asset.id)).sha256).toBe(contentHash(size));
  });

  test("refuses what is no object, no video or empty, before anything is asked of the service", async () => {
    await bucket.put("empty.mp4", new Uint8Array());
    await bucket.put("notes.txt", content(10), { httpMetadata: { contentType: "text/plain" } });
    expect(await caught(openR2Object(bucket, "none.mp4"))).toMatchObject({
      code: "invalid-source",
      message: 'Cannot open "none.mp4": there is no such object in the bucket',
    });
    const empty = await openR2Object(bucket, "empty.mp4");
    expect(await caught(upload(client(), empty))).toMatchObject({ code: "empty-source" });
    const notes = await openR2Object(bucket, "notes.txt");
    expect(await caught(upload(client(), notes))).toMatchObject({ code: "not-a-video" });
    expect(await caught(openR2Object({} as R2BucketLike, "a"))).toMatchObject({
      code: "invalid-option",
      message: expect.stringContaining("the bucket is an object, expected a binding to an R2 bucket"),
    });
    expect(await caught(openR2Object(bucket, ""))).toMatchObject({ code: "invalid-option" });
    expect(await service.requests("POST")).toEqual([]);
  });
}

/** The stores that real services run, and what becomes of an upload when the line or the store behind it fails. */
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { upload } from "../../core/mod.ts";
import { content, contentHash, sha256 } from "../support/content.ts";
import { create, head, MiB, noise, patch, send, tus } from "./bare-requests.ts";
import { REAL_STORES } from "./stores.ts";
import { useService } from "./use-service.ts";

const PART = 8 * MiB;

/** Where a broken upload can go on: an older store may still take what had arrived, and counts it late. */
async function settledOffset(location: string): Promise<number> {
  for (let last = await head(location); ; ) {
    await delay(1000);
    const offset = await head(location);
    if (offset === last) return offset;
    last = offset;
  }
}

describe.each(REAL_STORES)("%s in a process of its own", (store) => {
  const service = useService({}, { store });

  test.each([[PART], [2 * PART], [5 * PART], [5 * PART, 3]])(
    "requests of %i bytes whose length isn't told are stored whole",
    async (...requests) => {
      await service.set({ storeLatency: [5, 45] });
      const data = noise(requests.reduce((sum, size) => sum + size, 0));
      const { location, id } = await create(service, data.length);
      let offset = 0;
      for (const size of requests) {
        const reply = await patch(location, offset, data.subarray(offset, offset + size), {
          pieces: 1_000_003,
        });
        offset += size;
        expect(reply).toMatchObject({ status: 204, headers: { "upload-offset": String(offset) } });
      }
      expect((await service.whole(id)).sha256).toBe(sha256(data));
    },
  );

  test("it survives an outage of its store, and resumes after it", async () => {
    const data = noise(3 * PART);
    const { location, id } = await create(service, data.length);
    // Calls of the store are cut in the middle.
    await service.set({ storeLatency: [1000, 1000] });
    const sending = patch(location, 0, data.subarray(0, PART));
    const arrived = async () => (await service.uploads()).find(({ assetId }) => assetId === id)?.arrived;
    await expect.poll(arrived).toBeGreaterThan(0);
    await service.set({ storeAway: true });
    expect((await sending).status).toBe(500);
    expect((await send(location, { method: "HEAD", headers: tus })).status).toBe(500);
    await service.set({ storeAway: false, storeLatency: [0, 0] });
    for (let at = await settledOffset(location); at < data.length; at = await head(location))
      expect((await patch(location, at, data.subarray(at, at + PART))).status).toBe(204);
    expect((await service.whole(id)).sha256).toBe(sha256(data));
  });

  test("parts that it could not join count as the whole upload, until an empty request joins them", async () => {
    const data = noise(PART);
    const { location, id } = await create(service, data.length);
    // The client tries three times.
    await service.set({ storeCuts: Array<"CompleteMultipartUpload">(3).fill("CompleteMultipartUpload") });
    expect((await patch(location, 0, data)).status).toBe(500);
    expect(await head(location)).toBe(data.length);
    const { sha256: before } = (await service.assets()).find(({ asset }) => asset.id === id) ?? {};
    expect(before).toBe(null);
    expect((await patch(location, data.length, Buffer.alloc(0))).status).toBe(204);
    expect((await service.whole(id)).sha256).toBe(sha256(data));
  });

  test("a part that it has lost is not missed where a later one of the request is stored", async () => {
    const data = noise(4 * PART);
    const { location, id } = await create(service, data.length);
    // The client tries three times.
    const storeCuts = Array<"UploadPart 1">(3).fill("UploadPart 1");
    await service.set({ storeCuts, storeLatency: [5, 45] });
    expect((await patch(location, 0, data)).status).toBe(500);
    const offset = await settledOffset(location);
    expect(offset).toBeGreaterThan(0);
    for (let at = offset; at < data.length; at = await head(location))
      expect((await patch(location, at, data.subarray(at, at + PART))).status).toBe(204);
    expect((await service.whole(id)).sha256).not.toBe(sha256(data));
  });

  test("an upload whose parts have a request each is whole, though it loses one", async () => {
    const size = 6 * PART + 2 * MiB;
    await service.set({ storeCuts: Array<"UploadPart 1">(3).fill("UploadPart 1"), storeLatency: [5, 45] });
    const video = new File([content(size)], "video.mp4", { type: "video/mp4" });
    const { asset } = await upload(service.client(), video, {
      chunkSize: PART,
      retry: { minDelay: 1 },
    });
    expect((await service.whole(asset.id)).sha256).toBe(contentHash(size));
  });

  test("what it doesn't remember is 404 while the store is away, and there again after a restart", async () => {
    const data = noise(2 * PART);
    const { location, id } = await create(service, data.length);
    await patch(location, 0, data.subarray(0, PART));
    await service.restart();
    await service.set({ storeAway: 3000 });
    const reply = await patch(location, PART, data.subarray(PART));
    expect(reply).toMatchObject({ status: 404, text: "The file for this url was not found\n" });
    await service.set({ storeAway: false });
    expect(await head(location)).toBe(PART);
    expect((await patch(location, PART, data.subarray(PART))).status).toBe(204);
    expect((await service.whole(id)).sha256).toBe(sha256(data));
  });
});

describe("the known loss of tus-s3-1", () => {
  const service = useService({ storeLatency: [5, 45] }, { store: "tus-s3-1" });

  async function upload(requests: Buffer[]): Promise<boolean> {
    const data = Buffer.concat(requests);
    const { location, id } = await create(service, data.length);
    let offset = 0;
    for (const request of requests) {
      const reply = await patch(location, offset, request);
      offset += request.length;
      expect(reply).toMatchObject({ status: 204, headers: { "upload-offset": String(offset) } });
    }
    return (await service.whole(id)).sha256 === sha256(data);
  }

  test("a short last part in the request of the part before it may be left out of the object", async () => {
    const whole: boolean[] = [];
    for (let at = 0; at < 12 && !whole.includes(false); at++) whole.push(await upload([noise(PART + 1)]));
    expect(whole).toContain(false);
  });

  test("the same bytes are whole when that part has a request of its own", async () => {
    for (let at = 0; at < 3; at++) expect(await upload([noise(PART), noise(1)])).toBe(true);
  });
});

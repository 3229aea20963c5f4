/** Uploads that are whole, while the journal could note neither their address nor their end. */
import { describe, expect, test } from "vitest";
import { type Journal, memoryJournal, type UploadOptions, upload } from "../../../core/mod.ts";
import { useService } from "../../service/use-service.ts";
import { caught } from "../../support/caught.ts";
import { contentHash, contentStream, MiB, videoFile } from "../../support/content.ts";

const SIZE = 2 * MiB + 3;
const service = useService();
const video = () => videoFile(SIZE);
const send = (journal: Journal, options: UploadOptions = {}) =>
  upload(service.client(), video(), { journal, retry: { attempts: 0 }, ...options });

/** A journal whose disk is full for as long as that is said of what is to be written. */
function fullDisk(isFull: (text: string) => boolean) {
  const journal = memoryJournal();
  const disk = { isFull };
  const check = (text: string) => {
    if (disk.isFull(text)) throw Object.assign(new Error("no space left"), { code: "ENOSPC" });
  };
  const fitting: Journal = {
    ...journal,
    async set(key, entry) {
      check(JSON.stringify(entry));
      await journal.set(key, entry);
    },
    async delete(key) {
      check("");
      await journal.delete(key);
    },
  };
  return Object.assign(disk, { journal: fitting });
}

/** A disk that is full once the location was noted. */
function fullBehindLocation() {
  let isNoted = false;
  return fullDisk((text) => {
    const wasNoted = isNoted;
    isNoted ||= text.includes('"location"');
    return wasNoted;
  });
}

const requestsTo = async (path: string) => (await service.requests("POST", path)).length;

async function expectOneWhole(id: string): Promise<void> {
  expect((await service.whole(id)).sha256).toBe(contentHash(SIZE));
  expect(await service.assets()).toHaveLength(1);
}

describe("a location that is used up, of an upload whose address was never noted", () => {
  test.each<[string, UploadOptions]>([
    ["resumable", {}],
    ["resumable and once", { once: true }],
  ])("means that it is whole: %s", async (_, options) => {
    const disk = fullBehindLocation();
    const first = await send(disk.journal, options);
    const second = await send(disk.journal, options);
    expect(second).toMatchObject({ asset: first.asset, size: SIZE, sent: 0, resumed: true });
    disk.isFull = () => false;
    // The answer of that one may get lost too.
    await service.set({ dropAnswer: [{ host: "upload", method: "POST", times: 1 }] });
    const third = await send(disk.journal, { ...options, retry: { attempts: 1, minDelay: 1 } });
    expect(third).toMatchObject({ asset: first.asset, size: SIZE, sent: 0 });
    await expectOneWhole(first.asset.id);
    expect(await requestsTo("request-upload")).toBe(1);
  });

  test("means that after a process that ended at its last byte", async () => {
    const disk = fullBehindLocation();
    await service.set({ dropAnswer: [{ host: "upload", method: "PATCH" }] });
    expect(await caught(send(disk.journal))).toMatchObject({ code: "interrupted" });
    await service.set({ dropAnswer: [] });
    const { asset, resumed } = await send(disk.journal);
    expect(resumed).toBe(true);
    await expectOneWhole(asset.id);
  });

  test("goes on with the same asset where it isn't used up", async () => {
    const disk = fullBehindLocation();
    await service.set({ resetAfter: [{ host: "upload", method: "PATCH", bytes: MiB, times: 1 }] });
    expect(await caught(send(disk.journal))).toMatchObject({ code: "interrupted" });
    const { asset, resumed } = await send(disk.journal);
    expect(resumed).toBe(true);
    await expectOneWhole(asset.id);
  });

  test("is refused where its first request was refused, in each later call", async () => {
    const journal = memoryJournal();
    await service.set({ answerStatus: [{ host: "upload", method: "POST", status: 422 }] });
    for (let call = 0; call < 3; call++)
      expect(await caught(send(journal))).toMatchObject({ code: "location-refused", httpStatus: 422 });
    expect(await requestsTo("request-upload")).toBe(1);
  });

  test("is refused in a call that has just got it", async () => {
    await service.set({
      dropAnswer: [{ host: "upload", method: "POST", times: 1 }],
      answerStatus: [{ host: "upload", method: "POST", status: 422 }],
    });
    const error = await caught(send(memoryJournal(), { retry: { attempts: 3, minDelay: 1 } }));
    expect(error).toMatchObject({ code: "location-refused", httpStatus: 422 });
  });
});

describe("UploadResult.remembered", () => {
  test("is false with once where the journal could note nothing", async () => {
    const disk = fullDisk(() => true);
    expect(await send(disk.journal, { once: true })).toMatchObject({ remembered: false });
    expect((await send(disk.journal)).remembered).toBeUndefined();
  });

  test("is true where the next call finds it, be it by its end or by its location", async () => {
    const journal = memoryJournal();
    expect(await send(journal, { once: true })).toMatchObject({ remembered: true, uploadedBefore: false });
    expect(await send(journal, { once: true })).toMatchObject({ remembered: true, uploadedBefore: true });
    const disk = fullBehindLocation();
    const { asset, remembered } = await send(disk.journal, { once: true, name: "other" });
    expect(remembered).toBe(true);
    expect((await send(disk.journal, { once: true, name: "other" })).asset.id).toBe(asset.id);
  });
});

describe("upload() by the method auto", () => {
  const used = async () => {
    const requests = await service.requests();
    return requests.filter(({ host }) => host === "upload").map(({ method }) => method);
  };

  test.each([
    ["a byte", 1, ["PUT"]],
    ["1 MiB", MiB, ["PUT"]],
    ["more", MiB + 1, ["POST", "PATCH"]],
  ])("sends %s in as few requests as are safe", async (_, size, methods) => {
    const { asset } = await upload(service.client(), videoFile(size));
    expect((await service.whole(asset.id)).sha256).toBe(contentHash(size));
    expect(await used()).toEqual(methods);
  });

  test("sends a small file resumably where there is no direct location", async () => {
    await service.set({ answerShape: { omit: ["url"] } });
    await upload(service.client(), videoFile(1000));
    expect(await used()).toEqual(["POST", "PATCH"]);
  });

  test("sends a small file resumably where the upload host is sent the account's authorization", async () => {
    const account = service.client({ uploadAuthorization: true });
    await upload(account, videoFile(1000));
    expect(await used()).toEqual(["POST", "PATCH"]);
  });

  test("sends a small stream resumably, which can't be read again", async () => {
    await upload(service.client(), contentStream(1000), { size: 1000, filename: "stream.webm" });
    expect(await used()).toEqual(["POST", "PATCH"]);
  });
});

import { describe, expect, test } from "vitest";
import type { UploadError } from "../../core/errors/errors.ts";
import { memoryJournal, upload } from "../../core/mod.ts";
import { useService } from "../service/use-service.ts";
import { caught } from "../support/caught.ts";
import { content, contentHash, MiB, videoFile } from "../support/content.ts";

const service = useService();

describe.each(["resumable", "direct"] as const)("upload() by the %s method", (method) => {
  test("brings every byte to the service", async () => {
    const file = videoFile(3 * MiB + 17);
    const journal = memoryJournal();
    const result = await upload(service.client(), file, { method, journal });
    expect(await journal.list()).toEqual([]);
    const stored = await service.whole(result.asset.id);
    expect(stored.sha256).toBe(contentHash(file.size));
    expect(result).toMatchObject({ size: file.size, sent: file.size, resent: 0, resumed: false });
    expect(result.task?.id).toBeTypeOf("string");
  });
});

describe("upload() by the method auto", () => {
  const used = async () => {
    const requests = await service.requests();
    return requests.filter(({ host }) => host === "upload").map(({ method }) => method);
  };

  test("begins a small file again after an interruption, as the same asset", async () => {
    await service.set({ answerStatus: [{ host: "upload", method: "PUT", status: 503, times: 2 }] });
    const { asset } = await upload(service.client(), videoFile(1000), {
      retry: { minDelay: 1, maxDelay: 10 },
    });
    expect((await service.whole(asset.id)).sha256).toBe(contentHash(1000));
    expect(await service.assets()).toHaveLength(1);
    expect(await used()).toEqual(["PUT", "PUT", "PUT"]);
  });

  test("resumes the same asset by the resumable method after a direct attempt", async () => {
    const account = service.client();
    await service.set({ answerStatus: [{ host: "upload", method: "PUT", status: 411 }] });
    const refused = (await upload(account, videoFile(1000)).catch((error: unknown) => error)) as UploadError;
    expect(refused.message).toContain('use method "resumable"');
    const { asset, resumed } = await upload(account, videoFile(1000), { method: "resumable" });
    expect({ resumed, id: asset.id }).toEqual({ resumed: true, id: refused.resume?.assetId });
    expect((await service.whole(asset.id)).sha256).toBe(contentHash(1000));
  });

  test.each([
    [404, "location-refused", false],
    [400, "rejected", false],
    [503, "interrupted", true],
  ])("says after %i whether the upload can be resumed", async (status, code, possible) => {
    await service.set({ answerStatus: [{ host: "upload", method: "PUT", status }] });
    const how = { method: "direct", retry: { attempts: 0 } } as const;
    const error = await caught(upload(service.client(), videoFile(1000), how));
    expect(error).toMatchObject({ code, resume: { possible } });
  });

  test("loses no asset where the upload host's headers can't be had", async () => {
    const fails = { ...service.client(), uploadHeaders: () => Promise.reject(new Error("signed out")) };
    await upload(fails, videoFile(1000)).catch(() => {});
    expect(await service.assets()).toEqual([]);
  });
});

describe.each(["resumable", "direct"] as const)("upload() by the %s method, interrupted", (method) => {
  const QUICK = { retry: { minDelay: 1, maxDelay: 10 }, timeout: { settle: 50 } };
  const verb = method === "direct" ? "PUT" : "PATCH";

  test("resumes the same asset after resets", async () => {
    await service.set({ resetAfter: [{ host: "upload", method: verb, bytes: MiB, times: 2 }] });
    const result = await upload(service.client(), videoFile(3 * MiB), { method, ...QUICK });
    expect((await service.whole(result.asset.id)).sha256).toBe(contentHash(3 * MiB));
    expect(await service.requests("POST", "request-upload")).toHaveLength(1);
    expect(result.sent).toBe(result.resent + 3 * MiB);
  });

  test("counts a lost last answer as success", async () => {
    await service.set({ dropAnswer: [{ host: "upload", method: verb, times: 1 }] });
    const { asset } = await upload(service.client(), videoFile(MiB), { method, ...QUICK });
    expect((await service.whole(asset.id)).sha256).toBe(contentHash(MiB));
    expect(await service.assets()).toHaveLength(1);
  });

  test("continues the same asset in another call after an abort", async () => {
    const account = service.client();
    const stop = new AbortController();
    await service.set({ stallAfter: [{ host: "upload", method: verb, bytes: MiB, times: 1 }] });
    const reason = new Error("the lid was closed");
    const first = expect(upload(account, videoFile(3 * MiB), { method, signal: stop.signal })).rejects.toBe(
      reason,
    );
    const arrived = async () => (await service.requests(verb))[0]?.bytesReceived;
    await expect.poll(arrived).toBeGreaterThanOrEqual(MiB);
    stop.abort(reason);
    await first;
    const result = await upload(account, videoFile(3 * MiB), { method, ...QUICK });
    expect(result.resumed).toBe(true);
    expect((await service.whole(result.asset.id)).sha256).toBe(contentHash(3 * MiB));
    expect(await service.assets()).toHaveLength(1);
  });
});

test("upload() rejects with what a requester of one's own throws, as it came", async () => {
  const own = new RangeError("nothing is left of this month's budget");
  const requestUpload = () => Promise.reject(own);
  await expect(upload({ scope: "own", requestUpload }, content(10))).rejects.toBe(own);
});

/** Hosts whose store has parts of another size, or forgets what it acknowledged: told from each other by their counts. */
import { describe, expect, test } from "vitest";
import { inOwnOptions } from "../../../core/cli/own-options.ts";
import { memoryJournal, type Requester, type UploadOptions, upload } from "../../../core/mod.ts";
import { useService } from "../../service/use-service.ts";
import { caught } from "../../support/caught.ts";
import { contentHash, MiB, videoFile } from "../../support/content.ts";
import { startForgetfulHost } from "../../support/hosts/forgetful-host.ts";
import { stopUpload } from "../../support/programs/stopped-upload.ts";

const QUICK: UploadOptions = {
  method: "resumable",
  retry: { attempts: 6, minDelay: 1, maxDelay: 20 },
  timeout: { settle: 20 },
};
const MISCOUNTED = {
  code: "offset-beyond-end",
  message: expect.stringMatching(/its store miscounts.* use method "direct"$/),
  resume: { possible: false },
};

describe("a store that keeps what is below its parts, and counts it not", () => {
  const service = useService({}, { store: "tus-s3-1" });

  test("is told at the first part of 8 MiB, and stores right what is uploaded after that", async () => {
    await service.set({ storePartSize: 5 * MiB });
    const client = service.client();
    const direct = await upload(client, videoFile(12 * MiB), { ...QUICK, method: "direct" });
    expect((await service.whole(direct.asset.id)).sha256).toBe(contentHash(12 * MiB));
    const error = await caught(upload(client, videoFile(12 * MiB), QUICK));
    expect(error).toMatchObject(MISCOUNTED);
    expect(inOwnOptions(error.message)).toMatch(/: use --method direct$/);
    for (const size of [8 * MiB, 12 * MiB]) {
      const { asset } = await upload(client, videoFile(size), { ...QUICK, resume: false });
      expect((await service.whole(asset.id)).sha256).toBe(contentHash(size));
    }
  });
});

describe("a store of parts of 8 MiB", () => {
  const service = useService({}, { store: "tus-s3-1" });

  test("goes on behind the first 5 MiB of a short video, which another call has sent", async () => {
    const client = service.client();
    const options = { ...QUICK, journal: memoryJournal() };
    await stopUpload(service, videoFile(8 * MiB), options, ({ acknowledged }) => acknowledged > 0, 0);
    const { asset, resumed } = await upload(client, videoFile(8 * MiB), options);
    expect(resumed).toBe(true);
    expect((await service.whole(asset.id)).sha256).toBe(contentHash(8 * MiB));
  });
});

describe("a host that counts less than it acknowledged", () => {
  const failure = async (requester: Requester, size: number, options: UploadOptions = {}) =>
    await caught(upload(requester, videoFile(size), { ...QUICK, ...options }));
  const CASES = [
    ["in the middle", 24 * MiB + 1],
    ["at the end", 9 * MiB],
    ["two bytes before the end", 8 * MiB + 1],
  ] as const;

  test.each(CASES)("and has forgotten the rest is sent it again, %s", async (_, size) => {
    const host = await startForgetfulHost({ forgets: 3 * MiB - 1, hides: false });
    await upload(host.requester, videoFile(size), QUICK);
    expect(host.stored()).toBe(contentHash(size));
  });

  test.each(CASES)("and puts the rest before what comes next is told to miscount, %s", async (_, size) => {
    const host = await startForgetfulHost({ forgets: 3 * MiB - 1, hides: true });
    expect(await failure(host.requester, size)).toMatchObject(MISCOUNTED);
  });

  test.each(CASES)("is told to miscount where its answer was lost, %s", async (_, size) => {
    const host = await startForgetfulHost({ forgets: 3 * MiB - 1, hides: true, losesAnswer: true });
    expect(await failure(host.requester, size)).toMatchObject(MISCOUNTED);
  });

  test.each(CASES)("is told to miscount by the call that resumes, %s", async (_, size) => {
    const host = await startForgetfulHost({ forgets: 3 * MiB - 1, hides: true, losesAnswer: true });
    const journal = memoryJournal();
    const first = await failure(host.requester, size, { journal, retry: { attempts: 0 } });
    expect(first).toMatchObject({ code: "interrupted" });
    expect(await failure(host.requester, size, { journal })).toMatchObject(MISCOUNTED);
  });
});

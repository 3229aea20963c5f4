/** What the faults have found, each as small as it can be. */
import { utimes } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openFile } from "../../core/file.ts";
import { createClient, memoryJournal, type Progress, upload } from "../../core/mod.ts";
import { caught } from "../support/caught.ts";
import { content, contentHash, contentStream, writeContent } from "../support/content.ts";
import { MiB, useLab, videoFolder } from "./lab.ts";
import { filling } from "./plan.ts";
import { faulty } from "./proxy.ts";

const QUICK = { retry: { minDelay: 10, maxDelay: 50 }, timeout: { settle: 50 }, filename: "video.mp4" };
const lab = useLab({ parts: true });

const client = () => createClient({ baseUrl: lab.baseUrl, token: lab.token });
const expectWhole = async (id: string, size: number) => {
  expect((await lab.service.whole(id)).sha256).toBe(contentHash(size));
  expect(await lab.service.assets()).toHaveLength(1);
};

test("a stream of unknown length announces its length once, also when its last part is cut", async () => {
  const size = 12 * MiB;
  lab.upload.choose = faulty("PATCH", { kind: "reset", after: 2 * MiB }, { skip: 1, times: 2 });
  const { asset } = await upload(client(), contentStream(size), QUICK);
  await expectWhole(asset.id, size);
});

test("a page in place of the answer to a direct upload is no success", async () => {
  const page = { contentType: "text/html; charset=utf-8", body: "<!doctype html><title>Sign in</title>" };
  await lab.service.set({
    answerStatus: [{ host: "upload", method: "PUT", status: 200, times: 2, ...page }],
  });
  const video = new File([content(2 * MiB)], "video.mp4", { lastModified: 1 });
  const { asset } = await upload(client(), video, { ...QUICK, method: "direct" });
  await expectWhole(asset.id, 2 * MiB);
});

test.each(["resumable", "direct"] as const)(
  "a %s upload whose journal is full from its first write on comes whole, and says that it can't be continued",
  async (method) => {
    const video = new File([content(MiB)], "video.mp4", { lastModified: 1 });
    const told = new Set<boolean>();
    const onProgress = ({ resumable }: Progress) => void told.add(resumable);
    const options = { ...QUICK, method, onProgress };
    const { asset } = await upload(client(), video, { ...options, journal: filling(memoryJournal(), 0) });
    await expectWhole(asset.id, MiB);
    expect([...told]).toEqual([false]);
    const { asset: other } = await upload(client(), video, { ...options, journal: memoryJournal() });
    expect(other.id).not.toBe(asset.id);
    expect([...told]).toEqual([false, true]);
  },
);

test("upload() says that it cannot be resumed where the journal could not store it", async () => {
  const video = new File([content(20 * MiB)], "video.mp4", { lastModified: 1 });
  lab.upload.choose = faulty("PATCH", { kind: "reset", after: 5 * MiB }, { times: 99 });
  const options = { ...QUICK, retry: { attempts: 2, minDelay: 1 } };
  const error = await caught(upload(client(), video, { ...options, journal: filling(memoryJournal(), 0) }));
  const [stored] = await lab.service.assets();
  expect(error).toMatchObject({
    code: "interrupted",
    resume: { assetId: stored?.asset.id, possible: false },
  });
});

test("a journal without room is told before anything is asked of the service", async () => {
  const video = new File([content(MiB)], "video.mp4", { lastModified: 1 });
  const reserve = () => Promise.reject(Object.assign(new Error("full"), { code: "ENOSPC" }));
  const error = await caught(upload(client(), video, { ...QUICK, journal: { ...memoryJournal(), reserve } }));
  expect(error).toMatchObject({ code: "journal-failed", retryable: true, resume: undefined });
  expect(error.message).toBe("Cannot make room in the journal: ENOSPC");
  expect(await lab.service.requests("POST", "request-upload")).toEqual([]);
});

test("a direct upload that the store has taken is whole, also if the journal is full", async () => {
  const video = new File([content(MiB)], "video.mp4", { lastModified: 1 });
  const options = { ...QUICK, method: "direct", journal: filling(memoryJournal(), 1) } as const;
  const { asset } = await upload(client(), video, options);
  await expectWhole(asset.id, MiB);
});

test("a file that changed during its last bytes is told together with the asset it went to", async () => {
  const folder = await videoFolder();
  const path = join(folder.path, "video.mp4");
  await writeContent(path, 8 * MiB);
  const touched: Promise<void>[] = [];
  const call = upload(client(), await openFile(path), {
    onProgress({ state }) {
      if (state === "finishing" && touched.length === 0) touched.push(utimes(path, 1, 1));
    },
  });
  const error = await caught(call);
  const [stored] = await lab.service.assets();
  expect(error).toMatchObject({
    code: "source-changed",
    resume: { assetId: stored?.asset.id, possible: false },
  });
  await folder.remove();
});

/** A pause at any moment: the call is aborted, and the next one resumes the same asset. */
import { describe, expect, test } from "vitest";
import { fileJournal } from "../../../core/file.ts";
import type { Lease } from "../../../core/journal/journal.ts";
import { openSlot } from "../../../core/journal/slot.ts";
import {
  discard,
  type Journal,
  memoryJournal,
  type Requester,
  type UploadOptions,
  upload,
  uploadAll,
} from "../../../core/mod.ts";
import { useService } from "../../service/use-service.ts";
import { caught } from "../../support/caught.ts";
import { content, MiB } from "../../support/content.ts";
import { expectOneAssetEach } from "../../support/core/pause-outcome.ts";
import { MOMENTS, pauseAtMoments } from "../../support/core/pauses.ts";
import { isAll } from "../../support/in-all.ts";
import { stopUpload } from "../../support/programs/stopped-upload.ts";
import { useFolder } from "../../support/use-folder.ts";

const service = useService();
const folder = useFolder("pause");
const SIZE = 2 * MiB + 1;
const video = () => new File([content(SIZE)], "a.mp4", { type: "video/mp4", lastModified: 1 });

const JOURNALS: Record<string, () => () => Journal> = {
  memory() {
    const journal = memoryJournal();
    return () => journal;
  },
  folder() {
    const path = `${folder.path}/${crypto.randomUUID()}`;
    // Opened anew by each call, as scripts and pages do.
    return () => fileJournal(path);
  },
  "a folder, with a method of the caller's own"() {
    const path = `${folder.path}/${crypto.randomUUID()}`;
    return () => ({ ...fileJournal(path), list: async () => [] });
  },
};

/** Aborts a call as soon as the service has been asked for a location. */
async function pauseWhileAsking(journal: Journal, options: UploadOptions = {}): Promise<unknown> {
  const stop = new AbortController();
  const asked = async () => (await service.requests("POST", "request-upload")).length;
  const before = await asked();
  const uploading = caught(upload(service.client(), video(), { ...options, journal, signal: stop.signal }));
  await expect.poll(asked).toBe(before + 1);
  stop.abort(new Error("paused"));
  return await uploading;
}

describe.each(Object.entries(JOURNALS))("a journal in %s", (_, prepare) => {
  test("a pause while the location is asked for loses no asset: the next call resumes it", async () => {
    const open = prepare();
    await service.set({ latency: 400 });
    expect(await pauseWhileAsking(open())).toMatchObject({ message: "paused" });
    const next = upload(service.client(), video(), { journal: open() });
    await service.set({ latency: 0 });
    expect(await next).toMatchObject({ resumed: true });
    expect(await service.assets()).toHaveLength(1);
  });

  test("a call in the tick of an abort makes one asset and resumes it, at each moment", async () => {
    await service.set({ throttle: MiB });
    // All of them take as long as the last one.
    const moments = isAll ? MOMENTS : MOMENTS.filter((after) => after <= 50);
    if (!isAll) await service.set({ throttle: 16 * MiB });
    await expectOneAssetEach(service, await pauseAtMoments(moments, prepare(), service.client));
  });

  test("what came of a request after the pause is told by the next call", async () => {
    const open = prepare();
    await service.set({ latency: 200, dropAnswer: [{ host: "api", method: "POST", times: 1 }] });
    await pauseWhileAsking(open());
    await service.set({ latency: 0 });
    const error = await caught(upload(service.client(), video(), { journal: open() }));
    expect(error).toMatchObject({ code: "asset-unknown" });
  });

  test("what came of a request that started over is told before the earlier upload is resumed", async () => {
    const open = prepare();
    await stopUpload(service, video(), { journal: open() }, ({ sent }) => sent > MiB / 2);
    await service.set({ latency: 200, dropAnswer: [{ host: "api", method: "POST", times: 1 }] });
    await pauseWhileAsking(open(), { resume: false });
    await service.set({ latency: 0 });
    const next = () => upload(service.client(), video(), { journal: open() });
    expect(await caught(next())).toMatchObject({ code: "asset-unknown" });
    expect(await next()).toMatchObject({ resumed: true });
  });

  test("a request that was refused after the pause leaves nothing to look for", async () => {
    const open = prepare();
    const refusal = { host: "api", method: "POST", status: 422, times: 1 } as const;
    await service.set({ latency: 200, answerStatus: [refusal] });
    await pauseWhileAsking(open());
    await service.set({ latency: 0 });
    expect(await upload(service.client(), video(), { journal: open() })).toMatchObject({ resumed: false });
    expect(await service.assets()).toHaveLength(1);
  });

  test("discard() right after the pause ends what was asked for", async () => {
    const open = prepare();
    await service.set({ latency: 300 });
    await pauseWhileAsking(open());
    const { assets } = await discard(service.client(), video(), { journal: open() });
    expect(assets).toHaveLength(1);
  });

  test("uploadAll() resumes the same assets after such a pause", async () => {
    const open = prepare();
    await service.set({ latency: 300 });
    const sources = [1, 2].map(
      (seed) => new File([content(SIZE, seed)], `${seed}.mp4`, { type: "video/mp4", lastModified: 1 }),
    );
    const stop = new AbortController();
    const all = async (signal?: AbortSignal) => {
      const options = { journal: open(), once: true, signal };
      for await (const { error } of uploadAll(service.client(), sources, options))
        expect(error).toBeUndefined();
    };
    const paused = caught(all(stop.signal));
    await expect.poll(async () => (await service.requests("POST", "request-upload")).length).toBe(2);
    stop.abort(new Error("paused"));
    await paused;
    await service.set({ latency: 0 });
    await all();
    expect(await service.assets()).toHaveLength(2);
  });
});

test("a call that is aborted before it asks for a location asks for none", async () => {
  const stop = new AbortController();
  const asked: string[] = [];
  let give = () => {};
  const requester: Requester = {
    scope: "studio",
    uploadHeaders: () => new Promise((resolve) => (give = () => resolve({}))),
    requestUpload: async () => asked.push("location") as never,
  };
  const call = caught(upload(requester, video(), { journal: memoryJournal(), signal: stop.signal }));
  await expect.poll(() => `${give}`).toContain("resolve");
  stop.abort(new Error("paused"));
  expect(await call).toMatchObject({ message: "paused" });
  give();
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(asked).toEqual([]);
});

test("a slot that is given back while its lease is taken is none", async () => {
  const stop = new AbortController();
  let isEnded = false;
  let take = () => {};
  const lease = async () => {
    isEnded = true;
  };
  const claim = () => new Promise<Lease>((resolve) => (take = () => resolve(lease)));
  const held = { giveBack: async () => {} };
  const address = { key: "0f".repeat(32), account: "cc".repeat(8), context: "aa".repeat(32) };
  const opening = caught(openSlot({ ...memoryJournal(), claim }, address, { held, signal: stop.signal }));
  await new Promise((resolve) => setTimeout(resolve, 0));
  stop.abort(new Error("paused"));
  const back = held.giveBack();
  take();
  await back;
  expect(await opening).toMatchObject({ message: "paused" });
  expect(isEnded).toBe(true);
});

test("a pause in one journal delays no answer of another", { timeout: 30_000 }, async () => {
  const stop = new AbortController();
  const unanswered: Requester = {
    ...service.client(),
    requestUpload() {
      setImmediate(() => stop.abort(new Error("paused")));
      return new Promise(() => {});
    },
  };
  const paused = upload(unanswered, video(), { journal: memoryJournal(), signal: stop.signal });
  expect(await caught(paused)).toMatchObject({ message: "paused" });
  const taken: Journal = { ...memoryJournal(), claim: async () => undefined };
  expect(await caught(upload(service.client(), video(), { journal: taken }))).toMatchObject({
    code: "in-progress",
  });
});

/** Uploads with `once`: what gives the earlier result, what makes another asset, and what happens when two meet. */
import { afterEach, describe, expect, test, vi } from "vitest";
import type { UploadAllProgress } from "../../../core/many/options.ts";
import {
  discard,
  type Journal,
  memoryJournal,
  type Requester,
  type Uploadable,
  type UploadOptions,
  upload,
  uploadAll,
} from "../../../core/mod.ts";
import { useService } from "../../service/use-service.ts";
import { caught } from "../../support/caught.ts";
import { content, contentStream, MiB } from "../../support/content.ts";
import { serveVideo } from "../../support/hosts/video-server.ts";
import { stopUpload } from "../../support/programs/stopped-upload.ts";

const SIZE = 2 * MiB + 17;
const service = useService();
const video = (name = "video.mp4", seed = 1, lastModified = 1) =>
  new File([content(SIZE, seed)], name, { type: "video/mp4", lastModified });
let journal = memoryJournal();
afterEach(() => {
  journal = memoryJournal();
});
const send = (source: Uploadable = video(), options: UploadOptions = {}) =>
  upload(service.client(), source, { journal, once: true, ...options });
const assetOf = async (source?: Uploadable, options?: UploadOptions) =>
  (await send(source, options)).asset.id;

describe("upload() with once", () => {
  test("gives the earlier result, whatever the file is called", async () => {
    const first = await send();
    const before = { sent: 0, resent: 0, resumed: false, uploadedBefore: true, duration: expect.any(Number) };
    expect(first.uploadedBefore).toBe(false);
    const states: string[] = [];
    const second = await send(video("renamed.mp4"), { onProgress: ({ state }) => states.push(state) });
    expect(second).toEqual({ ...first, ...before });
    expect(states.at(-1)).toBe("done");
    expect(await send(video(), { method: "direct" })).toEqual({ ...first, ...before });
    expect(await service.assets()).toHaveLength(1);
    expect(await service.requests("POST", "request-upload")).toHaveLength(1);
    expect(await journal.list()).toEqual([]);
  });

  test("gives the result of a direct upload to a call that would send resumably", async () => {
    const first = await assetOf(video(), { method: "direct" });
    expect(await send()).toMatchObject({ asset: { id: first }, uploadedBefore: true });
  });

  test.each<[string, () => Promise<unknown>]>([
    ["other content", () => send(video("video.mp4", 2))],
    ["another date", () => send(video("video.mp4", 1, 2))],
    ["another request", () => send(video(), { staticMp4: true })],
    ["a name that is given", () => send(video(), { name: "Launch" })],
    [
      "another account",
      () => upload(service.client({ token: service.otherToken }), video(), { journal, once: true }),
    ],
    ["resume: false", () => send(video(), { resume: false })],
    ["a call without once", () => send(video(), { once: false })],
    ["another journal", () => send(video(), { journal: memoryJournal() })],
  ])("makes another asset of %s", async (_, again) => {
    const first = await send();
    const other = (await again()) as typeof first;
    expect(other).toMatchObject({ uploadedBefore: false });
    expect(other.asset.id).not.toBe(first.asset.id);
  });

  test("gives the newest result after it was started over", async () => {
    await send();
    const second = await assetOf(video(), { resume: false });
    expect(await assetOf()).toBe(second);
  });

  test.each([
    ["Blobs", (bytes: Uint8Array<ArrayBuffer>) => new Blob([bytes])],
    ["bytes", (bytes: Uint8Array<ArrayBuffer>) => bytes],
  ])("tells %s apart that agree in size and samples", async (_, open) => {
    const options = { type: "video/mp4" };
    const [one, other] = [content(SIZE), content(SIZE)];
    other[500_000] = (other[500_000] ?? 0) ^ 1;
    const ids = [await assetOf(open(one), options), await assetOf(open(other), options)];
    expect(new Set(ids).size).toBe(2);
    expect(await assetOf(open(content(SIZE)), options)).toBe(ids[0]);
    expect(await assetOf(open(other), options)).toBe(ids[1]);
  });

  test("makes one asset of two that begin at the same time", async () => {
    const both = await Promise.all([send(), send(video("other.mp4"))]);
    expect(both.map(({ uploadedBefore }) => uploadedBefore).sort()).toEqual([false, true]);
    expect(await service.assets()).toHaveLength(1);
  });

  test("uploads what another call had begun and left, once that has ended", async () => {
    await service.set({ throttle: 1 });
    const stop = new AbortController();
    const first = caught(send(video(), { signal: stop.signal }));
    await service.until(async () => (await service.uploads()).length === 1);
    const second = send();
    stop.abort();
    await first;
    await service.set({ throttle: 0 });
    expect(await second).toMatchObject({ resumed: true, uploadedBefore: false });
    expect(await service.assets()).toHaveLength(1);
  });

  test("waits no longer when its signal is aborted", async () => {
    await service.set({ throttle: 1 });
    const [first, second] = [new AbortController(), new AbortController()];
    const running = caught(send(video(), { signal: first.signal }));
    await service.until(async () => (await service.uploads()).length === 1);
    const waiting = caught(send(video(), { signal: second.signal }));
    second.abort();
    expect((await waiting).name).toBe("AbortError");
    first.abort();
    await running;
  });

  test("keeps an upload that can't be noted, so that the next call gives the same asset", async () => {
    const full: Journal = {
      ...journal,
      async set(key, entry) {
        if (key.endsWith(".done")) throw Object.assign(new Error("full"), { code: "ENOSPC" });
        await journal.set(key, entry);
      },
    };
    const first = await assetOf(video(), { journal: full });
    expect(await journal.list()).toMatchObject([{ assetId: first }]);
    expect(await send()).toMatchObject({ asset: { id: first }, resumed: true });
    expect(await send()).toMatchObject({ asset: { id: first }, uploadedBefore: true });
    expect(await journal.list()).toEqual([]);
  });

  test("gives the result of a call that ended before the journal forgot its upload", async () => {
    const lingering: Journal = {
      ...journal,
      delete: () => Promise.reject(new Error("the process ended here")),
    };
    const first = await assetOf(video(), { journal: lingering });
    expect(await journal.list()).toHaveLength(1);
    expect(await send()).toMatchObject({ asset: { id: first }, uploadedBefore: true });
    expect(await journal.list()).toEqual([]);
  });

  test("resumes what was started over, before it gives the earlier result", async () => {
    const large = new File([content(20 * MiB)], "large.mp4", { type: "video/mp4", lastModified: 1 });
    const first = await assetOf(large);
    const options = { journal, once: true, resume: false };
    await stopUpload(service, large, options, ({ acknowledged }) => acknowledged > 0);
    const second = await send(large);
    expect(second.resumed).toBe(true);
    expect(second.asset.id).not.toBe(first);
    expect(await assetOf(large)).toBe(second.asset.id);
  });

  test("refuses a journal's record that it can't read, and starts over with resume: false", async () => {
    await send();
    const damaged: Journal = {
      ...journal,
      get: async (key) => (key.endsWith(".done") ? ({ version: 2 } as never) : await journal.get(key)),
    };
    expect(await caught(send(video(), { journal: damaged }))).toMatchObject({ code: "journal-failed" });
    expect(await service.assets()).toHaveLength(1);
    expect(await send(video(), { journal: damaged, resume: false })).toMatchObject({ uploadedBefore: false });
  });

  test("sends a small file resumably, since a direct upload can't be asked how far it came", async () => {
    await send(new File([content(1000)], "small.mp4", { type: "video/mp4", lastModified: 1 }));
    expect(await service.requests("PUT")).toEqual([]);
  });

  test("refuses a stream before anything is asked", async () => {
    const error = await caught(send(contentStream(1000), { size: 1000, filename: "stream.webm" }));
    expect(error).toMatchObject({
      code: "invalid-option",
      message: expect.stringContaining("a stream can't be told from another one"),
    });
    expect(await service.requests()).toEqual([]);
  });

  test.each([
    ["by each call", "neither version nor length", { version: null, length: false }, 2],
    ["once", "no version but a length", { version: null, length: true }, 1],
    ["once", "a version", {}, 1],
  ])("uploads %s an address with %s", async (_, __, how, assets) => {
    const server = await serveVideo(SIZE, { ranges: false, ...how });
    const address = new URL(server.url);
    // One call follows the other within a moment of the clock.
    vi.useFakeTimers({ toFake: ["Date"] });
    await send(address);
    await send(address);
    vi.useRealTimers();
    await server.close();
    expect(await service.assets()).toHaveLength(assets);
  });
});

test.each([true, false])(
  "uploadAll() with once makes one asset of a source named twice, with resume %s",
  async (resume) => {
    await send();
    const options = { journal, once: true, resume, concurrency: 2 };
    const found: boolean[] = [];
    for await (const { result } of uploadAll(
      service.client(),
      [video(), video("again.mp4"), video()],
      options,
    ))
      found.push(result?.uploadedBefore ?? false);
    expect(found.filter((before) => !before)).toHaveLength(resume ? 0 : 1);
    expect(await service.assets()).toHaveLength(resume ? 1 : 2);
  },
);

test("uploadAll() with once goes on with its list while another call has a source, which comes last", async () => {
  let free = () => {};
  const held = new Promise<void>((resolve) => {
    free = resolve;
  });
  const slow: Requester = {
    ...service.client(),
    async requestUpload(...asked) {
      begun();
      await held;
      return await service.client().requestUpload(...asked);
    },
  };
  let begun = () => {};
  const isBegun = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const other = upload(slow, video(), { journal, once: true });
  await isBegun;
  const options = { journal, once: true, concurrency: 1 };
  const list = [video(), video("b.mp4", 2), video("c.mp4", 3)];
  const outcomes: [number, boolean | undefined][] = [];
  const counts: (number | undefined)[][] = [];
  const onProgress = ({ sources, started, uploaded }: UploadAllProgress) =>
    void counts.push([sources, started, uploaded]);
  for await (const { index, result } of uploadAll(service.client(), list, { ...options, onProgress })) {
    outcomes.push([index, result?.uploadedBefore]);
    if (index === 2) free();
  }
  expect(outcomes).toEqual([
    [1, false],
    [2, false],
    [0, true],
  ]);
  expect(counts.at(-1)).toEqual([3, 3, 3]);
  await other;
  expect(await service.assets()).toHaveLength(3);
});

test("discard() of finished uploads takes an account's finished uploads of a source out of the journal", async () => {
  const account = service.client();
  const ids = [await assetOf(), await assetOf(video(), { staticMp4: true })];
  const theirs = (
    await upload(service.client({ token: service.otherToken }), video(), { journal, once: true })
  ).asset.id;
  const { assets } = await discard(account, video("renamed.mp4"), { journal, which: "finished" });
  expect(assets.map(({ id }) => id).sort()).toEqual(ids.sort());
  expect(await discard(account, video(), { journal, which: "finished" })).toEqual({ assets: [], ended: 0 });
  expect(ids).not.toContain(await assetOf());
  const again = await upload(service.client({ token: service.otherToken }), video(), { journal, once: true });
  expect(again.asset.id).toBe(theirs);
});

/** Pieces that come late, cut, or not at all, while the video is uploaded. */
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { openHls } from "../../core/hls/mod.ts";
import { fetchingOf } from "../../core/hls/options.ts";
import { pieceLoader } from "../../core/hls/pieces.ts";
import { createClient, memoryJournal, upload } from "../../core/mod.ts";
import type { ReadableSource } from "../../core/source/source.ts";
import { caught } from "../caught.ts";
import type { Habit } from "../hls-server.ts";
import { serveLong } from "../long-hls.ts";
import { useService } from "../service/use-service.ts";
import { useHls } from "../use-hls.ts";

const MiB = 1024 * 1024;
const service = useService();
const hls = useHls();

const client = () => createClient({ baseUrl: service.baseUrl, token: service.token });
const at = (path: string) => new URL(path, hls.origin);
const requestsOf = (path: string) => hls.requests.filter((request) => request.startsWith(path)).length;

/** What the service has stored of a video that nothing disturbs. */
async function undisturbed(path: string): Promise<string> {
  const { asset } = await upload(client(), await openHls(at(path)), { journal: memoryJournal() });
  return String((await service.whole(asset.id)).sha256);
}

const TS = "/ts/index.m3u8";
const PIECE = "/ts/1.ts";

describe("a piece is fetched again, and the video arrives as if nothing had been", () => {
  test.each<[string, Habit]>([
    ["answers 503", { status: 503, times: 2 }],
    ["answers 500", { status: 500, times: 1 }],
    ["answers 429", { status: 429, times: 1 }],
    ["breaks off", { cutAfter: 1000, times: 2 }],
    ["breaks off at once", { cutAfter: 0, times: 1 }],
    ["ends early without having told a length", { endAfter: 10_000, times: 1 }],
    ["falls silent", { silentAfter: 1000, times: 1 }],
    ["comes slowly", { drip: 1000 }],
  ])("where it %s", async (_, habit) => {
    const expected = await undisturbed(TS);
    for (const piece of [PIECE, "/ts/0.ts"]) {
      hls.requests.length = 0;
      hls.habits.set(piece, { ...habit });
      const { asset } = await upload(client(), await openHls(at(TS), { stall: 300 }), {
        journal: memoryJournal(),
      });
      expect((await service.whole(asset.id)).sha256).toBe(expected);
      expect(requestsOf(piece)).toBe(1 + (habit.times ?? 0));
      expect(requestsOf("/ts/2.ts")).toBe(1);
    }
  });

  test("where a key, an init or a playlist does", async () => {
    for (const [path, shared] of [
      ["/aes/index.m3u8", "/aes/two.key"],
      ["/fmp4/index.m3u8", "/fmp4/init.mp4"],
      [TS, TS],
    ] as const) {
      const expected = await undisturbed(path);
      hls.habits.set(shared, { status: 503, times: 1 });
      expect(await undisturbed(path)).toBe(expected);
    }
  });

  test("no sooner than its server wants, and no other piece meanwhile", async () => {
    hls.habits.set(PIECE, { status: 429, headers: { "retry-after": "2" }, times: 1 });
    await undisturbed(TS);
    const first = hls.requests.indexOf(PIECE);
    const again = hls.requests.lastIndexOf(PIECE);
    expect(again).toBeGreaterThan(first);
    // As the server's clock has it, of which a timer may fall short by a little.
    expect((hls.times[again] ?? 0) - (hls.times[first] ?? 0)).toBeGreaterThan(1_950);
  });
});

describe("a piece that doesn't come ends the upload, which another call resumes", () => {
  test.each([
    [404, "source-refused"],
    [403, "source-refused"],
    [410, "source-refused"],
    [400, "source-unreadable"],
  ])("answer %i", async (status, code) => {
    serveLong(hls, { pieces: 12, size: 2 * MiB });
    const expected = await undisturbed("/long/index.m3u8");
    hls.requests.length = 0;
    hls.habits.set("/long/9.m4s", { status });
    const journal = memoryJournal();
    const error = await caught(upload(client(), await openHls(at("/long/index.m3u8")), { journal }));
    expect(error).toMatchObject({
      name: "UploadError",
      code,
      httpStatus: status,
      resume: { possible: true },
    });
    expect(requestsOf("/long/9.m4s")).toBe(1);
    hls.habits.clear();
    const { asset } = await upload(client(), await openHls(at("/long/index.m3u8")), { journal });
    expect((await service.whole(asset.id)).sha256).toBe(expected);
  });

  test("a Retry-After of over ten minutes is no time to wait", async () => {
    hls.habits.set(PIECE, { status: 503, headers: { "retry-after": "3600" } });
    const error = await caught(upload(client(), await openHls(at(TS))));
    expect(error).toMatchObject({ code: "source-unreadable", retryable: true, retryAfter: 3_600_000 });
  });

  test("a piece of another format", async () => {
    hls.files.set(PIECE, hls.files.get("/audio/0.m4s") as Uint8Array);
    const error = await caught(upload(client(), await openHls(at(TS))));
    expect(error).toMatchObject({ name: "UploadError", code: "source-unreadable" });
    expect(error.message).toContain("piece 2 of 3");
  });
});

test("an abort ends every request within a moment, and the same source resumes", async () => {
  serveLong(hls, { pieces: 12, size: 2 * MiB });
  const expected = await undisturbed("/long/index.m3u8");
  hls.requests.length = 0;
  for (const piece of [8, 9, 10]) hls.habits.set(`/long/${piece}.m4s`, { silentAfter: 1000, times: 1 });
  const stopper = new AbortController();
  const journal = memoryJournal();
  const source = await openHls(at("/long/index.m3u8"));
  const uploading = caught(upload(client(), source, { journal, signal: stopper.signal }));
  await expect.poll(() => requestsOf("/long/10.m4s")).toBe(1);
  const reason = new Error("enough");
  stopper.abort(reason);
  expect(await uploading).toBe(reason);
  await expect.poll(() => hls.running).toBe(0);
  const { asset } = await upload(client(), source, { journal });
  expect((await service.whole(asset.id)).sha256).toBe(expected);
});

test("pieces are fetched while others are uploaded, at most three at a time", async () => {
  serveLong(hls, { pieces: 40, size: 1 * MiB });
  for (let piece = 0; piece < 40; piece++) hls.habits.set(`/long/${piece}.m4s`, { wait: 30 });
  const source = await openHls(at("/long/index.m3u8"));
  const fetched: number[] = [];
  await upload(client(), source, {
    onProgress({ acknowledged }) {
      if (fetched.length < 1 && acknowledged > 0) fetched.push(hls.requests.length);
    },
  });
  expect(hls.mostAtOnce).toBeLessThanOrEqual(3);
  expect(hls.mostAtOnce).toBeGreaterThan(1);
  // When the first part had arrived, more than that and less than all of it had been asked for.
  expect(fetched[0]).toBeGreaterThan(9);
  expect(fetched[0]).toBeLessThan(40);
});

test("what pieces share is fetched again where whoever asked for it first wants it no more", async () => {
  const href = at("/fmp4/init.mp4").href;
  const load = pieceLoader(fetchingOf(at("/"), {}, new AbortController().signal));
  const init = { href, range: undefined, key: undefined };
  hls.habits.set("/fmp4/init.mp4", { silentAfter: 10, times: 1 });
  const stopper = new AbortController();
  const first = caught(load.init(init, stopper.signal));
  await expect.poll(() => hls.requests.length).toBe(1);
  stopper.abort(new Error("closed"));
  const second = load.init(init, new AbortController().signal);
  expect((await first).message).toBe("closed");
  expect((await second).length).toBe((hls.files.get("/fmp4/init.mp4") as Uint8Array).length);
});

test("a source whose bytes are not wanted any more asks for none", async () => {
  serveLong(hls, { pieces: 12, size: 2 * MiB });
  const source = (await openHls(at("/long/index.m3u8"))) as ReadableSource;
  await source.slice(0, 8 * MiB);
  await source.close();
  // Those that were on their way to the server.
  await delay(300);
  await expect.poll(() => hls.running).toBe(0);
  const asked = hls.requests.length;
  expect(asked).toBeLessThan(12);
  await delay(300);
  expect(hls.requests.length).toBe(asked);
});

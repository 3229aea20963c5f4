/** Pieces that come late, cut, or not at all: one that lacks samples is never taken for a whole one. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { fetchBytes } from "../../../core/hls/fetch-bytes.ts";
import { openHls } from "../../../core/hls/mod.ts";
import { fetchingOf, type HlsOptions } from "../../../core/hls/options.ts";
import { pieceLoader } from "../../../core/hls/pieces.ts";
import type { Fetch } from "../../../core/http/fetch.ts";
import { memoryJournal, upload } from "../../../core/mod.ts";
import { useService } from "../../service/use-service.ts";
import { caught } from "../../support/caught.ts";
import { MiB } from "../../support/content.ts";
import { bytesOf, expectOriginal, hashOf, readTracks } from "../../support/hls/hls-original.ts";
import { type Habit, mediaPlaylist, pieceLines, sample } from "../../support/hls/hls-server.ts";
import { serveLong } from "../../support/hls/long-hls.ts";
import { useHls } from "../../support/hls/use-hls.ts";

const TS = "/ts/index.m3u8";
const PIECE = "/ts/1.ts";
const LONG = "/long/index.m3u8";
const service = useService();
const hls = useHls();
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const at = (path: string) => new URL(path, hls.origin);
const requestsOf = (path: string) => hls.requests.filter((request) => request.startsWith(path)).length;
const hashAt = async (path: string, options: HlsOptions = {}) =>
  await hashOf(await openHls(at(path), options));
const bytesAt = async (path: string) => await bytesOf(await openHls(at(path)));

describe("it is fetched again, and the video is the same", () => {
  test.each<[string, string, path: string, Habit & { times: number }]>([
    ["a piece answers 503 twice", PIECE, TS, { status: 503, times: 2 }],
    ["the first piece answers 500", "/ts/0.ts", TS, { status: 500, times: 1 }],
    ["a piece answers 429", PIECE, TS, { status: 429, times: 1 }],
    ["a piece breaks off", PIECE, TS, { cutAfter: 1000, times: 2 }],
    ["a piece ends early without a length", PIECE, TS, { endAfter: 10_000, times: 1 }],
    ["a piece ends between two packets without a length", PIECE, TS, { endAfter: 100 * 188, times: 1 }],
    ["a key answers 503", "/aes/two.key", "/aes/index.m3u8", { status: 503, times: 1 }],
    ["an init answers 503", "/fmp4/init.mp4", "/fmp4/index.m3u8", { status: 503, times: 1 }],
    ["a playlist answers 503", TS, TS, { status: 503, times: 1 }],
  ])("where %s", async (_, broken, path, habit) => {
    const expected = await hashAt(path);
    hls.requests.length = 0;
    hls.habits.set(broken, { ...habit });
    expect(await hashAt(path)).toBe(expected);
    expect(requestsOf(broken)).toBe(1 + habit.times);
    expect(requestsOf("/ts/2.ts")).toBe(path === TS ? 1 : 0);
  });

  test("where a piece falls silent", async () => {
    const expected = await hashAt(TS);
    hls.requests.length = 0;
    hls.habits.set(PIECE, { silentAfter: 1000, times: 1 });
    expect(await hashAt(TS, { timeout: 300 })).toBe(expected);
    expect(requestsOf(PIECE)).toBeGreaterThan(1);
  });
});

const whole = sample("ts-1.mpegts");
const [packets60, packets90] = [whole.subarray(0, 60 * 188), whole.subarray(90 * 188)];

describe.each([
  ["in its middle", Buffer.concat([packets60, packets90]), "piece 2 of 3: packets of it are missing"],
  ["at its beginning", packets90, "piece 2 of 3: packets between it and the one before are missing"],
  [
    "at its end",
    whole.subarray(0, -9 * 188),
    "piece 3 of 3: packets between it and the one before are missing",
  ],
])("a piece of which packets are missing %s", (_, broken, words) => {
  test("is fetched again", async () => {
    const expected = await hashAt(TS);
    let times = 0;
    hls.files.set(PIECE, () => (++times === 1 ? broken : whole));
    expect(await hashAt(TS)).toBe(expected);
    expect(times).toBe(2);
  });

  test("is refused where they stay away", async () => {
    hls.files.set(PIECE, broken);
    const error = await caught(hashAt(TS));
    expect(error).toMatchObject({ code: "source-unreadable" });
    expect(error.message).toContain(words);
    expect(requestsOf(PIECE)).toBe(2);
  });
});

test("a piece that no playlist names any more is no reason to refuse the others", async () => {
  const last = sample("ts-2.mpegts");
  const half = 80 * 188;
  hls.files.set("/ts/2a.ts", last.subarray(0, half));
  hls.files.set("/ts/2b.ts", last.subarray(half));
  const lines = [...pieceLines(["0.ts"]), ...pieceLines(["2a.ts", "2b.ts"], 1)];
  hls.files.set("/ts/without.m3u8", mediaPlaylist(lines));
  const [pictures] = await readTracks(await bytesAt("/ts/without.m3u8"));
  expect(pictures?.packets).toHaveLength(120);
});

describe("a piece that plays much shorter than its playlist says, though all that comes of it is whole,", () => {
  const PACKETS = 90 * 188;
  /** The last piece plays as long as two; its first half has boxes that are whole. */
  const both = Buffer.concat([sample("fmp4-1.m4s"), sample("fmp4-2.m4s")]);
  const long = ['#EXT-X-MAP:URI="init.mp4"', ...pieceLines(["0.m4s"]), ...pieceLines(["both.m4s"], 4)];
  const half = sample("fmp4-1.m4s").length;
  beforeEach(() => {
    hls.files.set("/fmp4/both.m4s", both);
    hls.files.set("/fmp4/long.m3u8", mediaPlaylist(long));
  });

  /** Takes a video whose last piece is shorter by about a second or more, which is told. */
  async function expectShort(path: string): Promise<void> {
    const told: number[] = [];
    const onLeftOut: HlsOptions["onLeftOut"] = (leftOut) => told.push(leftOut.seconds);
    const [pictures] = await readTracks(await bytesOf(await openHls(at(path), { onLeftOut })));
    expect(told).toHaveLength(1);
    expect((pictures?.end ?? 0) + (told[0] ?? 0)).toBeGreaterThan(5.5);
    expect(told[0]).toBeGreaterThan(0.8);
  }

  describe.each([
    ["of MPEG-TS", TS, PIECE, PACKETS, "piece 2 of 3: it plays "],
    ["of MPEG-TS, the last one,", TS, "/ts/2.ts", PACKETS, undefined],
    ["of fMP4, the last one,", "/fmp4/long.m3u8", "/fmp4/both.m4s", half, undefined],
  ])("%s", (_, path, piece, length, words) => {
    test.each(["whose length is told", "whose length isn't told"])("%s", async (which) => {
      const expected = await hashAt(path);
      const whole = hls.files.get(piece) as Uint8Array;
      const cut = () => {
        if (which === "whose length is told") hls.files.set(piece, whole.subarray(0, length));
        else hls.habits.set(piece, { endAfter: length });
      };
      cut();
      hls.requests.length = 0;
      if (words === undefined) await expectShort(path);
      else {
        const error = await caught(hashAt(path));
        expect(error).toMatchObject({ code: "source-unreadable" });
        expect(error.message).toContain(words);
      }
      expect(requestsOf(piece)).toBe(2);
      cut();
      const source = await openHls(at(path));
      hls.files.set(piece, () => {
        hls.habits.delete(piece);
        hls.files.set(piece, whole);
        return whole.subarray(0, length);
      });
      expect(await hashOf(source)).toBe(expected);
    });
  });

  test("is fetched again before an asset is made where it is the first", async () => {
    const expected = await hashAt(TS);
    const first = sample("ts-0.mpegts");
    let times = 0;
    hls.files.set("/ts/0.ts", () => (++times === 1 ? first.subarray(0, 60 * 188) : first));
    const source = await openHls(at(TS));
    expect(times).toBe(2);
    expect(await hashOf(source)).toBe(expected);
  });

  test.each([2, 9])(
    "is taken where the next one begins where it ends, the last one of %i s too",
    async (last) => {
      const expected = await hashAt(TS);
      const lines = [...pieceLines(["0.ts"], 6), ...pieceLines(["1.ts"], 9), ...pieceLines(["2.ts"], last)];
      hls.files.set("/ts/wrong.m3u8", mediaPlaylist(lines));
      expect(await hashAt("/ts/wrong.m3u8")).toBe(expected);
    },
  );
});

test.each([16 * 1000, 9001])(
  "an encrypted piece that is cut to %i bytes is fetched again",
  async (length) => {
    const expected = await hashAt("/aes/index.m3u8");
    const encrypted = hls.files.get("/aes/1.ts") as Uint8Array;
    let times = 0;
    hls.files.set("/aes/1.ts", () => (++times === 1 ? encrypted.subarray(0, length) : encrypted));
    expect(await hashAt("/aes/index.m3u8")).toBe(expected);
  },
);

test("a server that asks to wait is asked for nothing until then", async () => {
  vi.useFakeTimers();
  const asked: string[] = [];
  const fetch = async (url: unknown) => {
    asked.push(new URL(String(url)).pathname);
    const wait = { status: 429, headers: { "retry-after": "2" } };
    return asked.length === 1 ? new Response("no", wait) : new Response("yes");
  };
  const url = new URL("http://video.example/first");
  const how = fetchingOf(url, { fetch }, new AbortController().signal);
  const first = fetchBytes({ url, most: 100 }, how);
  await vi.advanceTimersByTimeAsync(0);
  const second = fetchBytes({ url: new URL("/second", url), most: 100 }, how);
  await vi.advanceTimersByTimeAsync(1_999);
  expect(asked).toEqual(["/first"]);
  await vi.advanceTimersByTimeAsync(1);
  await Promise.all([first, second]);
  expect(asked.toSorted()).toEqual(["/first", "/first", "/second"]);
});

describe("a redirect of a piece", () => {
  /** Serves a name of the internet from this machine: what asks for it gets there by real sockets. */
  const internet: Fetch = async (input, init) => {
    const url = new URL(String(input));
    if (url.hostname.endsWith(".example")) url.host = new URL(hls.origin).host;
    const answer = await fetch(url, init);
    return answer.redirected ? answer : Object.defineProperty(answer, "url", { value: String(input) });
  };
  const fetched = (from: URL) =>
    fetchBytes({ url: from, most: 100 }, fetchingOf(from, { fetch: internet }, new AbortController().signal));
  const redirect = (path: string, location: string) =>
    hls.habits.set(path, { status: 302, headers: { location } });

  test("into the own network is not asked for", async () => {
    redirect("/first", `${hls.origin}/inside`);
    // Back to the internet again, where its answer would hide that it was here.
    redirect("/inside", "http://video.example/last");
    hls.files.set("/last", "yes");
    const error = await caught(fetched(new URL("http://video.example/first")));
    expect(error).toMatchObject({ code: "source-unreadable", retryable: false });
    expect(error.message).toContain("redirects into the network of this machine");
    expect(hls.requests).toEqual(["/first"]);
  });

  test("into the own network is refused afterwards where a browser follows it by itself", async () => {
    vi.stubGlobal("XMLHttpRequest", class {});
    redirect("/first", `${hls.origin}/inside`);
    hls.files.set("/inside", "yes");
    const error = await caught(fetched(new URL("http://video.example/first")));
    expect(error.message).toContain("redirects into the network of this machine");
    expect(hls.requests).toEqual(["/first", "/inside"]);
  });

  test("to another host of the internet is followed, and so is one within the own network", async () => {
    hls.files.set("/last", "yes");
    redirect("/first", "http://other.example/last");
    redirect("/near", `${hls.origin}/last`);
    for (const from of ["http://video.example/first", `${hls.origin}/near`]) {
      const { bytes, url } = await fetched(new URL(from));
      expect([new TextDecoder().decode(bytes), url.pathname]).toEqual(["yes", "/last"]);
    }
  });
});

describe("a piece that doesn't come ends it", () => {
  test.each([
    [404, "source-refused"],
    [400, "source-unreadable"],
  ])("with the answer %i, which is asked for once", async (status, code) => {
    hls.habits.set(PIECE, { status });
    expect(await caught(hashAt(TS))).toMatchObject({ name: "UploadError", code, httpStatus: status });
    expect(requestsOf(PIECE)).toBe(1);
  });

  test("and another call resumes the upload", async () => {
    serveLong(hls, { pieces: 12, size: 1 * MiB });
    const expected = await hashAt(LONG);
    hls.habits.set("/long/11.m4s", { status: 404 });
    const journal = memoryJournal();
    const error = await caught(upload(service.client(), await openHls(at(LONG)), { journal }));
    expect(error).toMatchObject({ code: "source-refused", httpStatus: 404, resume: { possible: true } });
    hls.habits.clear();
    const { asset, resumed } = await upload(service.client(), await openHls(at(LONG)), { journal });
    expect(resumed).toBe(true);
    expect((await service.whole(asset.id)).sha256).toBe(expected);
  });

  test("a Retry-After of over ten minutes is no time to wait", async () => {
    hls.habits.set(PIECE, { status: 503, headers: { "retry-after": "3600" } });
    const error = await caught(hashAt(TS));
    expect(error).toMatchObject({ code: "source-unreadable", retryable: true, retryAfter: 3_600_000 });
  });

  test("nor does one of another format", async () => {
    hls.files.set(PIECE, hls.files.get("/audio/0.m4s") as Uint8Array);
    const error = await caught(upload(service.client(), await openHls(at(TS))));
    expect(error).toMatchObject({ name: "UploadError", code: "source-unreadable" });
    expect(error.message).toContain("piece 2 of 3");
  });
});

test("an abort ends every request within a moment, and the same source resumes", async () => {
  serveLong(hls, { pieces: 12, size: 2 * MiB });
  const expected = await hashAt(LONG);
  hls.requests.length = 0;
  for (const piece of [8, 9, 10]) hls.habits.set(`/long/${piece}.m4s`, { silentAfter: 1000, times: 1 });
  const stopper = new AbortController();
  const journal = memoryJournal();
  const source = await openHls(at(LONG));
  const uploading = caught(upload(service.client(), source, { journal, signal: stopper.signal }));
  await expect.poll(() => requestsOf("/long/10.m4s")).toBe(1);
  const reason = new Error("enough");
  stopper.abort(reason);
  expect(await uploading).toBe(reason);
  await expect.poll(() => hls.running).toBe(0);
  const { asset } = await upload(service.client(), source, { journal });
  expect((await service.whole(asset.id)).sha256).toBe(expected);
});

test("three pieces are fetched ahead of what is read, and none once it is closed", async () => {
  serveLong(hls, { pieces: 12, size: 1 * MiB });
  for (const piece of [1, 2, 3, 4]) hls.habits.set(`/long/${piece}.m4s`, { silentAfter: 1000 });
  const source = await openHls(at(LONG));
  const reading = hashOf(source).catch(() => {});
  await expect.poll(() => hls.running).toBe(3);
  await source.close();
  await reading;
  await expect.poll(() => hls.running).toBe(0);
  // What would still be asked for would come before the second of them.
  for (const _ of [1, 2]) await fetch(at("/marker"));
  const asked = ["index.m3u8", "init.mp4", "0.m4s", "1.m4s", "2.m4s", "3.m4s"].map((name) => `/long/${name}`);
  expect(hls.requests.toSorted()).toEqual([...asked, "/marker", "/marker"].toSorted());
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

test.each([
  ["its last sample", "/fmp4", "1.m4s", "fmp4-1.m4s", -10],
  ["all but its beginning", "/fmp4", "1.m4s", "fmp4-1.m4s", 300],
  ["the end of a packet", "/ts", "1.ts", "ts-1.mpegts", -100],
])("a piece that lacks %s is told, and ends the upload", async (_, folder, name, file, end) => {
  hls.files.set(`${folder}/${name}`, sample(file).slice(0, end));
  expect(await caught(hashAt(`${folder}/index.m3u8`))).toMatchObject({
    code: "source-unreadable",
    message: expect.stringContaining("piece 2 of 3: it ends before its samples do"),
  });
});

test.each([
  ["the tables", TS, PIECE, 3 * 188],
  ["the box before its samples", "/fmp4/index.m3u8", "/fmp4/1.m4s", 24],
])("a piece of which %s alone came is fetched again, then refused", async (_, path, piece, length) => {
  const expected = await hashAt(path);
  const whole = hls.files.get(piece) as Uint8Array;
  let [times, most] = [0, 1];
  hls.files.set(piece, () => (++times <= most ? whole.subarray(0, length) : whole));
  expect(await hashAt(path)).toBe(expected);
  [times, most] = [0, 100];
  expect((await caught(hashAt(path))).message).toContain("piece 2 of 3: nothing is in it");
});

test.each([
  ["its last picture", 2, "packets between it and the one before are missing"],
  ["the end of a picture", 1, "nothing is in it"],
])("a piece of which %s alone came is fetched again, then refused", async (_, count, words) => {
  const expected = await hashAt(TS);
  const packets = Array.from({ length: whole.length / 188 }, (_, at) =>
    whole.subarray(188 * at, 188 * at + 188),
  );
  // The last but one of the pictures' packets begins a picture.
  const pictures = packets.filter((packet) => (packet[1] ?? 0) % 32 === 1 && packet[2] === 0);
  const end = Buffer.concat(pictures.slice(-count));
  let times = 0;
  hls.files.set(PIECE, () => (++times === 1 ? end : whole));
  expect(await hashAt(TS)).toBe(expected);
  hls.files.set(PIECE, end);
  expect((await caught(hashAt(TS))).message).toContain(`piece 2 of 3: ${words}`);
});

test("a last piece that ends within an access unit is fetched again, then refused", async () => {
  hls.files.set("/ts/2.ts", sample("ts-2.mpegts").slice(0, -188));
  const { message } = await caught(hashAt(TS));
  expect(message).toContain("piece 3 of 3: it ends within an access unit");
  expect(requestsOf("/ts/2.ts")).toBe(2);
});

test("a piece that comes twice in one answer is told, and ends the upload", async () => {
  hls.files.set("/fmp4/1.m4s", Buffer.concat([sample("fmp4-1.m4s"), sample("fmp4-1.m4s")]));
  const { message } = await caught(hashAt("/fmp4/index.m3u8"));
  expect(message).toContain("piece 2 of 3: its times run backwards");
});

test("a first piece that lacks samples is told before an asset is made", async () => {
  hls.files.set("/fmp4/0.m4s", sample("fmp4-0.m4s").slice(0, -10));
  expect(await caught(openHls(at("/fmp4/index.m3u8")))).toMatchObject({ code: "unsupported-video" });
});

test("something else behind the samples of a piece loses none", async () => {
  const piece = Buffer.concat([sample("fmp4-1.m4s"), Buffer.from("something else")]);
  hls.files.set("/fmp4/1.m4s", new Uint8Array(piece));
  await expectOriginal(await bytesAt("/fmp4/index.m3u8"));
});

describe("a playlist that won't change, of whose end nothing came and whose length wasn't told,", () => {
  const lines = ["#EXT-X-PLAYLIST-TYPE:VOD", ...pieceLines(["0.ts", "1.ts", "2.ts"])];

  test("is fetched again, and its pieces are all there", async () => {
    const text = mediaPlaylist(lines);
    hls.files.set(TS, text);
    hls.habits.set(TS, { endAfter: text.indexOf("1.ts") - 12, times: 1 });
    await expectOriginal(await bytesAt(TS));
  });

  test("is taken where it is no longer the second time", async () => {
    const text = mediaPlaylist(lines, { ended: false });
    hls.files.set(TS, text);
    hls.habits.set(TS, { endAfter: text.length });
    await expectOriginal(await bytesAt(TS));
    expect(hls.requests.filter((path) => path.endsWith("m3u8"))).toHaveLength(2);
  });
});

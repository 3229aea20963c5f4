/** An interrupted upload of a video in pieces goes on as the same asset, without what the service has. */
import { describe, expect, test } from "vitest";
import { fileJournal } from "../../../core/file.ts";
import { openHls } from "../../../core/hls/mod.ts";
import { memoryJournal, type Source, upload } from "../../../core/mod.ts";
import type { ReadableSource } from "../../../core/source/source.ts";
import { useService } from "../../service/use-service.ts";
import { caught } from "../../support/caught.ts";
import { MiB } from "../../support/content.ts";
import { hashOf } from "../../support/hls/hls-original.ts";
import { mediaPlaylist, pieceLines } from "../../support/hls/hls-server.ts";
import { type LongVideo, serveLong } from "../../support/hls/long-hls.ts";
import { useHls } from "../../support/hls/use-hls.ts";
import { MARKER } from "../../support/marker.ts";
import { runScript } from "../../support/programs/script.ts";
import { useFolder } from "../../support/use-folder.ts";

const PART = 8 * MiB;
const service = useService();
const hls = useHls();
const journals = useFolder("journal");

const at = (path: string) => new URL(path, hls.origin);
const newJournal = () => `${journals.path}/${crypto.randomUUID()}`;
const LONG: LongVideo = { pieces: 20, size: 1.5 * MiB };

const open = async (path = "/long/index.m3u8", options = {}) => await openHls(at(path), options);

/** Uploads until so many bytes have arrived, then stops. */
async function uploadUntil(bytes: number, source: Source, journal = memoryJournal()): Promise<number> {
  const stopper = new AbortController();
  let arrived = 0;
  await caught(
    upload(service.client(), source, {
      journal,
      signal: stopper.signal,
      onProgress({ acknowledged }) {
        arrived = acknowledged;
        if (acknowledged >= bytes) stopper.abort(new Error("stopped"));
      },
    }),
  );
  return arrived;
}

const numbersOf = (requests: string[]) =>
  requests.flatMap((path) => /\/(\d+)\.m4s/.exec(path)?.[1] ?? []).map(Number);

test("the same pieces give the same bytes, from wherever they are read", async () => {
  serveLong(hls, LONG);
  for (const path of ["/long/index.m3u8", "/ts/index.m3u8", "/separate/main.m3u8", "/aes/index.m3u8"]) {
    const [first, second] = [await open(path), await open(path)];
    expect(await (first as ReadableSource).identity()).toBe(await (second as ReadableSource).identity());
    expect(await hashOf(first)).toBe(await hashOf(second));
  }
});

describe("an upload that was stopped", () => {
  test("goes on with the piece it stopped at, as the same asset, in another process too", async () => {
    serveLong(hls, LONG);
    const expected = await hashOf(await open());
    const journal = fileJournal(newJournal());
    const arrived = await uploadUntil(2 * PART, await open(), journal);
    hls.requests.length = 0;
    // Nothing of the first call is left but its journal.
    const { asset, resumed } = await upload(service.client(), await open(), { journal });
    expect(resumed).toBe(true);
    expect((await service.whole(asset.id)).sha256).toBe(expected);
    expect(await service.assets()).toHaveLength(1);
    const asked = numbersOf(hls.requests);
    expect(new Set(asked).size).toBe(asked.length);
    // The first piece tells which video it is; then comes the one in which the service's bytes end.
    expect(asked.slice(0, 2)).toEqual([0, Math.floor(arrived / (1.5 * MiB + 600))]);
    expect(asked).toHaveLength(1 + LONG.pieces - (asked[1] ?? 0));
  });

  test("goes on after its address has expired, with a fresh address of the same video", async () => {
    serveLong(hls, { ...LONG, signature: `${MARKER}-one` });
    const expected = await hashOf(await open(`/long/index.m3u8?signature=${MARKER}-one`));
    const source = await open(`/long/index.m3u8?signature=${MARKER}-one`);
    const journal = memoryJournal();
    const error = await caught(
      upload(service.client(), source, {
        journal,
        name: "Launch",
        onProgress({ acknowledged }) {
          if (acknowledged >= PART) hls.files.clear();
        },
      }),
    );
    expect(error).toMatchObject({ code: "source-refused", resume: { possible: true } });
    expect(error.message).toContain("take the new address");
    // Elsewhere, under other names, with another signature.
    serveLong(hls, { ...LONG, signature: `${MARKER}-two`, folder: "/moved/again" });
    const fresh = await open(`/moved/again/index.m3u8?signature=${MARKER}-two`);
    const { asset, resumed } = await upload(service.client(), fresh, { journal, name: "Launch" });
    expect(resumed).toBe(true);
    expect(await service.assets()).toHaveLength(1);
    expect((await service.whole(asset.id)).sha256).toBe(expected);
  });

  test("ends where the video at its address has changed", async () => {
    serveLong(hls, LONG);
    const journal = memoryJournal();
    await uploadUntil(PART, await open(), journal);
    // The same beginning and the same lengths, and another piece where it goes on.
    const first = hls.files.get("/long/0.m4s") as () => Uint8Array;
    serveLong(hls, { ...LONG, seed: 2 });
    hls.files.set("/long/0.m4s", first);
    const error = await caught(upload(service.client(), await open(), { journal }));
    expect(error).toMatchObject({ code: "source-changed", resume: { possible: false } });
  });

  test("resumes a live stream with what was there when it began", async () => {
    serveLong(hls, LONG);
    const live = (pieces: number) => {
      const names = Array.from({ length: pieces }, (_, number) => `${number}.m4s`);
      hls.files.set(
        "/long/live.m3u8",
        mediaPlaylist(['#EXT-X-MAP:URI="init.mp4"', ...pieceLines(names)], { ended: false }),
      );
    };
    const openLive = () => open("/long/live.m3u8", { live: true });
    live(15);
    const journal = memoryJournal();
    await uploadUntil(PART, await openLive(), journal);
    live(20);
    const { asset, resumed, size } = await upload(service.client(), await openLive(), { journal });
    expect(resumed).toBe(true);
    // Of pieces of a MiB and a half.
    expect(Math.round(size / MiB)).toBe(23);
    expect((await service.whole(asset.id)).asset.size).toBe(size);
  });
});

test("a process that is killed leaves what another one goes on with", async () => {
  serveLong(hls, LONG);
  const expected = await hashOf(await open());
  const journal = newJournal();
  const environment = { UPCUT_URL: service.baseUrl, UPCUT_TOKEN: service.token };
  const start = () =>
    runScript("test/support/hls/upload-hls.ts", [at("/long/index.m3u8").href, journal], environment);
  // The upload can't be done before it is killed.
  hls.habits.set(`/long/${LONG.pieces - 1}.m4s`, { silentAfter: 1000 });
  const killed = start();
  await killed.prints(new RegExp(`arrived ${2 * PART}\\b`));
  killed.process.kill("SIGKILL");
  await killed.ended();
  hls.habits.clear();
  hls.requests.length = 0;
  const { code, output } = await start().ended();
  expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining("resumed") });
  const [, id = ""] = /asset (\S+)/.exec(output) ?? [];
  expect((await service.whole(id)).sha256).toBe(expected);
  expect(await service.assets()).toHaveLength(1);
  const asked = numbersOf(hls.requests);
  expect(new Set(asked).size).toBe(asked.length);
  expect(asked.length).toBeLessThan(LONG.pieces);
});

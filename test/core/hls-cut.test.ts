/** A piece that lacks samples, or a playlist that lacks pieces, is never taken for a whole one. */
import { describe, expect, test } from "vitest";
import { openHls } from "../../core/hls/mod.ts";
import { caught } from "../caught.ts";
import { bytesOf, expectOriginal } from "../hls-original.ts";
import { mediaPlaylist, pieceLines, sample } from "../hls-server.ts";
import { useHls } from "../use-hls.ts";

const hls = useHls();
const at = (path: string) => new URL(path, hls.origin);

test.each([
  ["its last sample", "/fmp4", "1.m4s", "fmp4-1.m4s", -10],
  ["half of its samples", "/fmp4", "1.m4s", "fmp4-1.m4s", -12_000],
  ["the box of its samples", "/fmp4", "1.m4s", "fmp4-1.m4s", -22_800],
  ["all but its beginning", "/fmp4", "1.m4s", "fmp4-1.m4s", 300],
  ["the end of a packet", "/ts", "1.ts", "ts-1.mpegts", -100],
])("a piece that lacks %s is told, and ends the upload", async (_, folder, name, file, end) => {
  hls.files.set(`${folder}/${name}`, sample(file).slice(0, end));
  const whole = async () => await bytesOf(await openHls(at(`${folder}/index.m3u8`)));
  expect(await caught(whole())).toMatchObject({
    code: "source-unreadable",
    message: expect.stringContaining("piece 2 of 3: it ends before its samples do"),
  });
});

test("a first piece that lacks samples is told before an asset is made", async () => {
  hls.files.set("/fmp4/0.m4s", sample("fmp4-0.m4s").slice(0, -10));
  expect(await caught(openHls(at("/fmp4/index.m3u8")))).toMatchObject({ code: "unsupported-video" });
});

test("something else behind the samples of a piece loses none", async () => {
  const piece = Buffer.concat([sample("fmp4-1.m4s"), Buffer.from("something else")]);
  hls.files.set("/fmp4/1.m4s", new Uint8Array(piece));
  await expectOriginal(await bytesOf(await openHls(at("/fmp4/index.m3u8"))));
});

describe("a playlist that won't change, of whose end nothing came and whose length wasn't told,", () => {
  const lines = ["#EXT-X-PLAYLIST-TYPE:VOD", ...pieceLines(["0.ts", "1.ts", "2.ts"])];

  test("is fetched again, and its pieces are all there", async () => {
    const text = mediaPlaylist(lines);
    hls.files.set("/ts/index.m3u8", text);
    hls.habits.set("/ts/index.m3u8", { endAfter: text.indexOf("1.ts") - 12, times: 1 });
    await expectOriginal(await bytesOf(await openHls(at("/ts/index.m3u8"))));
  });

  test("is taken where it is no longer the second time", async () => {
    const text = mediaPlaylist(lines, { ended: false });
    hls.files.set("/ts/index.m3u8", text);
    hls.habits.set("/ts/index.m3u8", { endAfter: text.length });
    await expectOriginal(await bytesOf(await openHls(at("/ts/index.m3u8"))));
    expect(hls.requests.filter((path) => path.endsWith("m3u8"))).toHaveLength(2);
  });
});

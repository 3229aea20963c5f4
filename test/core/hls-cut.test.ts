/** A piece that lacks samples, or a playlist that lacks pieces, is never taken for a whole one. */
import { expect, test } from "vitest";
import { openHls } from "../../core/hls/mod.ts";
import { caught } from "../caught.ts";
import { bytesOf, expectOriginal } from "../hls-original.ts";
import { sample } from "../hls-server.ts";
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

/** Encrypted pieces may begin with any bytes, those of a page too, and what is no piece is still told as what it is. */
import { createCipheriv } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openHls } from "../../../core/hls/mod.ts";
import { kindOfBytes } from "../../../core/source/answer-kind.ts";
import { caught } from "../../support/caught.ts";
import { bytesOf, expectOriginal } from "../../support/hls/hls-original.ts";
import { mediaPlaylist, pieceLines, sample } from "../../support/hls/hls-server.ts";
import { useHls } from "../../support/hls/use-hls.ts";
import { MARKER } from "../../support/marker.ts";

const hls = useHls();
const at = (path: string) => new URL(`${path}?signature=${MARKER}`, hls.origin);
const PAGE = `<!doctype html><title>Sign in</title>${" ".repeat(200)}`;

function encrypt(content: Uint8Array, key: Uint8Array, iv: Uint8Array): Uint8Array<ArrayBuffer> {
  const cipher = createCipheriv("aes-128-cbc", key, iv);
  return new Uint8Array(Buffer.concat([cipher.update(content), cipher.final()]));
}

/** Bytes encrypted so that they begin with a tag of HTML, and the IV that makes them do so. */
function encryptedAsTag(bytes: Uint8Array, key: Uint8Array): { encrypted: Uint8Array; iv: string } {
  const iv = Buffer.alloc(16);
  for (let number = 0; ; number++) {
    iv.writeUInt32BE(number, 12);
    if (kindOfBytes(encrypt(bytes.subarray(0, 16), key, iv).subarray(0, 16)) === undefined) continue;
    return { encrypted: encrypt(bytes, key, iv), iv: `0x${iv.toString("hex")}` };
  }
}

describe("encrypted bytes that begin as a page does", () => {
  /** A key that begins so as well. */
  const key = new TextEncoder().encode("<a123456789abcde");
  const lineOf = (iv: string) => `#EXT-X-KEY:METHOD=AES-128,URI="key",IV=${iv}`;
  const put = (path: string, name: string) => {
    const { encrypted, iv } = encryptedAsTag(sample(name), key);
    hls.files.set(path, encrypted);
    return lineOf(iv);
  };

  test.each([
    ["pieces of a video", [], [0, 1, 2].map((at) => [`${at}.ts`, `ts-${at}.mpegts`])],
    ["what pieces are read with", ["init.mp4"], [0, 1, 2].map((at) => [`${at}.m4s`, `fmp4-${at}.m4s`])],
  ])("are %s", async (_, inits, pieces) => {
    hls.files.set("/tag/key", key);
    const lines = [
      ...inits.flatMap((name) => [put(`/tag/${name}`, `fmp4-${name}`), `#EXT-X-MAP:URI="${name}"`]),
      ...pieces.flatMap(([name = "", from = ""]) => [put(`/tag/${name}`, from), ...pieceLines([name])]),
    ];
    hls.files.set("/tag/index.m3u8", mediaPlaylist(lines));
    await expectOriginal(await bytesOf(await openHls(at("/tag/index.m3u8"))));
  });
});

describe("a page in place of", () => {
  test.each([
    ["an encrypted piece", "/aes/0.ts"],
    ["an encrypted piece, as long as one may be", "/aes/0.ts", PAGE.padEnd(256)],
    ["a key", "/aes/one.key"],
  ])("%s is told as one", async (_, path, page = PAGE) => {
    hls.files.set(path, page);
    expect(await caught(openHls(at("/aes/index.m3u8")))).toMatchObject({
      code: "source-refused",
      message: expect.stringContaining("an HTML page"),
    });
  });

  test("a piece that isn't encrypted is told as one", async () => {
    hls.files.set("/ts/0.ts", PAGE);
    expect(await caught(openHls(at("/ts/index.m3u8")))).toMatchObject({ code: "source-refused" });
  });
});

test("the number of a piece, which is its IV, may be of 64 bits", async () => {
  const key = hls.files.get("/aes/one.key") as Uint8Array;
  const first = 2n ** 64n - 3n;
  for (const number of [0, 1, 2]) {
    const iv = Buffer.alloc(16);
    iv.writeBigUInt64BE(first + BigInt(number), 8);
    hls.files.set(`/aes/${number}.ts`, encrypt(sample(`ts-${number}.mpegts`), key, iv));
  }
  const head = [`#EXT-X-MEDIA-SEQUENCE:${first}`, '#EXT-X-KEY:METHOD=AES-128,URI="one.key"'];
  hls.files.set("/aes/index.m3u8", mediaPlaylist([...head, ...pieceLines(["0.ts", "1.ts", "2.ts"])]));
  await expectOriginal(await bytesOf(await openHls(at("/aes/index.m3u8"))));
});

test("encrypted bytes of another length are told with it", async () => {
  hls.files.set("/aes/0.ts", (hls.files.get("/aes/0.ts") as Uint8Array).subarray(0, -1));
  const error = await caught(openHls(at("/aes/index.m3u8")));
  expect(error).toMatchObject({
    code: "source-unreadable",
    message: expect.stringContaining("blocks of 16"),
  });
});

test.each([
  ["MPEG-TS", [0x47]],
  ["ADTS", [0xff, 0xf1]],
  ["ADTS with checksums", [0xff, 0xf0]],
  ["MP3", [0xff, 0xfb]],
  ["ID3", [0x49, 0x44, 0x33]],
  ["a box of less than 64 MiB", [0x03]],
  ["a box of less than 16 MiB", [0x00]],
])("a piece that begins as %s does is never taken for a text", (_, beginning) => {
  const pieces = fc.uint8Array({ maxLength: 40 }).map((rest) => Uint8Array.from([...beginning, ...rest]));
  fc.assert(fc.property(pieces, (bytes) => kindOfBytes(bytes) === undefined));
  const tag = new TextEncoder().encode("<html>");
  expect(kindOfBytes(Uint8Array.from([...beginning, ...tag]))).toBeUndefined();
});

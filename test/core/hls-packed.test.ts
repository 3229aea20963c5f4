/** Sound without a container: frames of AAC behind a tag that tells when they are heard. */
import { beforeEach, describe, expect, test } from "vitest";
import { readAdts, timeOfTags } from "../../core/hls/adts.ts";
import { openHls } from "../../core/hls/mod.ts";
import { caught } from "../caught.ts";
import { bytesOf, expectOriginal, readOriginal, readTracks } from "../hls-original.ts";
import { mediaPlaylist } from "../hls-server.ts";
import { useHls } from "../use-hls.ts";

const hls = useHls();
/** Seconds of a frame of the original. */
const FRAME = 1024 / 48_000;
const main = () => new URL("/main.m3u8", hls.origin);

/** A frame behind its header: AAC-LC of 48 kHz in one or two channels. */
function adtsFrame(data: Uint8Array, channels = 1): Uint8Array {
  const size = data.length + 7;
  const header = [0xff, 0xf1, (1 << 6) | (3 << 2), (channels << 6) | (size >> 11), (size >> 3) & 255];
  return Uint8Array.from([...header, ((size & 7) << 5) | 0x1f, 0xfc, ...data]);
}

/** A tag that tells the time of the first frame. */
function tag(seconds: number, title = ""): Uint8Array {
  const frame = (name: string, content: Buffer) => {
    const head = Buffer.alloc(10);
    head.write(name);
    head.writeUInt32BE(content.length, 4);
    return Buffer.concat([head, content]);
  };
  const time = Buffer.alloc(8);
  time.writeBigUInt64BE(BigInt(Math.round(seconds * 90_000)));
  const body = Buffer.concat([
    ...(title === "" ? [] : [frame("TIT2", Buffer.from(title))]),
    frame("PRIV", Buffer.concat([Buffer.from("com.apple.streaming.transportStreamTimestamp\0"), time])),
  ]);
  const sizes = [(body.length >> 7) & 127, body.length & 127];
  return Buffer.concat([Buffer.from([0x49, 0x44, 0x33, 4, 0, 0, 0, 0, ...sizes]), body]);
}

const join = (...parts: Uint8Array[]) => new Uint8Array(Buffer.concat(parts));

let frames: Uint8Array[];
beforeEach(async () => {
  const audio = (await readOriginal()).find(({ type }) => type === "audio");
  frames = (audio?.packets ?? []).map(({ data }) => adtsFrame(Buffer.from(data, "base64")));
  putPictures();
});

/** Seconds by which the pictures are later than in the samples, and at which their sound begins then. */
const LATER = 10;
const BEGIN = LATER + 0.045;

function putPictures(): void {
  const init = hls.files.get("/video/init.mp4") as Uint8Array;
  const header = Buffer.from(init).indexOf("mdhd") + 4;
  const ticks = LATER * Buffer.from(init).readUInt32BE(header + (init[header] === 1 ? 20 : 12));
  for (const number of [0, 1, 2]) {
    const piece = (hls.files.get(`/video/${number}.m4s`) as Uint8Array).slice();
    const [view, at] = [new DataView(piece.buffer), Buffer.from(piece).indexOf("tfdt") + 4];
    if (piece[at] === 1) view.setBigUint64(at + 4, view.getBigUint64(at + 4) + BigInt(ticks));
    else view.setUint32(at + 4, view.getUint32(at + 4) + ticks);
    hls.files.set(`/video/${number}.m4s`, piece);
  }
}

/** Serves the sound of the original in packed pieces beside its pictures. */
function put(sizes: number[], tagOf = (frame: number) => tag(BEGIN + frame * FRAME)): void {
  let at = 0;
  const lines = sizes.flatMap((size, number) => {
    hls.files.set(`/packed/${number}.aac`, join(tagOf(at), ...frames.slice(at, at + size)));
    at += size;
    return [`#EXTINF:${(size * FRAME).toFixed(5)},`, `${number}.aac`];
  });
  hls.files.set("/packed/index.m3u8", mediaPlaylist(lines));
  const sound = '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="s",NAME="x",DEFAULT=YES,URI="/packed/index.m3u8"';
  const quality = '#EXT-X-STREAM-INF:BANDWIDTH=9000,RESOLUTION=160x90,AUDIO="s"';
  hls.files.set("/main.m3u8", ["#EXTM3U", sound, quality, "/video/index.m3u8"].join("\n"));
}

describe("packed sound arrives whole beside its pictures", () => {
  test.each([
    ["in pieces of two seconds", [94, 94, 95]],
    ["with a last piece of one frame", [94, 94, 94, 1]],
    ["with a first piece of one frame", [1, 93, 94, 95]],
  ])("%s", async (_, sizes) => {
    put(sizes);
    await expectOriginal(await bytesOf(await openHls(main())));
    // Without a time it begins with the pictures, and goes on without a gap.
    put(sizes, () => new Uint8Array(0));
    const tracks = await readTracks(await bytesOf(await openHls(main())));
    const packets = tracks.find(({ type }) => type === "audio")?.packets ?? [];
    const original = (await readOriginal()).find(({ type }) => type === "audio")?.packets;
    expect(packets.map(({ data }) => data)).toEqual(original?.map(({ data }) => data));
    for (const [at, { time }] of packets.entries()) expect(time).toBeCloseTo(at * FRAME, 4);
  });

  test("with tags and filling that aren't sound", async () => {
    put([94, 94, 95], (frame) => tag(BEGIN + frame * FRAME, "title"));
    const piece = hls.files.get("/packed/1.aac") as Uint8Array;
    hls.files.set("/packed/1.aac", join(piece, tag(9), new Uint8Array(50)));
    const last = hls.files.get("/packed/2.aac") as Uint8Array;
    hls.files.set("/packed/2.aac", join(last, new TextEncoder().encode("TAG".padEnd(128))));
    await expectOriginal(await bytesOf(await openHls(main())));
  });

  test("where its length isn't told and the first download breaks off in a frame", async () => {
    put([94, 94, 95]);
    hls.habits.set("/packed/1.aac", { endAfter: 1000, times: 1 });
    await expectOriginal(await bytesOf(await openHls(main())));
  });
});

describe("packed sound is heard when its tags tell", () => {
  test.each([0.8, -0.5])("%d s later than usual", async (late) => {
    const distance = async (seconds: number) => {
      put([94, 94, 95], (frame) => tag(BEGIN + seconds + frame * FRAME));
      const tracks = await readTracks(await bytesOf(await openHls(main())));
      const [video = 0, audio = 0] = ["video", "audio"].map((type) => {
        const packets = tracks.find((track) => track.type === type)?.packets ?? [];
        return Math.min(...packets.map(({ time }) => time));
      });
      return audio - video;
    };
    expect((await distance(late)) - (await distance(0))).toBeCloseTo(late, 3);
  });
});

describe("packed sound that can't be read is told", () => {
  const open = async () => await caught(async () => await bytesOf(await openHls(main())));

  test.each<[string, (piece: Uint8Array) => Uint8Array, string]>([
    ["ends within a frame", (piece) => piece.subarray(0, -3), "ends within a frame"],
    [
      "holds something else behind its frames",
      (piece) => join(piece, Buffer.from("noise")),
      "within a frame",
    ],
    [
      "holds more frames than there is time for",
      () => join(...Array.from({ length: 100_001 }, () => adtsFrame(new Uint8Array(1)))),
      "over 100000 frames",
    ],
    ["changes on the way", (piece) => join(piece, adtsFrame(new Uint8Array(9), 2)), "format changes"],
  ])("where a piece %s", async (_, change, words) => {
    put([94, 94, 95]);
    hls.files.set("/packed/1.aac", change(hls.files.get("/packed/1.aac") as Uint8Array));
    expect(await open()).toMatchObject({
      code: "source-unreadable",
      message: expect.stringContaining(words),
    });
  });
});

test("what isn't packed AAC is no piece of it", () => {
  const frame = adtsFrame(new Uint8Array(20));
  for (const bytes of [
    [],
    [0x47],
    [0xff, 0xf1],
    [0xff, 0xfb, 0x90, 0],
    [0x49, 0x44, 0x33, 4, 0, 0, 127, 127],
  ])
    expect(readAdts(Uint8Array.from(bytes))).toBeUndefined();
  expect(readAdts(frame)).toMatchObject({ frames: [[0, 27]], problem: undefined });
  // Of 64 bits, 33 count.
  const late = tag(0);
  late.set([0xff, 0xff, 0xff, 0xfe, 0, 1, 0x5f, 0x90], late.length - 8);
  expect(timeOfTags(late)).toBe(1);
  expect(timeOfTags(late.subarray(0, -1))).toBeUndefined();
  expect(timeOfTags(frame)).toBeUndefined();
});

/** Frames of sound that begin in a piece and end in a later one: each arrives whole, in each format and way to cut it. */
import { describe, expect, test } from "vitest";
import { openHls } from "../../../core/hls/mod.ts";
import { framesIn } from "../../../core/hls/sound-frames.ts";
import { caught } from "../../support/caught.ts";
import { bytesOf, readTracks } from "../../support/hls/hls-original.ts";
import { mainPlaylistWithSound, mediaPlaylist } from "../../support/hls/hls-server.ts";
import { timeTag } from "../../support/hls/time-tag.ts";
import { FRAMES, type Pes, tsPiece } from "../../support/hls/ts-muxer.ts";
import { useHls } from "../../support/hls/use-hls.ts";

const hls = useHls();
const SOUND = 0x101;
/** Seconds of all sound, about, and those at which it begins. */
const [SECONDS, BEGIN] = [6, 1.5];

interface Cutting {
  codec: string;
  /** Bytes by which each piece ends before a frame does. */
  before: number;
  /** Puts so many bytes of each cut frame into a piece of their own. */
  apart?: number;
  /** Each piece counts its packets from zero. */
  isCountedAnew?: boolean;
  lines?: string[];
}

function soundOf(codec: string) {
  const { samples = 1024, left = 0, frame = () => new Uint8Array(0) } = FRAMES[codec] ?? {};
  const each = samples / 48_000;
  const frames = Array.from({ length: Math.ceil(SECONDS / each) }, (_, at) => Buffer.from(frame(at)));
  const ends = frames.map((_, at) => Buffer.concat(frames.slice(0, at + 1)).length);
  return {
    each,
    frames,
    ends,
    bytes: Buffer.concat(frames),
    inMp4: frames.map((bytes) => bytes.subarray(left)),
  };
}

/** The parts of the sound, cut within the last frame of each two seconds, and the frames that begin before each. */
function partsOf({ codec, before, apart }: Cutting) {
  const { each, ends, bytes } = soundOf(codec);
  const cuts = [2, 4].flatMap((seconds) => {
    const cut = (ends[Math.round(seconds / each) - 1] ?? 0) - before;
    return apart === undefined ? [cut] : [cut, cut + apart];
  });
  return [0, ...cuts].map((start, at) => {
    const end = cuts[at] ?? bytes.length;
    const frame = [0, ...ends].findIndex((begin) => begin >= start);
    const isNone = ([0, ...ends][frame] ?? 0) >= end;
    return { data: bytes.subarray(start, end), frame, isNone };
  });
}

function putPieces(cutting: Cutting, pieceOf: (data: Buffer, time: number | undefined) => Uint8Array): void {
  const { each, frames } = soundOf(cutting.codec);
  const parts = partsOf(cutting);
  const lines = parts.flatMap(({ data, frame, isNone }, at) => {
    hls.files.set(`/cut/${at}.ts`, pieceOf(data, isNone ? undefined : BEGIN + frame * each));
    const next = parts[at + 1]?.frame ?? frames.length;
    const more = at > 0 ? (cutting.lines ?? []) : [];
    return [...more, `#EXTINF:${isNone ? 0.0001 : (next - frame) * each},`, `${at}.ts`];
  });
  hls.files.set("/cut/index.m3u8", mediaPlaylist(lines));
  hls.files.set("/main.m3u8", mainPlaylistWithSound("/video/index.m3u8", "/cut/index.m3u8"));
}

function putTs(cutting: Cutting): void {
  const stream = { number: SOUND, type: FRAMES[cutting.codec]?.type ?? 0 };
  const counters = new Map<number, number>();
  putPieces(cutting, (data, time) => {
    const units: Pes[] = [{ number: SOUND, data, time }];
    return tsPiece([stream], units, cutting.isCountedAnew ? new Map() : counters);
  });
}

const putPacked = (cutting: Cutting) =>
  putPieces(cutting, (data, time) => Buffer.concat([timeTag(time ?? 0), data]));

const open = async () => await bytesOf(await openHls(new URL("/main.m3u8", hls.origin)));
const soundIn = async () => (await readTracks(await open()))[1]?.packets ?? [];

async function expectAll(codec: string): Promise<void> {
  const { each, inMp4 } = soundOf(codec);
  const packets = await soundIn();
  const wrong = packets.findIndex(({ data }, at) => data !== inMp4[at]?.toString("base64"));
  expect([packets.length, wrong]).toEqual([inMp4.length, -1]);
  const begin = packets[0]?.time ?? 0;
  for (const [at, { time }] of packets.entries()) expect(time - begin).toBeCloseTo(at * each, 3);
}

describe.each(Object.keys(FRAMES))("a frame of %s", (codec) => {
  test.each<[string, Omit<Cutting, "codec">]>([
    ["behind which nothing is cut", { before: 0 }],
    ["whose end is in the next piece", { before: 37 }],
    ["whose header is cut", { before: 140 + 37 }],
    ["of which a byte is missing", { before: 1 }],
    ["of which a byte is there", { before: (FRAMES[codec]?.frame(93).length ?? 0) - 1 }],
    ["in pieces that count their packets anew", { before: 37, isCountedAnew: true }],
    ["that ends behind a piece that holds nothing else", { before: 100, apart: 40 }],
    ["that ends behind a discontinuity", { before: 37, lines: ["#EXT-X-DISCONTINUITY"] }],
  ])("%s arrives whole", async (_, more) => {
    putTs({ codec, ...more });
    await expectAll(codec);
    if (codec === "mp2") return;
    putPacked({ codec, ...more });
    await expectAll(codec);
  });

  test("that nothing ends is refused, and left out behind the last piece", async () => {
    putTs({ codec, before: 37 });
    const list = String(hls.files.get("/cut/index.m3u8"));
    hls.files.set("/cut/index.m3u8", list.replace(/#EXTINF:[\d.]+,\n2.ts\n/, ""));
    expect(await soundIn()).toHaveLength(Math.round(4 / soundOf(codec).each) - 1);
    const { data } = partsOf({ codec, before: 37 })[1] ?? {};
    const stream = { number: SOUND, type: FRAMES[codec]?.type ?? 0 };
    const time = BEGIN + 2;
    // The bytes behind the end of the frame alone.
    hls.files.set(
      "/cut/1.ts",
      tsPiece([stream], [{ number: SOUND, data: (data as Buffer).subarray(37), time }]),
    );
    expect((await caught(open())).message).toContain("its sound ends within a frame");
  });
});

test("frames that are missing without any counter that tells are fetched again", async () => {
  const { each, frames } = soundOf("mp2");
  const counters = new Map<number, number>();
  const [count, packet] = [Math.ceil(frames.length / 3), 188];
  const lines = [0, 1, 2].flatMap((number) => {
    const own = frames.slice(number * count, (number + 1) * count);
    const units = own.map((data, at) => ({
      number: SOUND,
      data,
      time: BEGIN + (number * count + at) * each,
    }));
    const piece = tsPiece([{ number: SOUND, type: 3 }], units, counters);
    // Eight frames are twice as many packets as are counted, behind the tables and twenty frames.
    const begin = (2 + 20 * 4) * packet;
    const broken = Buffer.concat([piece.subarray(0, begin), piece.subarray(begin + 32 * packet)]);
    let times = 0;
    hls.files.set(`/cut/${number}.ts`, () => (++times === 1 && number === 1 ? broken : piece));
    return [`#EXTINF:${own.length * each},`, `${number}.ts`];
  });
  hls.files.set("/cut/index.m3u8", mediaPlaylist(lines));
  hls.files.set("/main.m3u8", mainPlaylistWithSound("/video/index.m3u8", "/cut/index.m3u8"));
  await expectAll("mp2");
});

test("the next piece in the place of one is refused, also where each ends in the next one", async () => {
  const pieces = [0, 1, 2].map((number) => `/cut/${number}.ts`);
  putTs({ codec: "aac", before: 37 });
  hls.files.set(pieces[1] ?? "", hls.files.get(pieces[2] ?? "") ?? "");
  expect((await caught(open())).message).toContain("another piece is in its place");
  putTs({ codec: "aac", before: 37 });
  hls.files.set(pieces[2] ?? "", hls.files.get(pieces[1] ?? "") ?? "");
  expect((await caught(open())).message).toContain("another piece is in its place");
});

test("of frames of AAC their headers are told, of seven bytes or of nine with a checksum", () => {
  const leftIn = (second: number) =>
    framesIn(Uint8Array.of(0xff, second, 0x4c, 0x40, 1, 0x5f, 0xfc, 1, 2, 43), "aac").frames.map(
      (frame) => frame.header.left,
    );
  expect(leftIn(0xf1)).toEqual([7]);
  expect(leftIn(0xf0)).toEqual([9]);
});

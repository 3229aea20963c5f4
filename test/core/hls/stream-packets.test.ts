/** Pictures and sound of one piece of MPEG-TS at their times, as its packets tell them. */
import { describe, expect, test } from "vitest";
import { picturesIn } from "../../../core/hls/pictures.ts";
import { framesIn } from "../../../core/hls/sound-frames.ts";
import { packedTrack, picturesOf, soundOf } from "../../../core/hls/stream-packets.ts";
import { FRAMES } from "../../support/hls/ts-muxer.ts";
import { expectLinear } from "../../support/linear-time.ts";

const PICTURE = [0, 0, 1, 0x41, 0x88];

/** Reads pictures whose packets begin at places, each at its tick. */
async function timesOf(bytes: readonly number[], begins: readonly [at: number, time: number][]) {
  const content = {
    bytes: Uint8Array.from(bytes),
    begins: begins.map(([at, time]) => ({ at, time, isKey: false })),
  };
  const found = await picturesOf({ number: 1, content, clock: (ticks) => ticks, how: {} }, "avc");
  return found.map(({ timestamp }) => Math.round(timestamp * 90_000));
}

describe("pictures of H.264", () => {
  test("have the times of their packets where the packet before ends with a zero", async () => {
    const bytes = [...PICTURE, 0, ...PICTURE, 0, ...PICTURE];
    const begins = [0, 6, 12].map((at, place): [number, number] => [at, [0, 7200, 3600][place] ?? 0]);
    expect(await timesOf(bytes, begins)).toEqual([0, 7200, 3600]);
  });

  test("without times lie between their neighbours, or as far behind the last ones", async () => {
    const begins = [5, 20, 25].map((at): [number, number] => [at, 720 * at]);
    const times = await timesOf(Array.from({ length: 8 }, () => PICTURE).flat(), begins);
    expect(times).toEqual([1, 2, 3, 4, 5, 6, 7].map((place) => 3600 * place));
  });
});

const framesOf = (codec: string, count: number) =>
  Array.from({ length: count }, (_, at) => Buffer.from(FRAMES[codec]?.frame(at) ?? []));

/** A frame of DTS: a core of 1024 bytes, and substreams of such sizes behind it. */
function dtsFrame(...substreams: number[]): Buffer {
  const core = Buffer.alloc(1024, 7);
  core.set([0x7f, 0xfe, 0x80, 0x01, 0xfc, 0x3c, 0x3f, 0xf0, 0xb4, 0, 0]);
  const parts = substreams.map((size) => {
    const bytes = Buffer.alloc(size, 7);
    const isLong = size > 2 ** 16;
    bytes.set([0x64, 0x58, 0x20, 0x25, 0]);
    bytes.writeUIntBE(isLong ? 2 ** 37 + (size - 1) * 2 ** 5 : (size - 1) * 2 ** 13, 5, 5);
    return bytes;
  });
  return Buffer.concat([core, ...parts]);
}

test("frames of DTS end with their substreams, however long these are", () => {
  const frames = [dtsFrame(), dtsFrame(300), dtsFrame(40_000, 90_000), dtsFrame(17)];
  const found = framesIn(Uint8Array.from(Buffer.concat(frames)), "dts");
  expect(found).toMatchObject({ isWhole: true, isBroken: false });
  expect(found.frames.map(({ start, end }) => end - start)).toEqual(frames.map(({ length }) => length));
});

test("a frame of DTS that ends in the next piece is whole, its core alone in this one", async () => {
  const frames = [dtsFrame(300), dtsFrame(40_000)];
  const bytes = Uint8Array.from(Buffer.concat(frames));
  for (const cut of [1324 + 1024, 1324 + 1024 + 6, 1324 + 2000]) {
    const rest = async () => ({ bytes: bytes.subarray(cut), goesOn: true });
    const content = { bytes: bytes.slice(0, cut), begins: [{ at: 0, time: 0, isKey: false }] };
    const found = await soundOf({ number: 1, content, clock: (ticks) => ticks, how: { rest } }, "dts");
    expect(found.map(({ data }) => data.length)).toEqual([1324, 41_024]);
  }
  const next = Uint8Array.from(Buffer.concat([bytes.subarray(1324 + 1024), dtsFrame()]));
  expect(framesIn(next, "dts").lead).toHaveLength(40_000);
});

test("marks of DTS among which no two frames are alike take no longer than they are long", () => {
  const [one, other] = [dtsFrame(), dtsFrame()];
  other[8] = 0xb0;
  const marks = Buffer.concat(Array.from({ length: 700 }, () => other.subarray(0, 11)));
  expectLinear((size) => {
    const rest = new Uint8Array(100 * size);
    framesIn(Uint8Array.from(Buffer.concat([marks, rest, one.subarray(0, 11)])), "dts");
  });
});

test.each([
  ["ac3", 6, 0x20],
  ["mp3", 3, 0x40],
])("sound in %s whose channels change midway is refused by name", async (codec, place, bit) => {
  const frames = framesOf(codec, 4);
  for (const frame of frames.slice(2))
    frame[place] = (frame[place] ?? 0) ^ bit ^ (codec === "mp3" ? 0x80 : 0);
  const content = {
    bytes: Uint8Array.from(Buffer.concat(frames)),
    begins: [{ at: 0, time: 0, isKey: false }],
  };
  const reading = soundOf({ number: 1, content, clock: (ticks) => ticks, how: {} }, codec as "ac3" | "mp3");
  await expect(reading).rejects.toThrow("its format changes on the way");
});

test("a piece of more units of pictures than anybody writes is refused, and held by no memory", () => {
  const units = new Uint8Array(5 * 600_000);
  for (let at = 0; at < units.length; at += 5) units.set([0, 0, 1, 0x41, 0x88], at);
  expect(() => picturesIn(units, "avc", 0)).toThrow("over 500000 units of pictures");
});

test("frames of sound follow one that is heard at zero", async () => {
  const bytes = Uint8Array.from(Buffer.concat(framesOf("aac", 3)));
  const content = { bytes, begins: [{ at: 0, time: 0, isKey: false }] };
  const found = await soundOf({ number: 1, content, clock: (ticks) => ticks, how: {} }, "aac");
  expect(found.map(({ timestamp }) => Math.round(timestamp * 90_000))).toEqual([0, 1920, 3840]);
});

test("a frame of MP3 that lists the others is no sound", async () => {
  const [index = Buffer.alloc(0), ...frames] = framesOf("mp3", 4);
  index.write("Info", 21);
  const bytes = Uint8Array.from(Buffer.concat([index, ...frames]));
  const [track] = await packedTrack(bytes, "mp3", {});
  expect(track?.packets.map(({ data }) => Buffer.from(data))).toEqual(frames);
});

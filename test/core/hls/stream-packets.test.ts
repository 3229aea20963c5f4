/** Pictures and sound of one piece of MPEG-TS at their times, as its packets tell them. */
import { describe, expect, test } from "vitest";
import { packedTrack, picturesOf, soundOf } from "../../../core/hls/stream-packets.ts";
import { FRAMES } from "../../support/hls/ts-muxer.ts";

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

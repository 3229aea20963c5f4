/** Pictures and sound of one piece of MPEG-TS at their times, as its packets tell them. */
import { expect, test } from "vitest";
import { soundOf } from "../../../core/hls/stream-packets.ts";
import { FRAMES } from "../../support/hls/ts-muxer.ts";

const framesOf = (codec: string, count: number) =>
  Array.from({ length: count }, (_, at) => Buffer.from(FRAMES[codec]?.frame(at) ?? []));

test("frames of sound follow one that is heard at zero", async () => {
  const bytes = Uint8Array.from(Buffer.concat(framesOf("aac", 3)));
  const content = { bytes, begins: [{ at: 0, time: 0, isKey: false }] };
  const found = await soundOf({ number: 1, content, clock: (ticks) => ticks, how: {} }, "aac");
  expect(found.map(({ timestamp }) => Math.round(timestamp * 90_000))).toEqual([0, 1920, 3840]);
});

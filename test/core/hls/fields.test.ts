/** Pictures of H.264 in two fields, both in one PES: each arrives as one sample, wherever pieces are cut. */
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { openHls } from "../../../core/hls/mod.ts";
import { picturesIn } from "../../../core/hls/pictures.ts";
import { type FieldPair, fieldPairs } from "../../support/hls/field-pairs.ts";
import { bytesOf, readTracks } from "../../support/hls/hls-original.ts";
import { mainPlaylistWithSound, mediaPlaylist } from "../../support/hls/hls-server.ts";
import { FRAMES, type Pes, tsPiece } from "../../support/hls/ts-muxer.ts";
import { useHls } from "../../support/hls/use-hls.ts";

const hls = useHls();
const [NUMBER, AVC] = [0x100, 0x1b];
/** Pictures of a piece of a second. */
const COUNT = 25;

const unitsIn = (data: Uint8Array) => picturesIn(data, "avc", 0).flatMap(({ runs }) => runs);
const inMp4 = ({ fields }: FieldPair) => Buffer.concat(fields.flatMap(unitsIn));
const digestOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

interface Cutting {
  isDelimited?: boolean;
  numberBits?: number;
  /** Each piece but the last ends between the fields of its last picture. */
  isCut?: boolean;
  /** Its sound is apart, in pieces of so many frames. */
  soundFrames?: number;
}

/** Serves three pieces that begin with a picture of their own each, and tells their pictures. */
function putPieces({ isDelimited = true, numberBits = 4, isCut = false }: Cutting): FieldPair[][] {
  const counters = new Map<number, number>();
  const pieces = [0, 1, 2].map(() => fieldPairs(COUNT, isDelimited, numberBits));
  let left: Uint8Array = new Uint8Array(0);
  const lines = pieces.flatMap((pairs, at) => {
    const units = pairs.map(
      ({ fields, place }): Pes => ({
        number: NUMBER,
        data: Buffer.concat(fields),
        time: 1 + at + place / COUNT,
        isKey: place === 0,
      }),
    );
    const [first, last, pair] = [units[0], units.at(-1), pairs.at(-1)];
    if (first === undefined || last === undefined || pair === undefined) throw new Error("no pictures");
    const continued: Pes[] = left.length > 0 ? [{ number: NUMBER, data: left, isContinued: true }] : [];
    left = isCut && at < 2 ? pair.fields[1] : left.subarray(left.length);
    if (left.length > 0) last.data = pair.fields[0];
    hls.files.set(
      `/fields/${at}.ts`,
      tsPiece([{ number: NUMBER, type: AVC }], [...continued, ...units], counters),
    );
    return [`#EXTINF:1,`, `${at}.ts`];
  });
  hls.files.set("/fields/index.m3u8", mediaPlaylist(lines));
  return pieces;
}

/** Serves the sound of the same three seconds by itself, with the pictures as a main playlist. */
function putSound(soundFrames: number): void {
  const { frame, type } = FRAMES.aac as (typeof FRAMES)[string];
  const counters = new Map<number, number>();
  const [each, count] = [1024 / 48_000, Math.floor((3 * 48_000) / 1024 / soundFrames)];
  const lines = Array.from({ length: count }, (_, piece) => {
    const frames = Array.from({ length: soundFrames }, (_, at) => frame(piece * soundFrames + at));
    const unit = { number: 0x101, data: Buffer.concat(frames), time: 1 + piece * soundFrames * each };
    hls.files.set(`/sound/${piece}.ts`, tsPiece([{ number: 0x101, type }], [unit], counters));
    return [`#EXTINF:${soundFrames * each},`, `${piece}.ts`];
  });
  hls.files.set("/sound/index.m3u8", mediaPlaylist(lines.flat()));
  hls.files.set("/fields/main.m3u8", mainPlaylistWithSound("index.m3u8", "/sound/index.m3u8"));
}

describe("pictures in two fields of one PES are taken as they are shown,", () => {
  test.each<[string, Cutting]>([
    ["each field behind a delimiter", {}],
    ["without delimiters", { isDelimited: false }],
    ["their numbers of more bits", { numberBits: 9 }],
    ["cut between the two fields", { isCut: true }],
    ["cut, while pieces of sound are far shorter", { isCut: true, soundFrames: 5 }],
    ["cut, while pieces of sound are about as long", { isCut: true, soundFrames: 47 }],
  ])("%s", async (_, cutting) => {
    const pieces = putPieces(cutting);
    const { soundFrames = 0 } = cutting;
    if (soundFrames > 0) putSound(soundFrames);
    const list = `/fields/${soundFrames > 0 ? "main" : "index"}.m3u8`;
    const file = await bytesOf(await openHls(new URL(list, hls.origin)));
    const [pictures] = await readTracks(file);
    const expected = pieces.flatMap((pairs, piece) =>
      pairs.map((pair) => [1000 * piece + 40 * pair.place, pair.place === 0, digestOf(inMp4(pair))]),
    );
    const begin = pictures?.packets[0]?.time ?? 0;
    const found = pictures?.packets.map(({ data, time, isKey }) => [
      Math.round(1000 * (time - begin)),
      isKey,
      digestOf(Buffer.from(data, "base64")),
    ]);
    expect(found).toEqual(expected);
  });
});

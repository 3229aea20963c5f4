/** Pictures of H.264 in two fields, both in one PES: each arrives as one sample, wherever pieces are cut. */
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { openHls } from "../../../core/hls/mod.ts";
import { picturesIn } from "../../../core/hls/pictures.ts";
import { type FieldPair, fieldPairs } from "../../support/hls/field-pairs.ts";
import { bytesOf, readTracks } from "../../support/hls/hls-original.ts";
import { mediaPlaylist } from "../../support/hls/hls-server.ts";
import { type Pes, tsPiece } from "../../support/hls/ts-muxer.ts";
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

describe("pictures in two fields of one PES are taken as they are shown,", () => {
  test.each<[string, Cutting]>([
    ["each field behind a delimiter", {}],
    ["without delimiters", { isDelimited: false }],
    ["their numbers of more bits", { numberBits: 9 }],
    ["cut between the two fields", { isCut: true }],
  ])("%s", async (_, cutting) => {
    const pieces = putPieces(cutting);
    const file = await bytesOf(await openHls(new URL("/fields/index.m3u8", hls.origin)));
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

import { describe, expect, test } from "vitest";
import type { PieceTrack } from "../../../core/hls/piece.ts";
import type { MediaPlaylist } from "../../../core/hls/playlist.ts";
import { readPlaylist } from "../../../core/hls/read-playlist.ts";
import {
  beginTimeline,
  firstInRun,
  type Lane,
  placePiece,
  planUnits,
  readCheckpoint,
  type Timeline,
  writeCheckpoint,
} from "../../../core/hls/timeline.ts";
import { mediaPlaylist, pieceLines } from "../../support/hls/hls-server.ts";

const track = (first: number, end: number, type: "video" | "audio" = "video") =>
  ({ type, first, end, packets: [] }) as unknown as PieceTrack;

const begin = (lanes: PieceTrack[][], run = 0) => {
  const [main = null, audio = null] = lanes.map((tracks) => firstInRun(tracks));
  return beginTimeline(run, [main, audio]);
};

/** Places pieces one after another and gives where each begins. */
function starts(
  begun: Timeline,
  pieces: [lane: Lane, run: number, tracks: PieceTrack[], otherFirst?: number][],
): number[] {
  let timeline = begun;
  return pieces.map(([lane, run, tracks, otherFirst = null]) => {
    const { offset, after } = placePiece(timeline, { lane, run, piece: { duration: 4 } }, otherFirst, tracks);
    timeline = after;
    return Math.round((Math.min(...tracks.map(({ first }) => first)) + offset) * 1000) / 1000;
  });
}

describe("pieces are placed", () => {
  const one = [track(10, 14)];

  test("from zero on, sound and pictures as far apart as they are", () => {
    const both = [track(10.02, 14.02), track(10, 14.01, "audio")];
    expect(starts(begin([both]), [[0, 0, both]])).toEqual([0]);
    const lanes = [[track(10.02, 14.02)], [track(10, 14, "audio")]];
    const begun = begin(lanes);
    expect(
      starts(begun, [
        [0, 0, lanes[0] ?? []],
        [1, 0, lanes[1] ?? []],
      ]),
    ).toEqual([0.02, 0]);
    // Clocks that have nothing to do with each other.
    const apart = [[track(10, 14)], [track(500, 504, "audio")]];
    expect(
      starts(begin(apart), [
        [0, 0, apart[0] ?? []],
        [1, 0, apart[1] ?? []],
      ]),
    ).toEqual([0, 0]);
  });

  test.each<[string, number, number]>([
    ["where their times go on", 14, 4],
    ["a little later, where nothing is in between", 16, 6],
    ["a little earlier, where they overlap", 13.9, 3.9],
    ["behind each other, where a counter overflows", -95_443.7 + 14, 4],
    ["behind each other, where times start again", 0, 4],
    ["behind each other, where there is a gap that nobody would wait through", 1000, 4],
  ])("%s", (_, first, start) => {
    expect(
      starts(begin([one]), [
        [0, 0, one],
        [0, 0, [track(first, first + 4)]],
      ]),
    ).toEqual([0, start]);
  });

  test("behind a shorter one, where times start again with each", () => {
    const pieces = [[track(10, 11)], [track(10, 14)], [track(10, 10.5)], [track(10, 14)]];
    const placed = starts(
      begin(pieces.slice(0, 1)),
      pieces.map((tracks) => [0, 0, tracks]),
    );
    expect(placed).toEqual([0, 1, 5, 5.5]);
  });

  test("where their times tell, though nothing is in the beginning of one", () => {
    const sound = [track(10, 14, "audio")];
    const placed = starts(begin([one, sound]), [
      [0, 0, one],
      [1, 0, sound],
      [0, 0, [track(14, 24)]],
      [1, 0, [track(22, 24, "audio")]],
      [1, 0, [track(24, 28, "audio")]],
    ]);
    expect(placed).toEqual([0, 0, 4, 12, 14]);
  });

  test("behind all that came before, after a discontinuity", () => {
    const sound = [track(10, 14.05, "audio")];
    const begun = begin([one, sound]);
    const placed = starts(begun, [
      [0, 0, one],
      [1, 0, sound],
      [0, 1, [track(700, 704)]],
      [1, 1, [track(699.98, 703.98, "audio")]],
    ]);
    // Sound may begin before the pictures, but not before the sound of the former run is over.
    expect(placed).toEqual([0, 0, 4.05, 4.05]);
  });

  test("after a discontinuity as far apart as they are, and behind both that came before", () => {
    const sound = [track(10, 14.05, "audio")];
    for (const run of [0, 1]) {
      const next = run + 1;
      const begun = begin([one, sound], run);
      const placed = starts(begun, [
        [0, run, one],
        [1, run, sound],
        [0, next, [track(700.8, 704.8)], 700],
        [1, next, [track(700, 704, "audio")]],
        [0, next + 1, [track(20, 24)], 20.5],
        [1, next + 1, [track(20.5, 24.5, "audio")]],
        // Clocks that have nothing to do with each other.
        [0, next + 2, [track(20, 24)], 500],
        [1, next + 2, [track(500, 504, "audio")]],
      ]);
      expect(placed).toEqual([0, 0, 4.85, 4.05, 8.85, 9.35, 13.35, 13.35]);
    }
  });

  test("as far apart as they are, where one lane begins a piece earlier, or its counter starts again", () => {
    const cycle = 2 ** 33 / 90_000;
    for (const [pictures, sound] of [
      [106, 100],
      [cycle - 0.5, 0.5],
      [0.5, cycle - 0.5],
      [cycle * 20_000 + 1, 0.5],
    ] as const) {
      const lanes = [[track(pictures, pictures + 4)], [track(sound, sound + 4, "audio")]];
      const placed = starts(begin(lanes), [
        [0, 0, lanes[0] ?? []],
        [1, 0, lanes[1] ?? []],
      ]);
      const distance = pictures - sound - cycle * Math.round((pictures - sound) / cycle);
      expect((placed[0] ?? 0) - (placed[1] ?? 0)).toBeCloseTo(distance, 2);
      expect(Math.min(...placed)).toBe(0);
    }
  });

  test("as far apart as they are behind a piece without anything in it", () => {
    const sound = [track(10, 14, "audio")];
    let timeline = begin([one, sound]);
    const place = (lane: Lane, tracks: PieceTrack[]) => {
      const { offset, after } = placePiece(timeline, { lane, run: 0, piece: { duration: 8 } }, null, tracks);
      timeline = after;
      return offset;
    };
    const offsets = [place(0, one), place(1, sound), place(0, []), place(1, [track(14, 22, "audio")])];
    offsets.push(place(0, [track(22, 30)]), place(1, [track(22, 30, "audio")]));
    expect(offsets).toEqual([-10, -10, 0, -10, -10, -10]);
  });

  test("and a process that goes on places the next one alike", () => {
    const begun = begin([one]);
    const { after } = placePiece(begun, { lane: 0, run: 0, piece: { duration: 4 } }, null, one);
    const timeline = { ...after, earliest: [5, 7] };
    const kept = writeCheckpoint({ unit: 1, at: 9, count: 3, timeline }, "digest");
    expect(readCheckpoint(kept)).toEqual({ unit: 1, at: 9, count: 3, timeline });
    for (const damaged of ["", "{}", "[]", kept.replace("1,", '"1",'), kept.replace("[", "[1,"), "null"])
      expect(readCheckpoint(damaged)).toBeUndefined();
  });
});

test("pieces of pictures and their sound take turns, run by run", () => {
  const playlist = (lines: readonly string[]) =>
    readPlaylist(mediaPlaylist(lines), new URL("https://video.example/index.m3u8")).playlist as MediaPlaylist;
  const pictures = playlist([
    ...pieceLines(["v0", "v1"], 4),
    "#EXT-X-DISCONTINUITY",
    ...pieceLines(["v2"], 4),
  ]);
  const sound = playlist([
    ...pieceLines(["a0", "a1", "a2"], 3),
    "#EXT-X-DISCONTINUITY",
    ...pieceLines(["a3"], 4),
  ]);
  const order = (main: MediaPlaylist, audio?: MediaPlaylist) =>
    planUnits(main, audio).map(({ piece, run }) => `${piece.href.slice(-2)} ${run}`);
  expect(order(pictures, sound)).toEqual(["v0 0", "a0 0", "a1 0", "v1 0", "a2 0", "v2 1", "a3 1"]);
  expect(order(pictures)).toEqual(["v0 0", "v1 0", "v2 1"]);
  // Where only one of them tells where its clock starts again, nobody can say what belongs together.
  expect(order(pictures, playlist(pieceLines(["a0"], 12)))).toEqual(["v0 0", "a0 0", "v1 0", "v2 0"]);
});

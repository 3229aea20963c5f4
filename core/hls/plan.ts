/**
 * In which order pieces become one file.
 *
 * @module
 */

import type { PieceTrack } from "./demux.ts";
import type { MediaPlaylist, Piece } from "./playlist.ts";
import type { Lane } from "./timeline.ts";

/** A piece with its place in the order. */
export interface Unit {
  lane: Lane;
  piece: Piece;
  run: number;
}

/** What is taken of each lane's pieces: those of pictures may hold sound as well, and those of their sound pictures. */
export function typesOf(lane: Lane, hasOwnSound: boolean): readonly PieceTrack["type"][] {
  if (!hasOwnSound) return ["video", "audio"];
  return lane === 0 ? ["video"] : ["audio"];
}

/** The last piece of the other lane in a run, where that lane plays beyond the beginning of such a piece. */
export function lastBeside(units: readonly Unit[], { lane, run, piece }: Unit): number | undefined {
  const inRun = units.filter((unit) => unit.run === run);
  const secondsOf = (wanted: readonly Unit[]) =>
    wanted.reduce((sum, { piece: { duration } }) => sum + duration, 0);
  const own = inRun.filter((unit) => unit.lane === lane);
  const others = inRun.filter((unit) => unit.lane !== lane);
  const begin = secondsOf(
    own.slice(
      0,
      own.findIndex((unit) => unit.piece === piece),
    ),
  );
  const last = others.at(-1);
  return last !== undefined && secondsOf(others) > begin ? units.indexOf(last) : undefined;
}

/** The pieces of a video and of its own sound, run by run and each by its time, so that both are at hand together. */
export function planUnits(main: MediaPlaylist, audio: MediaPlaylist | undefined): Unit[] {
  const lanes = audio === undefined ? [main] : [main, audio];
  // Where only one of two tells its discontinuities, neither's can be told from the other's.
  const isTold = new Set(lanes.map(({ pieces }) => pieces.at(-1)?.run)).size === 1;
  const timed = lanes.flatMap(({ pieces }, lane) => {
    let [start, last] = [0, 0];
    return pieces.map((piece) => {
      const run = isTold ? piece.run : 0;
      // Both begin a run together, however far apart they were by then.
      if (run !== last) start = 0;
      last = run;
      const unit: Unit & { start: number } = { lane: lane === 0 ? 0 : 1, piece, run, start };
      start += piece.duration;
      return unit;
    });
  });
  timed.sort((a, b) => a.run - b.run || a.start - b.start || a.lane - b.lane);
  return timed.map(({ lane, piece, run }) => ({ lane, piece, run }));
}

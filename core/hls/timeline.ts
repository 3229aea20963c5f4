/**
 * Puts pieces in order and in time. The times within pieces belong to their encoder: they begin anywhere, start again after a
 * discontinuity, and in some pieces with each of them.
 */
import type { PieceTrack } from "./demux.ts";
import type { MediaPlaylist, Piece } from "./playlist.ts";

/** A playlist of the video: the one of the pictures, or that of sound of its own. */
export type Lane = 0 | 1;

/** All that a process has to know to go on with the next piece. */
export interface Timeline {
  run: number;
  base: number;
  /** Seconds that are added to the times of each lane, once they are known. */
  offsets: readonly [number | null, number | null];
  /** Seconds at which the last piece of each lane begins in this run. */
  begins: readonly [number | null, number | null];
  /** Seconds at which each lane ended so far in this run. */
  ends: readonly [number | null, number | null];
  /** Seconds before which no piece of a lane may begin: where it ended in the former run. */
  floors: readonly [number, number];
  /** Seconds at which the last of all packets ends. */
  last: number;
  /** The tick from which on the next sample may be decoded, for each track by its place in the file. */
  earliest: readonly number[];
}

export interface Unit {
  lane: Lane;
  piece: Piece;
  run: number;
}

type PlacedUnit = Omit<Unit, "piece"> & { piece: Pick<Piece, "duration" | "clock"> };

/**
 * Seconds by which two lanes may begin apart and still have the same clock: in a stream whose beginning is gone, the
 * first piece of one may lie as long before that of the other as a piece is.
 */
const SAME_CLOCK = 10;
/** Seconds after which the counter of MPEG-TS starts again: one of two lanes may be there already. */
const CYCLE = 2 ** 33 / 90_000;
/** Seconds without anything that a video may hold between two pieces. */
const LONGEST_GAP = 5;

/** The beginning of a video, at the run of its first piece, and where each lane begins in it. */
export function beginTimeline(run: number, firsts: Timeline["offsets"]): Timeline {
  const nothing = {
    offsets: [null, null],
    begins: [null, null],
    ends: [null, null],
    floors: [0, 0],
    earliest: [],
  } as const;
  return beginRun({ ...nothing, run, base: 0, last: 0 }, run, firsts);
}

/**
 * Places a piece: the seconds that are added to its times, and what the next one depends on.
 *
 * @param otherFirst seconds by the clock of the other lane at which it begins this run, where that is known
 */
export function placePiece(
  before: Timeline,
  { lane, run, piece: { duration, clock = 0 } }: PlacedUnit,
  otherFirst: number | null,
  own: readonly PieceTrack[],
): { offset: number; after: Timeline } {
  const tracks = own.map((track) => ({ ...track, first: track.first - clock, end: track.end - clock }));
  if (tracks.length === 0) return { offset: 0, after: withNothing(before, lane, run, duration) };
  const first = firstByClock(tracks);
  const timeline =
    run > before.run ? beginRun(before, run, withLane([otherFirst, otherFirst], lane, first)) : before;
  // The pictures lead: sound often begins a little before or after them.
  const leading = tracks.find(({ type }) => type === "video") ?? tracks[0];
  const known = timeline.offsets[lane];
  const offset =
    known === null || leading === undefined
      ? newOffset(timeline, lane, tracks)
      : continued(known, leading, timeline, lane, duration);
  return {
    offset: offset - clock,
    after: {
      ...timeline,
      offsets: withLane(timeline.offsets, lane, offset),
      begins: withLane(timeline.begins, lane, (leading?.first ?? 0) + offset),
      ends: withLane(timeline.ends, lane, (leading?.end ?? 0) + offset),
      last: Math.max(timeline.last, ...tracks.map(({ end }) => end + offset)),
    },
  };
}

/** Both lanes keep their distance where they have one clock, and begin where neither's former run is cut. */
function beginRun(
  { last, ends, floors, earliest }: Timeline,
  run: number,
  firsts: Timeline["offsets"],
): Timeline {
  const [main, audio] = firsts;
  const [before, beside] = [ends[0] ?? floors[0], ends[1] ?? floors[1]];
  // Seconds by which the counter of the pictures is ahead of that of the sound.
  const ahead = main === null || audio === null ? 0 : CYCLE * Math.round((main - audio) / CYCLE);
  const isSameClock = main !== null && audio !== null && Math.abs(main - audio - ahead) < SAME_CLOCK;
  const both = isSameClock ? Math.max(before - main, beside - audio - ahead) : undefined;
  const offsetOf = (first: number | null) => (first === null ? null : last - first);
  return {
    run,
    base: last,
    offsets: both === undefined ? [offsetOf(main), offsetOf(audio)] : [both, both + ahead],
    begins: [null, null],
    ends: [null, null],
    floors: [before, beside],
    last,
    earliest,
  };
}

/** The first piece of a lane in a run begins with it, or keeps its distance from the other lane. */
function newOffset({ base, offsets, floors }: Timeline, lane: Lane, tracks: readonly PieceTrack[]): number {
  const other = offsets[lane === 0 ? 1 : 0];
  const first = firstOf(tracks);
  if (other === null || firstByClock(tracks) === null || Math.abs(first + other - base) >= SAME_CLOCK)
    return base - first;
  return Math.max(other, floors[lane] - first);
}

/** A clock that jumps within a run, as counters that overflow do, is set to where the lane ended. */
function continued(
  offset: number,
  leading: PieceTrack,
  { begins, ends }: Timeline,
  lane: Lane,
  duration: number,
): number {
  const [begin, end] = [begins[lane], ends[lane]];
  if (begin === null || end === null) return offset;
  if (leading.isRelative) return end - leading.first;
  const gap = leading.first + offset - end;
  // Of two pieces that overlap neither is mostly in the other; and what one lacks at its beginning is no jump.
  const overlap = Math.min(1, duration / 2, (end - begin) / 2);
  const isSteady = gap >= -overlap && gap <= LONGEST_GAP + duration;
  return isSteady ? offset : end - leading.first;
}

/** A piece without anything in it lasts as well: what follows it isn't moved up, away from the other lane. */
function withNothing(before: Timeline, lane: Lane, run: number, duration: number): Timeline {
  const end = before.ends[lane];
  // A run begins with what there is to place.
  if (end === null || run > before.run) return before;
  return { ...before, ends: withLane(before.ends, lane, end + duration) };
}

function withLane<T>(pair: readonly [T, T], lane: Lane, value: T): readonly [T, T] {
  return lane === 0 ? [value, pair[1]] : [pair[0], value];
}

/** Seconds at which the first of all packets begins, by the clock of the video; `null` where they have none. */
export function firstByClock(tracks: readonly PieceTrack[]): number | null {
  return tracks.length === 0 || tracks.some(({ isRelative }) => isRelative) ? null : firstOf(tracks);
}

/** The same, counted from where the run of a piece begins by its clock. */
export function firstInRun(
  tracks: readonly PieceTrack[],
  { clock = 0 }: Pick<Piece, "clock">,
): number | null {
  const first = firstByClock(tracks);
  return first === null ? null : first - clock;
}

function firstOf(tracks: readonly PieceTrack[]): number {
  return Math.min(...tracks.map(({ first }) => first));
}

/** The kinds of tracks that are taken of each lane's pieces: those of pictures may hold sound as well, and those of their sound pictures. */
export function typesOf(lane: Lane, hasOwnSound: boolean): readonly PieceTrack["type"][] {
  if (!hasOwnSound) return ["video", "audio"];
  return lane === 0 ? ["video"] : ["audio"];
}

/** The last piece of the other lane in a run, where that lane plays beyond the beginning of such a piece. */
export function lastBeside(units: readonly Unit[], { lane, run, piece }: Unit): number | undefined {
  let [own, begin, other] = [0, 0, 0];
  let last: number | undefined;
  for (const [at, unit] of units.entries()) {
    if (unit.run !== run) continue;
    if (unit.piece === piece) begin = own;
    if (unit.lane === lane) own += unit.piece.duration;
    else {
      other += unit.piece.duration;
      last = at;
    }
  }
  return other > begin ? last : undefined;
}

/** The pieces of a video and of its own sound, run by run and each by its time, so that both are at hand together. */
export function planUnits(main: MediaPlaylist, audio: MediaPlaylist | undefined): Unit[] {
  const lanes = audio === undefined ? [main] : [main, audio];
  // If only one of two tells its discontinuities, neither's can be told from the other's.
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

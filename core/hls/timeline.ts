/** Puts pieces in order and in time: theirs begin anywhere, and again after a discontinuity or with each of them. */
import { parseJson } from "../text/is-object.ts";
import type { Kind } from "./formats.ts";
import type { Lanes } from "./load.ts";
import type { PieceTrack } from "./piece.ts";
import { type MediaPlaylist, type Piece, unsupported } from "./playlist.ts";

/** A playlist of the video: the one of the pictures, or that of sound of its own. */
export type Lane = 0 | 1;

/** Seconds of a lane in a run. */
interface LaneTimes {
  /** Added to its times, once they are known. */
  offset: number | null;
  /** Where its last piece begins, and where it ended so far. */
  begin: number | null;
  end: number | null;
  /** Where the lane ended in the former run: no piece may begin before. */
  floor: number;
}

export interface Timeline {
  run: number;
  base: number;
  lanes: readonly [LaneTimes, LaneTimes];
  /** Seconds at which the last of all packets ends. */
  last: number;
  /** The tick from which on the next sample may be decoded, for each track by its place in the file. */
  earliest: readonly number[];
}

/** Seconds by the clock of each lane. */
type Firsts = readonly [number | null, number | null];

export interface Unit {
  lane: Lane;
  piece: Piece;
  run: number;
}

type PlacedUnit = Omit<Unit, "piece"> & { piece: Pick<Piece, "duration" | "clock"> };

/** Seconds by which lanes of one clock may begin apart: by a piece, in a stream whose beginning is gone. */
const SAME_CLOCK = 10;
/** Seconds after which the counter of MPEG-TS starts again: one of two lanes may be there already. */
const CYCLE = 2 ** 33 / 90_000;
/** Seconds without anything that a video may hold between two pieces. */
const LONGEST_GAP = 5;

/** The beginning of a video, at the run of its first piece, and where each lane begins in it. */
export function beginTimeline(run: number, firsts: Firsts): Timeline {
  const nothing = { offset: null, begin: null, end: null, floor: 0 };
  return beginRun({ run, base: 0, last: 0, lanes: [nothing, nothing], earliest: [] }, run, firsts);
}

/** @param otherFirst seconds by the clock of the other lane at which it begins this run, where that is known */
export function placePiece(
  before: Timeline,
  { lane, run, piece: { duration, clock = 0 } }: PlacedUnit,
  otherFirst: number | null,
  own: readonly PieceTrack[],
): { offset: number; after: Timeline } {
  const tracks = own.map((track) => ({ ...track, first: track.first - clock, end: track.end - clock }));
  if (tracks.length === 0) return { offset: 0, after: withNothing(before, lane, run, duration) };
  const first = firstInRun(tracks);
  const firsts: Firsts = lane === 0 ? [first, otherFirst] : [otherFirst, first];
  const timeline = run > before.run ? beginRun(before, run, firsts) : before;
  const times = timeline.lanes[lane];
  // The pictures lead: sound often begins a little before or after them.
  const leading = tracks.find(({ type }) => type === "video") ?? (tracks[0] as PieceTrack);
  const offset =
    times.offset === null ? newOffset(timeline, lane, tracks) : continued(times, leading, duration);
  const [begin, end] = [leading.first + offset, leading.end + offset];
  const last = Math.max(timeline.last, ...tracks.map((track) => track.end + offset));
  return { offset: offset - clock, after: { ...withLane(timeline, lane, { offset, begin, end }), last } };
}

/** Both lanes keep their distance where they have one clock, and begin where neither's former run is cut. */
function beginRun({ last, lanes, earliest }: Timeline, run: number, [main, audio]: Firsts): Timeline {
  const [before, beside] = [lanes[0].end ?? lanes[0].floor, lanes[1].end ?? lanes[1].floor];
  // Seconds by which the counter of the pictures is ahead of that of the sound.
  const ahead = main === null || audio === null ? 0 : CYCLE * Math.round((main - audio) / CYCLE);
  const isSameClock = main !== null && audio !== null && Math.abs(main - audio - ahead) < SAME_CLOCK;
  const both = isSameClock ? Math.max(before - main, beside - audio - ahead) : undefined;
  const laneFrom = (first: number | null, shared: number | undefined, floor: number): LaneTimes => {
    const offset = shared ?? (first === null ? null : last - first);
    return { offset, begin: null, end: null, floor };
  };
  const shared = both === undefined ? undefined : both + ahead;
  return {
    run,
    base: last,
    lanes: [laneFrom(main, both, before), laneFrom(audio, shared, beside)],
    last,
    earliest,
  };
}

/** The first piece of a lane in a run begins with it, or keeps its distance from the other lane. */
function newOffset({ base, lanes }: Timeline, lane: Lane, tracks: readonly PieceTrack[]): number {
  const other = lanes[lane === 0 ? 1 : 0].offset;
  const first = firstOf(tracks);
  if (other === null || firstInRun(tracks) === null || Math.abs(first + other - base) >= SAME_CLOCK)
    return base - first;
  return Math.max(other, lanes[lane].floor - first);
}

/** A clock that jumps within a run, as counters that overflow do, is set to where the lane ended. */
function continued({ offset, begin, end }: LaneTimes, leading: PieceTrack, duration: number): number {
  if (offset === null || begin === null || end === null) return offset ?? 0;
  if (leading.isRelative) return end - leading.first;
  const gap = leading.first + offset - end;
  // Of two pieces that overlap neither is mostly in the other; and what one lacks at its beginning is no jump.
  const overlap = Math.min(1, duration / 2, (end - begin) / 2);
  const isSteady = gap >= -overlap && gap <= LONGEST_GAP + duration;
  return isSteady ? offset : end - leading.first;
}

/** A piece without anything in it lasts as well: what follows it isn't moved up, away from the other lane. */
function withNothing(before: Timeline, lane: Lane, run: number, duration: number): Timeline {
  const { end } = before.lanes[lane];
  // A run begins with what there is to place.
  return end === null || run > before.run ? before : withLane(before, lane, { end: end + duration });
}

function withLane(timeline: Timeline, lane: Lane, times: Partial<LaneTimes>): Timeline {
  const changed = { ...timeline.lanes[lane], ...times };
  const [main, audio] = timeline.lanes;
  return { ...timeline, lanes: lane === 0 ? [changed, audio] : [main, changed] };
}

/** Seconds of a run, by its clock, at which the first of all packets begins; `null` where they have no clock. */
export function firstInRun(tracks: readonly PieceTrack[], piece: Pick<Piece, "clock"> = {}): number | null {
  if (tracks.length === 0 || tracks.some(({ isRelative }) => isRelative)) return null;
  return firstOf(tracks) - (piece.clock ?? 0);
}

function firstOf(tracks: readonly PieceTrack[]): number {
  return Math.min(...tracks.map(({ first }) => first));
}

/** The kinds of tracks that are taken of each lane's pieces: those of pictures may hold sound as well, and those of their sound pictures. */
export function typesOf(lane: Lane, hasOwnSound: boolean): readonly Kind[] {
  if (!hasOwnSound) return ["video", "audio"];
  return lane === 0 ? ["video"] : ["audio"];
}

/**
 * Leaves out what isn't there of pieces that only the length of their Period names.
 *
 * @throws {InputError} where no piece of the other lane plays beyond the beginning of such a one: it would be lost silently
 */
export async function withoutMissing(
  { main, audio, ...more }: Lanes,
  isThere: (piece: Piece) => Promise<boolean>,
): Promise<Lanes> {
  const missing = new Set<Piece>();
  for (const piece of [main, audio].flatMap((lane) => lane?.pieces ?? []))
    if (piece.mayBeMissing !== undefined && !(await isThere(piece))) missing.add(piece);
  const isHere = (piece: Piece) => !missing.has(piece);
  const secondsHere = (pieces: readonly Piece[]) =>
    pieces.filter(isHere).reduce((sum, { duration }) => sum + duration, 0);
  for (const { run, mayBeMissing } of missing) {
    const ofRun = [main, audio].map((lane) => lane?.pieces.filter((piece) => piece.run === run) ?? []);
    const begin = Math.min(...ofRun.filter((pieces) => !pieces.every(isHere)).map(secondsHere));
    const isBeside = ofRun.some((pieces) => pieces.every(isHere) && secondsHere(pieces) > begin);
    if (mayBeMissing === "if-other-lasts" && !isBeside)
      throw unsupported("its last piece isn't there", main.url);
  }
  const [pictures, sound] = [main, audio].map(
    (lane) => lane && { ...lane, pieces: lane.pieces.filter(isHere) },
  );
  return { ...more, main: pictures ?? main, audio: sound };
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
      // The lanes begin a run together, however far apart they were by then.
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

/** A place to go on from, in another process too: the beginning of a piece. One is remembered of each part of 8 MiB. */
export interface Checkpoint {
  unit: number;
  /** Position in the file at which its fragment begins. */
  at: number;
  timeline: Timeline;
  /** Pieces of the plan: more may have come since to a stream that wasn't over. */
  count: number;
}

/** A checkpoint as a journal keeps it, with a digest of the bytes between it and the end of the part. */
export function writeCheckpoint({ unit, at, timeline, count }: Checkpoint, digest: string): string {
  const { run, base, lanes, last, earliest } = timeline;
  const times = TIMES.flatMap((name) => lanes.map((lane) => lane[name]));
  return JSON.stringify([digest, unit, at, count, run, base, last, ...times, ...earliest]);
}

const TIMES = ["offset", "begin", "end", "floor"] as const;

export function readCheckpoint(text: string | undefined): Checkpoint | undefined {
  const stored = parseJson(text ?? "");
  if (!Array.isArray(stored) || stored.length < 15) return undefined;
  const [, unit, at, count, run, base, last, ...rest] = stored;
  const [times, floors, earliest] = [rest.slice(0, 6), rest.slice(6, 8), rest.slice(8)];
  const amounts = [unit, at, count, run, base, last, ...floors, ...earliest];
  const isAmount = (value: unknown) => Number.isFinite(value) && Number(value) >= 0;
  if (!amounts.every(isAmount) || !times.every((time) => time === null || Number.isFinite(time)))
    return undefined;
  const laneOf = (lane: number) => {
    const [offset, begin, end] = [times[lane], times[lane + 2], times[lane + 4]];
    return { offset, begin, end, floor: floors[lane] };
  };
  const timeline: Timeline = { run, base, last, lanes: [laneOf(0), laneOf(1)], earliest };
  return unit < count ? { unit, at, count, timeline } : undefined;
}

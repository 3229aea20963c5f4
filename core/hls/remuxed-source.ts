/** A video in pieces as a source: each is fetched, read and written as a fragment, from the first or a checkpoint on. */
import { digest, sha256 } from "../content/digest.ts";
import { UploadError } from "../errors/errors.ts";
import { tell } from "../options/tell.ts";
import { originOf } from "../redaction/redaction.ts";
import { PART_SIZE } from "../source/parts.ts";
import type { ReadableSource } from "../source/source.ts";
import { changed } from "../source/url-request.ts";
import { type Reader, StreamWindow } from "../source/window.ts";
import { parseJson } from "../text/is-object.ts";
import { kindOfTrack, type PieceTrack, UnreadablePiece } from "./demux.ts";
import { type Fetching, Memory } from "./fetch-bytes.ts";
import { beginLane, refusing, type Unread } from "./first-piece.ts";
import { FORMAT_CHANGES } from "./formats.ts";
import type { Lanes } from "./load.ts";
import { type Fragment, muxFragment, muxHead, type TrackClock, trackClockOf } from "./mux.ts";
import type { HlsOptions } from "./options.ts";
import { PieceReader, type Reading } from "./piece-reader.ts";
import { type LoadedPiece, loadUnit, pieceLoader } from "./pieces.ts";
import { beginTimeline, firstInRun, placePiece, planUnits, type Timeline, type Unit } from "./timeline.ts";

export { loadMediabunny } from "./mediabunny.ts";

export async function remuxedSource(
  lanes: Lanes,
  name: string,
  { onProgress }: HlsOptions,
  how: Fetching,
): Promise<ReadableSource> {
  const { main, audio } = lanes;
  const { url } = main;
  const units = planUnits(main, audio);
  const loader = pieceLoader(how);
  const place = originOf(url);
  const pieceAt = (at: number, signal: AbortSignal) => loadUnit(loader, units, at, { name: place, signal });
  const unread: Unread = {
    url,
    units,
    hasOwnSound: audio !== undefined,
    piece: (at) => pieceAt(at, how.signal),
    init: (init) => loader.init(init, how.signal),
  };
  const begun = [await beginLane(0, unread)];
  if (audio !== undefined) begun.push(await beginLane(1, unread));
  const firsts = new Map(begun.flatMap(({ loaded }) => [...loaded]));
  let count = 0;
  const trackOf = (track: PieceTrack): LaneTrack => {
    const { type, number } = track;
    return { type, number, id: ++count, kind: kindOfTrack(track), clock: trackClockOf(track) };
  };
  const tracks = begun.map((lane) => lane.tracks.map(trackOf));
  const allTracks = begun.flatMap((lane) => lane.tracks);
  const video: Remuxing = {
    units,
    head: await refusing(url, () => muxHead(allTracks)),
    lanes: tracks,
    start: beginTimeline(units[0]?.run ?? 0, [
      firstInRun(begun[0]?.tracks ?? [], main.pieces[0] ?? {}),
      firstInRun(begun[1]?.tracks ?? [], audio?.pieces[0] ?? {}),
    ]),
    firstPieces: begun.map(({ first }) => first),
    name: place,
    onProgress,
    async load(at, signal) {
      const first = firsts.get(at);
      // First pieces are held until they are wanted, which they mostly are at once.
      firsts.delete(at);
      return first ?? (await pieceAt(at, signal));
    },
  };
  return piecesSource(video, name, await identityOf(lanes, firsts.values(), video.head));
}

/** Names the video, whatever its address. Lengths of a stream that isn't over are left out, since it goes on. */
async function identityOf(lanes: Lanes, firsts: Iterable<LoadedPiece>, head: Uint8Array): Promise<string> {
  const isWhole = lanes.main.ended && lanes.audio?.ended !== false;
  const parts: (string | Uint8Array)[] = ["hls 3", head];
  // Two languages may begin with the same silence.
  if (lanes.language !== undefined) parts.push(lanes.language);
  for (const { bytes, init } of firsts) parts.push(init ?? "", bytes);
  if (isWhole)
    for (const lane of [lanes.main, lanes.audio])
      for (const { duration, run, range, clock } of lane?.pieces ?? []) {
        const size = range === undefined ? "" : range.end - range.start;
        parts.push(`${duration} ${run} ${size}${clock ? ` ${clock}` : ""}`);
      }
  return await digest(parts);
}

function piecesSource(video: Remuxing, name: string, identity: string): ReadableSource {
  let known: string[] = [];
  let count = video.units.length;
  let window: StreamWindow | undefined;

  const checkpointFor = (position: number): Checkpoint | undefined => {
    for (let part = Math.floor(position / PART_SIZE) - 1; part >= 0; part--) {
      const checkpoint = readCheckpoint(known[part]);
      if (checkpoint !== undefined && checkpoint.unit < count) return checkpoint;
    }
    return undefined;
  };

  return {
    name,
    type: "video/mp4",
    size: undefined,
    rereadable: false,
    identity: async () => identity,
    async slice(start, end) {
      if (!window?.reaches(start)) {
        window?.cancel();
        const from = checkpointFor(start);
        window = new StreamWindow(remux(video, from, count, known), undefined, from?.at ?? 0);
      }
      return await window.read(start, end);
    },
    parts: () => known,
    expect(parts) {
      if (known.some((part, at) => parts[at] !== undefined && parts[at] !== part))
        throw changed({ origin: video.name });
      known = [...parts, ...known.slice(parts.length)];
      window?.cancel();
      window = undefined;
      const last = readCheckpoint(parts.at(-1));
      // A stream that went on since is taken as far as it was when its upload began.
      if (last !== undefined) count = Math.min(video.units.length, last.count);
    },
    async close() {
      window?.cancel();
      window = undefined;
    },
  };
}

interface LaneTrack {
  type: PieceTrack["type"];
  /** In the first piece, and in the file. */
  number: number;
  id: number;
  /** All that makes it one track: the same in each of its pieces. */
  kind: string;
  clock: TrackClock;
}

interface Remuxing extends Reading {
  head: Uint8Array;
  /** The tracks of each lane. */
  lanes: readonly (readonly LaneTrack[])[];
  start: Timeline;
  /** The origin of the video, as a message may show it. */
  name: string;
  onProgress: HlsOptions["onProgress"] | undefined;
}

/** Seconds: a piece may begin a moment before the video does. */
const EARLIEST = -0.5;

/** @param known the checkpoints of parts: those that are found are added, or compared */
function remux(video: Remuxing, from: Checkpoint | undefined, count: number, known: string[]): Reader {
  const { units, head, name, onProgress } = video;
  const stopper = new AbortController();
  let { unit: number, at, timeline } = from ?? { unit: 0, at: 0, timeline: video.start };
  const reader = new PieceReader(video, number, count, stopper.signal);
  const seconds = secondsOf(units.slice(0, count));
  /** Seconds that are in the file. */
  let over = secondsOf(units.slice(0, number));
  const memory = new Memory(1);
  let latest = memory.take(0);

  /** All pieces together make as much more than those so far as they play longer. */
  function report({ duration }: Unit["piece"]): void {
    over += duration;
    if (over <= 0) return;
    const estimated = Math.round(at * Math.max(1, seconds / over));
    tell(onProgress, { fetched: at, estimated }, (error) => stopper.abort(error));
  }

  async function fragmentOf(unit: Unit) {
    try {
      const { piece, tracks: own, otherFirst } = await reader.read(number, timeline.run);
      const nothing = new Uint8Array(0);
      if (own === undefined) return { piece, value: nothing, after: timeline };
      const tracks = ownTracks(video.lanes[unit.lane] ?? [], own);
      const { offset, after } = placePiece(timeline, unit, otherFirst, own);
      // The pieces read at opening tell where the video begins.
      if (own.some(({ first }) => first + offset < EARLIEST))
        throw new UnreadablePiece("it isn't the piece that was there when the video was opened");
      if (own.length === 0) return { piece, value: nothing, after };
      const fragment = { tracks, sequence: number + 1, offset, earliest: after.earliest };
      const { value, earliest } = muxFragment(fragment, allocate);
      return { piece, value, after: { ...after, earliest } };
    } catch (error) {
      if (!(error instanceof UnreadablePiece)) throw error;
      const state = `piece ${number + 1} of ${units.length}: ${error.message}`;
      throw new UploadError("source-unreadable", `Cannot read the video from ${name}, ${state}`);
    }
  }

  /** Notes where parts end in this fragment, or compares it with what was noted before. */
  async function remember(fragment: Uint8Array<ArrayBuffer>): Promise<void> {
    const end = at + fragment.length;
    for (let part = Math.floor(at / PART_SIZE); (part + 1) * PART_SIZE <= end; part++) {
      const bytes = fragment.subarray(0, (part + 1) * PART_SIZE - at);
      // Short, since it guards against chance alone.
      const digest = (await sha256(bytes)).slice(0, 16);
      const found = writeCheckpoint({ unit: number, at, timeline, count }, digest);
      known[part] ??= found;
      if (known[part] !== found) throw changed({ origin: name });
    }
  }

  /** A reader copies what it is given before it asks for more. */
  function allocate(size: number): Uint8Array<ArrayBuffer> {
    memory.give(latest);
    latest = memory.take(size);
    return latest;
  }

  return {
    async read() {
      if (at === 0) {
        at = head.length;
        return { value: head, done: false };
      }
      for (const unit of units.slice(number, count)) {
        const { piece, value, after } = await fragmentOf(unit);
        piece.release();
        await remember(value);
        timeline = after;
        number++;
        at += value.length;
        report(unit.piece);
        // All pieces may be there by now, so that no request ends with it.
        stopper.signal.throwIfAborted();
        if (value.length > 0) return { value, done: false };
      }
      return { done: true };
    },
    cancel: () => stopper.abort(new Error("closed")),
  };
}

function ownTracks(known: readonly LaneTrack[], tracks: readonly PieceTrack[]): Fragment["tracks"] {
  const taken = new Set<LaneTrack>();
  return tracks.map((track) => {
    const kind = kindOfTrack(track);
    const alike = known.filter((each) => each.kind === kind && !taken.has(each));
    const others = tracks.filter((other) => other !== track && kindOfTrack(other) === kind);
    // Numbers may change, but of two languages one may be missing here.
    const found =
      alike.find(({ number }) => number === track.number) ??
      alike.find(({ number }) => !others.some((other) => other.number === number));
    const isLate = !known.some(({ type }) => type === track.type);
    if (isLate)
      throw new UnreadablePiece(`its ${track.type === "audio" ? "sound begins" : "pictures begin"} late`);
    if (found === undefined) throw new UnreadablePiece(FORMAT_CHANGES);
    taken.add(found);
    return { ...found, track };
  });
}

function secondsOf(units: readonly Unit[]): number {
  return units.reduce((sum, { piece }) => sum + piece.duration, 0);
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

/** A video in pieces as a source: each is fetched, read and written as a fragment, from the first or a checkpoint on. */
import { digest, sha256 } from "../content/digest.ts";
import { UploadError } from "../errors/errors.ts";
import { tell } from "../options/tell.ts";
import { originOf } from "../redaction/redaction.ts";
import { PART_SIZE } from "../source/parts.ts";
import type { ReadableSource } from "../source/source.ts";
import { changed } from "../source/url-request.ts";
import { type Reader, StreamWindow } from "../source/window.ts";
import { hasTrack } from "./boxes.ts";
import { Demuxer, kindOfTrack } from "./demux.ts";
import { type Fetching, Memory } from "./fetch-bytes.ts";
import { FORMAT_CHANGES, wordsOf } from "./formats.ts";
import type { Lanes } from "./load.ts";
import { type Fragment, muxFragment, muxHead, type TrackClock, trackClockOf } from "./mux.ts";
import type { HlsOptions } from "./options.ts";
import { type FirstPiece, firstPieceOf, type PieceTrack, type TrackFacts, UnreadablePiece } from "./piece.ts";
import { checkLength, PieceReader, type Reading, readWhole } from "./piece-reader.ts";
import { type LoadedPiece, loadUnit, pieceLoader } from "./pieces.ts";
import { type Init, refusal, unsupported } from "./playlist.ts";
import {
  beginTimeline,
  type Checkpoint,
  firstInRun,
  type Lane,
  placePiece,
  planUnits,
  readCheckpoint,
  type Timeline,
  typesOf,
  type Unit,
  withoutMissing,
  writeCheckpoint,
} from "./timeline.ts";

export { loadMediabunny } from "./mediabunny.ts";

export async function remuxedSource(
  listed: Lanes,
  name: string,
  { onProgress, onLeftOut }: HlsOptions,
  how: Fetching,
): Promise<ReadableSource> {
  const loader = pieceLoader(how);
  const lanes = await withoutMissing(listed, (piece) => loader.isThere(piece, how.signal));
  const { main, audio } = lanes;
  const { url } = main;
  const units = planUnits(main, audio);
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
  const allTracks = begun.flatMap(({ tracks }) => tracks);
  const trackOf = (track: PieceTrack, first: FirstPiece): LaneTrack => {
    const [{ type, number }, id] = [track, allTracks.indexOf(track) + 1];
    return { type, number, id, kind: kindOfTrack(track, first), clock: trackClockOf(track) };
  };
  const video: Remuxing = {
    units,
    head: await refusing(url, () => muxHead(allTracks)),
    lanes: begun.map(({ first, tracks }) => tracks.map((track) => trackOf(track, first))),
    start: beginTimeline(units[0]?.run ?? 0, [
      firstInRun(begun[0]?.tracks ?? [], main.pieces[0] ?? {}),
      firstInRun(begun[1]?.tracks ?? [], audio?.pieces[0] ?? {}),
    ]),
    firstPieces: begun.map(({ first }) => first),
    name: place,
    onProgress,
    onShort: (seconds) => onLeftOut?.({ languages: [], subtitles: [], seconds }),
    async load(at, signal) {
      const first = firsts.get(at);
      // First pieces are held until they are wanted, which they mostly are at once.
      firsts.delete(at);
      return first ?? (await pieceAt(at, signal));
    },
  };
  return piecesSource(video, name, await identityOf(lanes, firsts.values(), video.head));
}

interface Unread {
  url: URL;
  units: readonly Unit[];
  hasOwnSound: boolean;
  piece(at: number): Promise<LoadedPiece>;
  init(init: Init): Promise<Uint8Array>;
}

interface Begun {
  tracks: PieceTrack[];
  first: FirstPiece;
  /** The pieces that were loaded, by their numbers, and will be read again. */
  loaded: Map<number, LoadedPiece>;
}

async function beginLane(lane: Lane, video: Unread): Promise<Begun> {
  const { url, units, hasOwnSound } = video;
  const at = units.findIndex((unit) => unit.lane === lane);
  const read = async (piece: LoadedPiece, isAgain: boolean) => {
    const how = { seconds: units[at]?.piece.duration, isAgain };
    const tracks = await new Demuxer().read(piece, typesOf(lane, hasOwnSound), how);
    // The next piece tells whether it is the playlist that is wrong, once it is there.
    if (!isAgain) checkLength(units[at] as Unit, tracks);
    return tracks;
  };
  const readFirst = () => readWhole(() => video.piece(at), read);
  const { piece, content: tracks } = await refusing(url, readFirst, "its first piece");
  const refuse = (words: string) => unsupported(words, url);
  const pictures = tracks.filter(({ type }) => type === "video");
  if (lane === 0 && pictures.length === 0) throw refuse("its first piece holds no pictures that can be read");
  if (tracks.length === 0) throw refuse("its first piece holds no sound that can be read");
  if (pictures.some(({ packets }) => packets[0]?.type !== "key"))
    throw refuse("its first piece begins with a picture that needs others");
  const begun = { tracks, first: firstPieceOf(piece), loaded: new Map([[at, piece]]) };
  const lacksSound = !hasOwnSound && tracks.every(({ type }) => type !== "audio");
  const mayBeLate =
    begun.first.tables !== undefined || (piece.init !== undefined && hasTrack(piece.init, "soun"));
  if (lacksSound && mayBeLate) tracks.push(...(await lateSound(begun, video)));
  await checkRuns(lane, begun, video);
  return begun;
}

/** Does work on pieces of a video, whose refusal names the one that can't be read. */
async function refusing<T>(url: URL, work: () => Promise<T>, piece?: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UnreadablePiece)) throw error;
    const { code, message } = error;
    throw refusal({ code, message: piece === undefined ? message : `${message} (${piece})` }, url);
  }
}

/** @throws {InputError} where the sound of a video whose first piece has none begins behind the second, as the last piece tells */
async function lateSound({ first, loaded }: Begun, { url, units, piece }: Unread): Promise<PieceTrack[]> {
  const second = units[1]?.run === units[0]?.run ? 1 : undefined;
  const last = units.length - 1;
  for (const at of new Set([second ?? last, last])) {
    if (at === 0) continue;
    const later = await piece(at);
    // Pieces behind the second aren't needed yet.
    if (at === 1) loaded.set(at, later);
    const sound = await new Demuxer().read(later, ["audio"], { first }).catch((error: unknown) => {
      // An unreadable piece is reported with its own number when its turn comes.
      if (error instanceof UnreadablePiece) return [];
      throw error;
    });
    if (sound.length === 0) continue;
    if (at === second) return sound;
    throw unsupported("its sound begins late: its first pieces have none", url);
  }
  return [];
}

/** Runs and heads that are looked at beforehand: a video mostly has one, and two more for each advertisement. */
const MOST_RUNS = 50;
/** Of a long video there may be more, unless that would fetch a large part of it twice: some begin a run with each piece. */
const PIECES_PER_RUN = 4;

/** Reads what each run begins with, and each head: what one file can't hold is known before anything is sent. */
async function checkRuns(lane: Lane, { tracks, first }: Begun, video: Unread): Promise<void> {
  const { url, units, hasOwnSound, init: load, piece: loadPiece } = video;
  const types = typesOf(lane, hasOwnSound);
  const demuxer = new Demuxer();
  const seen = new Set<string>();
  const own = [...units.entries()].filter(([, unit]) => unit.lane === lane);
  const begins = own.filter(([, { run, piece }]) => {
    const { href, range } = piece.init ?? {};
    const name = JSON.stringify(href === undefined ? run : [href, range]);
    return !seen.has(name) && seen.add(name);
  });
  const most = Math.max(MOST_RUNS, own.length / PIECES_PER_RUN);
  for (const [at, { piece }] of begins.slice(1, most)) {
    const { init, duration: seconds } = piece;
    const bytes = init && (await load(init));
    const read = (loaded: LoadedPiece, isAgain: boolean) =>
      demuxer.read(loaded, types, { first, seconds, isAgain });
    const readFacts = async () =>
      (bytes && (await demuxer.factsOf(bytes, types))) ??
      (await readWhole(() => loadPiece(at), read)).content;
    for (const facts of await refusing(url, readFacts, `piece ${at + 1}`)) {
      const isKnown = (how: FirstPiece) =>
        tracks.some((track) => kindOfTrack(track, how) === kindOfTrack(facts, how));
      // Pictures of several heads hold their parameters themselves, as those of MPEG-TS do.
      if (!isKnown({})) first.hasParameters = isKnown({ hasParameters: true });
      if (!isKnown(first)) throw unsupported(changeOf(tracks, facts), url);
    }
  }
}

function changeOf(tracks: readonly TrackFacts[], facts: TrackFacts): string {
  const before = tracks.find(({ type }) => type === facts.type);
  const [one, other] = [before, facts].map((each) => each && nameOf(each));
  if (before === undefined || one === other) return FORMAT_CHANGES;
  return `${wordsOf(facts.type)} in ${one} at first and in ${other} later, which one file can't hold`;
}

function nameOf({ type, codec, config }: TrackFacts): string {
  const name = codec.toUpperCase();
  if (type === "video") return name;
  const { sampleRate, numberOfChannels } = config as AudioDecoderConfig;
  return `${name} of ${sampleRate / 1000} kHz and ${numberOfChannels} channel${numberOfChannels === 1 ? "" : "s"}`;
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

  async function fragmentOf(unit: Unit) {
    try {
      const { piece, tracks: own, otherFirst } = await reader.read(number, timeline.run);
      const tracks = ownTracks(video.lanes[unit.lane] ?? [], own, video.firstPieces[unit.lane]);
      const { offset, after } = placePiece(timeline, unit, otherFirst, own);
      // The pieces read at opening tell where the video begins.
      if (own.some(({ first }) => first + offset < EARLIEST))
        throw new UnreadablePiece("it isn't the piece that was there when the video was opened");
      if (own.length === 0) return { piece, value: new Uint8Array(0), after };
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
        over += unit.piece.duration;
        // All pieces together make as much more than those so far as they play longer.
        const estimated = Math.round(at * Math.max(1, seconds / over));
        if (over > 0) tell(onProgress, { fetched: at, estimated }, (error) => stopper.abort(error));
        // All pieces may be there by now, so that no request ends with it.
        stopper.signal.throwIfAborted();
        if (value.length > 0) return { value, done: false };
      }
      return { done: true };
    },
    cancel: () => stopper.abort(new Error("closed")),
  };
}

function ownTracks(
  known: readonly LaneTrack[],
  tracks: readonly PieceTrack[],
  first?: FirstPiece,
): Fragment["tracks"] {
  const taken = new Set<LaneTrack>();
  return tracks.map((track) => {
    const kind = kindOfTrack(track, first);
    const alike = known.filter((each) => each.kind === kind && !taken.has(each));
    const others = tracks.filter((other) => other !== track && kindOfTrack(other, first) === kind);
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

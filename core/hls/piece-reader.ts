/** The tracks of pieces, each read with what its neighbours tell of it. */
import { joined } from "../content/digest.ts";
import { Demuxer } from "./demux.ts";
import {
  EmptyPiece,
  type FirstPiece,
  IncompletePiece,
  type Lead,
  type PieceReading,
  type PieceTrack,
  type Rest,
  scanOf,
  UnreadablePiece,
} from "./piece.ts";
import { pieceQueue } from "./piece-queue.ts";
import type { LoadedPiece } from "./pieces.ts";
import { isSamePlace, type Piece } from "./playlist.ts";
import { firstInRun, type Lane, typesOf, type Unit } from "./timeline.ts";
import { countersOf, goesOn, longestPause, type Scan, UNUSUAL } from "./transport-stream.ts";

export interface Reading {
  units: readonly Unit[];
  lanes: readonly unknown[];
  /** The description that the first piece of each lane has for the others. */
  firstPieces: readonly FirstPiece[];
  load(unit: number, signal: AbortSignal): Promise<LoadedPiece>;
  /** Called where a piece lacks so many seconds, the second time as well, and is taken without them. */
  onShort(seconds: number): void;
}

export interface ReadPiece {
  piece: LoadedPiece;
  tracks: PieceTrack[];
  /** Seconds at which the other lane begins a run that begins with this piece. */
  otherFirst: number | null;
}

/** Seconds by which most playlists are inexact, and by which they are at most. */
const EXACT = 0.02;
const INEXACT = 0.5;
/** The part of its length that a piece must play, where no next one tells when it ends. */
const LEAST = 2 / 3;

/** When the packets of a piece play. */
interface Extent {
  first: number;
  end: number;
  /** Seconds by which it is shorter than its playlist says. */
  missing: number;
}

/** A piece that was read, as far as the next one of its lane is compared with it. */
interface Before extends Extent {
  run: number;
  /** True if each piece of the run so far begins where the one before ends; unknown with one of them. */
  isSteady: boolean | undefined;
  /** The packets of a piece of MPEG-TS. */
  scan: Scan | undefined;
}

export class PieceReader {
  readonly #video: Reading;
  readonly #count: number;
  readonly #signal: AbortSignal;
  readonly #queue: ReturnType<typeof pieceQueue>;
  readonly #demuxer = new Demuxer();
  #unit = 0;
  /** True if the counters of MPEG-TS go on from piece to piece, as far as was seen. */
  #areCounted: boolean | undefined;
  /** Seconds by which a piece that is whole was seen to differ from what its playlist says, at most. */
  #inexact = 0;
  /** The longest pause between access units that the stream itself has, in usual ones. */
  #longestPause = 1;
  /** The number of the last piece that was fetched again before its turn. */
  #fetchedAgain: number | undefined;
  readonly #before: (Before | undefined)[] = [];
  readonly #known = new Map<string, { piece: Piece; isFirst: boolean }>();

  constructor(video: Reading, first: number, count: number, signal: AbortSignal) {
    this.#video = video;
    this.#count = count;
    this.#signal = signal;
    this.#queue = pieceQueue((unit) => video.load(unit, signal), first, count);
  }

  /** @param run the one of the piece before */
  async read(at: number, run: number): Promise<ReadPiece> {
    const { units, load } = this.#video;
    const unit = units[at];
    if (unit === undefined) throw new UnreadablePiece("a piece is missing");
    this.#unit = at;
    const otherFirst = unit.run > run ? await this.#firstOfOther(unit) : null;
    const loaded = await this.#queue.take();
    const read = (piece: LoadedPiece, isAgain: boolean) => this.#readChecked(unit, piece, isAgain);
    const isFresh = at === this.#fetchedAgain;
    const { piece, content: tracks } = await readWhole(() => load(at, this.#signal), read, loaded, isFresh);
    this.#remember(unit, piece, tracks);
    return { piece, tracks, otherFirst };
  }

  #remember(unit: Unit, piece: LoadedPiece, tracks: PieceTrack[]): void {
    const { lane, run } = unit;
    const scan = this.#video.firstPieces[lane]?.tables && scanOf(piece);
    const before = this.#beforeOf(unit);
    if (tracks.length === 0) {
      if (before !== undefined) before.scan = scan;
      return;
    }
    const extent = extentOf(unit, tracks);
    const isSteady = before && before.isSteady !== false && Math.abs(extent.first - before.end) <= INEXACT;
    this.#before[lane] = { ...extent, run, isSteady, scan };
    this.#known.set(contentOf(unit, piece, extent.first), {
      piece: unit.piece,
      isFirst: before === undefined,
    });
  }

  #beforeOf({ lane, run }: Unit): Before | undefined {
    return this.#before[lane]?.run === run ? this.#before[lane] : undefined;
  }

  /**
   * Refuses another piece of the stream in the place of one, as servers and caches give it that mix up addresses: the next
   * piece fills a hole before it, or two addresses give the same packets. A slate may come again, and leaves no hole.
   */
  async #checkPlace(unit: Unit, loaded: LoadedPiece, tracks: PieceTrack[]): Promise<void> {
    const { lane, run, piece } = unit;
    const before = this.#beforeOf(unit);
    if (before === undefined) return;
    const { first, end } = extentOf(unit, tracks);
    const content = contentOf(unit, loaded, first);
    const known = this.#known.get(content);
    const isOther = known !== undefined && !isSamePlace(known.piece, piece);
    const leeway = Math.max(INEXACT, piece.duration / 2);
    if (Math.abs(first - before.end) <= leeway && !isOther) return;
    // If the clock of a first piece leaves no time for one before it, as that of most slates, it is the first one.
    const length = known?.piece.duration ?? 0;
    const hasTimeBefore = (firstInRun(tracks, piece) ?? 0) > Math.max(length - INEXACT, length / 2);
    if (isOther && known.isFirst && hasTimeBefore)
      throw new UnreadablePiece("its server gave it for an earlier piece as well");
    const following = await this.#nextOf(lane, run);
    const next = following && extentOf(unit, await this.#readNext(unit));
    const isAlike = next && contentOf(unit, following.loaded, next.first) === content;
    const isTwice = isAlike && !isSamePlace(piece, following.unit.piece);
    const isLeft = next ? next.first - before.end > piece.duration / 2 : before.isSteady;
    const isFilled =
      first - before.end > leeway && next && next.first > before.end - INEXACT && next.end < first + INEXACT;
    // The first two pieces of a run may be swapped.
    const isFirst = before.isSteady === undefined && Math.abs(end - before.first) <= INEXACT;
    if (isFilled || isFirst || ((isOther || isTwice) && isLeft))
      throw new IncompletePiece("another piece is in its place");
  }

  async #readChecked(unit: Unit, loaded: LoadedPiece, isAgain: boolean): Promise<PieceTrack[]> {
    const { lane, run, piece } = unit;
    const { tables, scan: beginning } = this.#video.firstPieces[lane] ?? {};
    const scan = tables && scanOf(loaded);
    const before = this.#beforeOf(unit);
    const follows = before?.scan && scan && goesOn(before.scan, scan, tables, beginning);
    // Pieces of other formats count no packets, and would only wait for the next one.
    const isFollowed = scan && (await this.#isFollowed(unit, scan, follows, isAgain));
    const hasNext = this.#placeOfNext(lane, run) !== undefined;
    const rest: PieceReading["rest"] = async (isNeeded, leadIn) =>
      isNeeded || isFollowed !== false
        ? await this.#restOf(unit, isNeeded, leadIn)
        : { bytes: new Uint8Array(0), goesOn: true };
    const how = { isAgain, rest, seconds: piece.duration };
    const tracks = await this.#tracksOf(lane, loaded, how).catch((error: unknown) => {
      // Packagers write such a last piece of sound, for what the pieces before are longer than they should be.
      const isExtra = isAgain && !hasNext && piece.duration <= INEXACT;
      if (isExtra && error instanceof EmptyPiece) return [];
      throw error;
    });
    // In fMP4 a piece says itself that it holds no samples.
    if (scan && tracks.length === 0 && piece.duration > INEXACT) throw new EmptyPiece("nothing is in it");
    if (tracks.length === 0 || piece.mayBeMissing !== undefined) return tracks;
    await this.#checkPlace(unit, loaded, tracks);
    await this.#checkOverlap(unit, tracks);
    const areCounted = isFollowed || follows || this.#areCounted;
    const { first: begin, missing } = extentOf(unit, tracks);
    // A single picture is taken to last as long as the piece should.
    const isSingle = tracks.every(({ packets }) => packets.length === 1);
    const longest = (before?.missing ?? 0) + (isSingle ? piece.duration : missing);
    // A gap that neither of both leaves is the stream's own.
    if (areCounted && before && follows === false && isGap(begin - before.end, longest))
      throw new IncompletePiece("packets between it and the one before are missing");
    const streams = scan && !hasNext ? countersOf(scan, tables) : [];
    const isCut = streams.some(({ lacking }) => lacking > 0);
    const isFull = streams.some(({ isFull }) => isFull);
    // Pictures that are decoded last are shown among others.
    const isLong = (track: PieceTrack) => pauseIn(track) > UNUSUAL * this.#longestPause;
    const mayBeCut = isFull || (streams.length > 0 && tracks.some(isLong));
    // Advertisements may be put in anywhere.
    if ((isCut && this.#isLast(lane)) || (!isAgain && (isCut || mayBeCut)))
      throw new IncompletePiece("it ends within an access unit");
    if (!isFollowed) await this.#checkLength(unit, tracks, { hasNext, isAgain, isFull });
    this.#inexact = Math.max(this.#inexact, missing, Math.abs(differenceOf(unit, tracks)));
    this.#areCounted = areCounted ?? (isFollowed === false ? false : undefined);
    return tracks;
  }

  /**
   * True if the packets of the next piece go on with those of a piece; unknown where nothing tells. Counters of four bits
   * come to the same number again, and times tell what they don't. Either of both pieces may lack packets, and is fetched
   * again once.
   */
  async #isFollowed(
    unit: Unit,
    scan: Scan,
    follows: boolean | undefined,
    isAgain: boolean,
  ): Promise<boolean | undefined> {
    const { lane, run } = unit;
    const { tables, scan: beginning } = this.#video.firstPieces[lane] ?? {};
    if (tables === undefined) return undefined;
    const streams = countersOf(scan, tables);
    const areCut = streams.some(({ areCut }) => areCut);
    for (let isFresh = false; ; isFresh = true) {
      const next = await this.#nextOf(lane, run);
      const nextScan = next && scanOf(next.loaded);
      const isFollowed = nextScan && goesOn(scan, nextScan, tables, beginning);
      const isBroken =
        (isFollowed === false && (follows || this.#areCounted) !== false) ||
        (nextScan !== undefined && countersOf(nextScan, tables).length < streams.length);
      const { length, seconds } = longestPause([this.#beforeOf(unit)?.scan, scan, nextScan], tables);
      const isLong = length > UNUSUAL * this.#longestPause;
      if (!isBroken && !areCut && !isLong) return isFollowed;
      if (!isAgain) throw new IncompletePiece("packets of it are missing");
      if (next === undefined || isFresh) {
        // A pause of the stream itself comes again, and tells that others do.
        this.#longestPause = Math.max(this.#longestPause, length);
        if (isLong && seconds > 0) this.#video.onShort(seconds);
        return isFollowed;
      }
      await this.#queue.drop(next.at);
      this.#fetchedAgain = next.at;
    }
  }

  #isLast(lane: Lane): boolean {
    return !this.#video.units.some((other, place) => place > this.#unit && other.lane === lane);
  }

  /** Refuses a piece that holds the next one as well: that would be shown twice. */
  async #checkOverlap(unit: Unit, tracks: PieceTrack[]): Promise<void> {
    const { duration } = unit.piece;
    const { first, end } = extentOf(unit, tracks);
    if (end - first - duration <= Math.max(INEXACT, duration / 2)) return;
    const next = await this.#readNext(unit);
    if (next.length > 0 && isGap(first + duration - extentOf(unit, next).first, INEXACT))
      throw new IncompletePiece("it holds the next piece as well");
  }

  /** Refuses a piece that is too short, unless the next one begins where it ends: then the playlist is wrong. */
  async #checkLength(
    unit: Unit,
    tracks: PieceTrack[],
    { hasNext, isAgain, isFull }: { hasNext: boolean; isAgain: boolean; isFull: boolean },
  ): Promise<void> {
    const { duration, isNominal } = unit.piece;
    const { end, missing } = extentOf(unit, tracks);
    const next = hasNext && missing > INEXACT ? await this.#readNext(unit) : undefined;
    const gap = next && extentOf(unit, next).first - end;
    const isTold = isGap(gap, duration);
    if (isTold ? gap < missing / 2 : isNominal || this.#inexact > INEXACT) return;
    // All of it came twice: a player shows what is there, and ends.
    if (!hasNext && isAgain && this.#isLast(unit.lane)) {
      // Sound that ends earlier tells that pictures do, too, where their last packet doesn't.
      const early = isFull ? end - Math.min(...tracks.map((track) => track.end)) : 0;
      const difference = Math.max(early, differenceOf(unit, tracks));
      if (difference > Math.max(EXACT, this.#inexact)) this.#video.onShort(difference);
      return;
    }
    // If it is no other the second time, it is all there is, unless much is missing.
    const usual = isAgain && !isTold ? Math.max(INEXACT, (1 - LEAST) * duration) : INEXACT;
    if (hasNext || isAgain) checkLength(unit, tracks, usual);
    else checkLength(unit, timedIn(tracks), EXACT);
  }

  async #tracksOf(lane: Lane, piece: LoadedPiece, how: PieceReading = {}): Promise<PieceTrack[]> {
    const { lanes, firstPieces } = this.#video;
    return await this.#demuxer.read(piece, typesOf(lane, lanes.length > 1), {
      ...how,
      first: firstPieces[lane],
    });
  }

  /** Packagers may cut anywhere: what the next pieces of a lane begin with of the last picture or frame. */
  async #restOf(
    unit: Unit,
    isNeeded: boolean,
    leadIn: (piece: LoadedPiece) => Lead | undefined,
  ): Promise<Rest> {
    const { units, load } = this.#video;
    const leads: Uint8Array[] = [];
    let goesOn = false;
    for (let at = this.#unit + 1; at < this.#count; at++) {
      const next = units[at];
      if (next?.lane !== unit.lane) continue;
      if (next.run !== unit.run && !isNeeded) break;
      goesOn ||= next.run === unit.run;
      const loaded = (await this.#queue.peek(at, unit.lane)) ?? (await load(at, this.#signal));
      const lead = leadIn(loaded);
      if (lead === undefined) break;
      // The memory of a piece is used again.
      leads.push(lead.bytes.slice());
      if (!lead.isAll) break;
    }
    return { bytes: joined(leads), goesOn };
  }

  #placeOfNext(lane: Lane, run: number): number | undefined {
    const { units } = this.#video;
    let at = this.#unit + 1;
    while (at < this.#count && units[at]?.lane !== lane) at++;
    return at < this.#count && units[at]?.run === run ? at : undefined;
  }

  async #nextOf(
    lane: Lane,
    run: number,
  ): Promise<{ unit: Unit; loaded: LoadedPiece; at: number } | undefined> {
    const at = this.#placeOfNext(lane, run);
    const unit = at === undefined ? undefined : this.#video.units[at];
    if (at === undefined || unit === undefined) return undefined;
    const loaded = await this.#queue.peek(at, lane);
    return loaded && { unit, loaded, at };
  }

  async #readNext({ lane, run }: Unit): Promise<PieceTrack[]> {
    const next = await this.#nextOf(lane, run);
    try {
      return next === undefined ? [] : await this.#tracksOf(lane, next.loaded);
    } catch (error) {
      // An unreadable piece is reported with its own number when its turn comes.
      if (error instanceof UnreadablePiece) return [];
      throw error;
    }
  }

  async #firstOfOther({ lane, run }: Unit): Promise<number | null> {
    const next = await this.#nextOf(lane === 0 ? 1 : 0, run);
    if (next === undefined) return null;
    return firstInRun(await this.#readNext(next.unit), next.unit.piece);
  }
}

/**
 * Reads a piece, and fetches it again where it is incomplete: a server may cut one, even with a length that fits.
 *
 * @param isAgain true if it was fetched again already
 */
export async function readWhole<T>(
  load: () => Promise<LoadedPiece>,
  read: (piece: LoadedPiece, isAgain: boolean) => Promise<T>,
  loaded?: LoadedPiece,
  isAgain = false,
): Promise<{ piece: LoadedPiece; content: T }> {
  let piece = loaded ?? (await load());
  try {
    return { piece, content: await read(piece, isAgain) };
  } catch (error) {
    if (isAgain || !(error instanceof IncompletePiece)) throw error;
    piece.release();
    piece = await load();
    return { piece, content: await read(piece, true) };
  }
}

/** @param leeway seconds that may be missing */
export function checkLength(unit: Unit, tracks: readonly PieceTrack[], leeway: number = INEXACT): void {
  const { first, end, missing } = extentOf(unit, tracks);
  if (missing <= leeway) return;
  const [has, of] = [end - first, unit.piece.duration].map((seconds) => Math.round(10 * seconds) / 10);
  throw new IncompletePiece(`it plays ${has} of the ${of} sec that its playlist says`);
}

function extentOf({ piece }: Pick<Unit, "piece">, tracks: readonly PieceTrack[]): Extent {
  const first = Math.min(...tracks.map((track) => track.first));
  const end = Math.max(...tracks.map((track) => track.end));
  return { first, end, missing: Math.max(0, piece.duration - (end - first)) };
}

/** Tells a piece from others, whatever the next one adds to its end. */
function contentOf({ lane, run }: Unit, { bytes }: LoadedPiece, first: number): string {
  return `${lane} ${run} ${first} ${bytes.length}`;
}

/** Playlists tell how long pictures last, while sound may end a moment later. */
function timedIn(tracks: readonly PieceTrack[]): readonly PieceTrack[] {
  const pictures = tracks.filter(({ type }) => type === "video");
  return pictures.length > 0 ? pictures : tracks;
}

/** Seconds by which a piece plays less than its playlist says; negative for more. */
function differenceOf(unit: Unit, tracks: readonly PieceTrack[]): number {
  const { first, end } = extentOf(unit, timedIn(tracks));
  return unit.piece.duration - (end - first);
}

/** The longest time between two packets of a track, in usual ones. */
function pauseIn({ packets }: PieceTrack): number {
  const durations = packets.map(({ duration }) => duration).toSorted((a, b) => a - b);
  return (durations.at(-1) ?? 0) / (durations[Math.floor(durations.length / 2)] || 1);
}

/** True if seconds between two pieces may be missing ones: a piece that goes on elsewhere has another clock. */
function isGap(seconds: number | undefined, longest: number): seconds is number {
  return seconds !== undefined && seconds > -INEXACT && seconds <= longest + INEXACT;
}

/**
 * The bytes of the file, from any checkpoint on: each piece is fetched, read and written as a fragment.
 *
 * @module
 */

import { sha256 } from "../digest.ts";
import { UploadError } from "../errors.ts";
import { PART_SIZE } from "../source/parts.ts";
import { tell } from "../tell.ts";
import { type Checkpoint, writeCheckpoint } from "./checkpoint.ts";
import { Demuxer, type FirstPiece, kindOfTrack, type PieceTrack, restOf, UnreadablePiece } from "./demux.ts";
import type { TrackClock } from "./fragment.ts";
import type { Mediabunny } from "./mediabunny.ts";
import { type Fragment, muxFragment } from "./mux.ts";
import type { HlsOptions } from "./options.ts";
import { PieceQueue } from "./piece-queue.ts";
import type { LoadedPiece } from "./pieces.ts";
import { lastBeside, typesOf, type Unit } from "./plan.ts";
import { firstInRun, type Lane, placePiece, type Timeline } from "./timeline.ts";

const MiB = 1024 ** 2;

/** A track that a lane's pieces have. */
export interface LaneTrack {
  /** What each of its pieces must share. */
  kind: string;
  clock: TrackClock;
}

/** What a video is made of. */
export interface Remuxing {
  bunny: Mediabunny;
  units: readonly Unit[];
  /** Bytes that the file begins with. */
  head: Uint8Array;
  /** The tracks of each lane; their ids in the file count through both. */
  lanes: readonly (readonly LaneTrack[])[];
  /** Where the first piece is put. */
  start: Timeline;
  /** The first piece of each lane, in MPEG-TS. */
  firstPieces: readonly (FirstPiece | undefined)[];
  load(unit: number, signal: AbortSignal): Promise<LoadedPiece>;
  /** Where it comes from, as a message may show it. */
  name: string;
  onProgress: HlsOptions["onProgress"] | undefined;
}

/** Reads on from a checkpoint, or from the beginning. */
export class Remuxer {
  readonly #video: Remuxing;
  readonly #known: string[];
  readonly #stopper = new AbortController();
  readonly #queue: PieceQueue;
  readonly #demuxer: Demuxer;
  readonly #count: number;
  #memory = new ArrayBuffer(0);
  #unit: number;
  #at: number;
  #timeline: Timeline;
  /** Seconds that all pieces play, and those that are in the file. */
  readonly #seconds: number;
  #over: number;

  /** @param known what is remembered of parts; what is found is added, or compared */
  constructor(video: Remuxing, from: Checkpoint | undefined, count: number, known: string[]) {
    this.#video = video;
    this.#known = known;
    this.#count = count;
    this.#unit = from?.unit ?? 0;
    this.#at = from?.at ?? 0;
    this.#timeline = from?.timeline ?? video.start;
    this.#seconds = secondsOf(video.units.slice(0, count));
    this.#over = secondsOf(video.units.slice(0, this.#unit));
    this.#demuxer = new Demuxer(video.bunny);
    this.#queue = new PieceQueue((unit) => video.load(unit, this.#stopper.signal), this.#unit, count);
  }

  async read(): Promise<{ value?: Uint8Array; done: boolean }> {
    if (this.#at === 0) {
      this.#at = this.#video.head.length;
      return { value: this.#video.head, done: false };
    }
    for (let unit = this.#next(); unit !== undefined; unit = this.#next()) {
      const otherFirst = await this.#firstOfOther(unit);
      const rest = await this.#restInNext(unit);
      const piece = await this.#queue.take();
      const { value, after } = await this.#fragment(piece, otherFirst, rest);
      piece.release();
      await this.#remember(value);
      this.#timeline = after;
      this.#unit++;
      this.#at += value.length;
      this.#report(unit.piece);
      if (value.length > 0) return { value, done: false };
    }
    return { done: true };
  }

  #next(): Unit | undefined {
    return this.#unit < this.#count ? this.#video.units[this.#unit] : undefined;
  }

  /** All pieces together make as much more than those so far as they play longer. */
  #report({ duration }: Unit["piece"]): void {
    this.#over += duration;
    if (this.#over <= 0) return;
    const estimated = Math.round(this.#at * Math.max(1, this.#seconds / this.#over));
    tell(this.#video.onProgress, { fetched: this.#at, estimated }, (error) => this.#stopper.abort(error));
  }

  cancel(): void {
    this.#stopper.abort(new Error("closed"));
  }

  /** Where the other lane begins a run that begins with this piece. */
  async #firstOfOther({ lane, run }: Unit): Promise<number | null> {
    if (run <= this.#timeline.run) return null;
    const { units } = this.#video;
    const at = units.findIndex((other, place) => place > this.#unit && other.lane !== lane);
    if (at < 0 || at >= this.#count || units[at]?.run !== run) return null;
    const { bytes, init } = (await this.#queue.peek(at - this.#unit)) ?? {};
    if (bytes === undefined || bytes.length === 0) return null;
    try {
      const tracks = await this.#read(lane === 0 ? 1 : 0, bytes, init);
      return firstInRun(tracks, units[at]?.piece ?? {});
    } catch (error) {
      // It is reported with its own number when its turn comes.
      if (error instanceof UnreadablePiece) return null;
      throw error;
    }
  }

  /** The rest of a piece that the next one of its lane begins with: packagers may cut anywhere. */
  async #restInNext({ lane, run }: Unit): Promise<Uint8Array[]> {
    const first = this.#video.firstPieces[lane];
    if (first === undefined) return [];
    const { units } = this.#video;
    const at = units.findIndex((unit, place) => place > this.#unit && unit.lane === lane);
    if (at < 0 || at >= this.#count || units[at]?.run !== run) return [];
    const next = await this.#queue.peek(at - this.#unit);
    return next === undefined ? [] : restOf(next.bytes, first);
  }

  async #fragment(
    { bytes, init }: LoadedPiece,
    otherFirst: number | null,
    rest: readonly Uint8Array[],
  ): Promise<{ value: Uint8Array<ArrayBuffer>; after: Timeline }> {
    const { units } = this.#video;
    const unit = units[this.#unit];
    if (unit === undefined) throw this.#unreadable("a piece is missing");
    const { lane, run, piece } = unit;
    if (bytes.length === 0 && piece.mayBeMissing) {
      if (piece.mayBeMissing === "if-other-lasts") await this.#requireOther(unit);
      return { value: new Uint8Array(0), after: this.#timeline };
    }
    try {
      const tracks = this.#ownTracks(lane, await this.#read(lane, bytes, init, rest));
      const placed = { lane, run, duration: piece.duration, clock: piece.clock, otherFirst };
      const own = tracks.map(({ track }) => track);
      const { offset, after } = placePiece(this.#timeline, placed, own);
      if (own.length === 0) return { value: new Uint8Array(0), after };
      const fragment = { tracks, sequence: this.#unit + 1, offset, earliest: after.earliest };
      const { value, earliest } = muxFragment(fragment, (size) => this.#allocate(size));
      return { value, after: { ...after, earliest } };
    } catch (error) {
      throw error instanceof UnreadablePiece ? this.#unreadable(error.message) : error;
    }
  }

  /** What is missing in both lanes would be lost without a word. */
  async #requireOther(unit: Unit): Promise<void> {
    const { units, load } = this.#video;
    const at = lastBeside(units, unit);
    if (at === undefined) throw this.#unreadable("it isn't there");
    if (!units[at]?.piece.mayBeMissing) return;
    const { bytes, release } = await load(at, this.#stopper.signal);
    release();
    if (bytes.length === 0) throw this.#unreadable("neither its pictures nor its sound are there");
  }

  async #read(
    lane: Lane,
    bytes: LoadedPiece["bytes"],
    init: LoadedPiece["init"],
    rest?: readonly Uint8Array[],
  ): Promise<PieceTrack[]> {
    const { lanes, firstPieces } = this.#video;
    const types = typesOf(lane, lanes.length > 1);
    return await this.#demuxer.read(bytes, init, types, firstPieces[lane], rest);
  }

  /** The tracks of a piece with their ids in the file. */
  #ownTracks(lane: number, tracks: readonly PieceTrack[]): Fragment["tracks"] {
    const known = this.#video.lanes[lane] ?? [];
    const before = this.#video.lanes.slice(0, lane).reduce((sum, { length }) => sum + length, 0);
    const taken = new Set<number>();
    return tracks.map((track) => {
      const at = known.findIndex(({ kind }, place) => !taken.has(place) && kind === kindOfTrack(track));
      const clock = known[at]?.clock;
      if (clock === undefined)
        throw new UnreadablePiece("its format changes on the way, which one file can't hold");
      taken.add(at);
      return { id: before + at + 1, clock, track };
    });
  }

  /** Notes where parts end in this fragment, or compares it with what was noted before. */
  async #remember(fragment: Uint8Array<ArrayBuffer>): Promise<void> {
    const end = this.#at + fragment.length;
    for (let part = Math.floor(this.#at / PART_SIZE); (part + 1) * PART_SIZE <= end; part++) {
      const bytes = fragment.subarray(0, (part + 1) * PART_SIZE - this.#at);
      const checkpoint = { unit: this.#unit, at: this.#at, timeline: this.#timeline, count: this.#count };
      // Short, since it guards against chance alone.
      const found = writeCheckpoint(checkpoint, (await sha256(bytes)).slice(0, 16));
      this.#known[part] ??= found;
      if (this.#known[part] !== found) throw changed(this.#video.name);
    }
  }

  /** Whoever reads copies what it is given before it asks for more. */
  #allocate(size: number): Uint8Array<ArrayBuffer> {
    if (this.#memory.byteLength < size) this.#memory = new ArrayBuffer(Math.ceil((1.25 * size) / MiB) * MiB);
    return new Uint8Array(this.#memory, 0, size);
  }

  #unreadable(why: string): UploadError {
    const { name, units } = this.#video;
    const state = `piece ${this.#unit + 1} of ${units.length}: ${why}`;
    return new UploadError("source-unreadable", `Cannot read the video from ${name}, ${state}`);
  }
}

function secondsOf(units: readonly Unit[]): number {
  return units.reduce((sum, { piece }) => sum + piece.duration, 0);
}

/** The error for a video that is another one now. */
export function changed(name: string): UploadError {
  return new UploadError(
    "source-changed",
    `Cannot read the video: what ${name} holds at that address has changed. Start again`,
  );
}

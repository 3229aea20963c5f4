/**
 * The tracks of pieces, each read with what its neighbours tell of it.
 *
 * @module
 */

import { Demuxer, type FirstPiece, type PieceTrack, restOf, UnreadablePiece } from "./demux.ts";
import type { Mediabunny } from "./mediabunny.ts";
import { PieceQueue } from "./piece-queue.ts";
import type { LoadedPiece } from "./pieces.ts";
import { lastBeside, typesOf, type Unit } from "./plan.ts";
import { checkWhole, readWhole } from "./read-whole.ts";
import { firstInRun, type Lane } from "./timeline.ts";
import { goesOn } from "./transport-stream.ts";

/** What pieces are read of. */
export interface Reading {
  bunny: Mediabunny;
  units: readonly Unit[];
  /** For each lane what is known of it. */
  lanes: readonly unknown[];
  /** The first piece of each lane, in MPEG-TS. */
  firstPieces: readonly (FirstPiece | undefined)[];
  load(unit: number, signal: AbortSignal): Promise<LoadedPiece>;
}

/** A piece that was read. */
export interface ReadPiece {
  piece: LoadedPiece;
  /** Absent where there is no such piece, and need not be one. */
  tracks: PieceTrack[] | undefined;
  /** Where the other lane begins a run that begins with this piece. */
  otherFirst: number | null;
}

/** Reads pieces in their order. */
export class PieceReader {
  readonly #video: Reading;
  readonly #count: number;
  readonly #signal: AbortSignal;
  readonly #queue: PieceQueue;
  readonly #demuxer: Demuxer;
  /** The piece that is read, and the one that the queue gives next. */
  #unit = 0;
  #taken: number;
  /** Whether the counters of a piece were seen to go on in the next one. */
  #counts = false;

  constructor(video: Reading, first: number, count: number, signal: AbortSignal) {
    this.#video = video;
    this.#count = count;
    this.#signal = signal;
    this.#taken = first;
    this.#queue = new PieceQueue((unit) => video.load(unit, signal), first, count);
    this.#demuxer = new Demuxer(video.bunny);
  }

  /**
   * Reads the next piece.
   *
   * @param run the one of the piece before
   * @throws {UnreadablePiece}
   */
  async read(at: number, run: number): Promise<ReadPiece> {
    const { units, load } = this.#video;
    const unit = units[at];
    if (unit === undefined) throw new UnreadablePiece("a piece is missing");
    this.#unit = at;
    const otherFirst = unit.run > run ? await this.#firstOfOther(unit) : null;
    const rest = await this.#restInNext(unit);
    const loaded = await this.#queue.take();
    this.#taken = at + 1;
    const { mayBeMissing } = unit.piece;
    if (loaded.bytes.length === 0 && mayBeMissing) {
      if (mayBeMissing === "if-other-lasts") await this.#requireOther(unit);
      return { piece: loaded, tracks: undefined, otherFirst };
    }
    const again = () => load(at, this.#signal);
    const read = (piece: LoadedPiece) => this.#readChecked(unit, piece, rest);
    const { piece, content: tracks } = await readWhole(loaded, again, read);
    return { piece, tracks, otherFirst };
  }

  async #readChecked(unit: Unit, loaded: LoadedPiece, rest: readonly Uint8Array[]): Promise<PieceTrack[]> {
    const { duration, mayBeMissing, isNominal = false } = unit.piece;
    const tracks = await this.#tracksOf(unit.lane, loaded, rest);
    const next = await this.#nextOf(unit.lane, unit.run);
    const first = this.#video.firstPieces[unit.lane];
    const isCounted = next && first && goesOn(loaded.bytes, next.loaded.bytes, first.tables);
    if (tracks.length === 0 || mayBeMissing !== undefined || isCounted) {
      this.#counts ||= isCounted === true;
      return tracks;
    }
    const isBroken = this.#counts && isCounted === false;
    await checkWhole(tracks, { duration, isNominal, isBroken, next: () => this.#readNext(unit) });
    return tracks;
  }

  async #tracksOf(
    lane: Lane,
    { bytes, init }: LoadedPiece,
    rest?: readonly Uint8Array[],
  ): Promise<PieceTrack[]> {
    const { lanes, firstPieces } = this.#video;
    return await this.#demuxer.read(bytes, init, typesOf(lane, lanes.length > 1), firstPieces[lane], rest);
  }

  /** The next piece of a lane, if it is in the same run and at hand. */
  async #nextOf(lane: Lane, run: number): Promise<{ unit: Unit; loaded: LoadedPiece } | undefined> {
    const { units } = this.#video;
    const at = units.findIndex((other, place) => place > this.#unit && other.lane === lane);
    const unit = units[at];
    if (unit === undefined || at >= this.#count || unit.run !== run) return undefined;
    const loaded = await this.#queue.peek(at - this.#taken);
    return loaded && { unit, loaded };
  }

  /** The tracks of the next piece, where it can be read. */
  async #readNext({ lane, run }: Unit): Promise<PieceTrack[]> {
    const next = await this.#nextOf(lane, run);
    try {
      return next === undefined ? [] : await this.#tracksOf(lane, next.loaded);
    } catch (error) {
      // It is reported with its own number when its turn comes.
      if (error instanceof UnreadablePiece) return [];
      throw error;
    }
  }

  async #firstOfOther({ lane, run }: Unit): Promise<number | null> {
    const other = lane === 0 ? 1 : 0;
    const next = await this.#nextOf(other, run);
    if (next === undefined || next.loaded.bytes.length === 0) return null;
    return firstInRun(await this.#readNext(next.unit), next.unit.piece);
  }

  /** The rest of a piece that the next one of its lane begins with: packagers may cut anywhere. */
  async #restInNext({ lane, run }: Unit): Promise<Uint8Array[]> {
    const first = this.#video.firstPieces[lane];
    const next = first && (await this.#nextOf(lane, run));
    return next === undefined ? [] : restOf(next.loaded.bytes, first);
  }

  /** What is missing in both lanes would be lost without a word. */
  async #requireOther(unit: Unit): Promise<void> {
    const { units, load } = this.#video;
    const at = lastBeside(units, unit);
    if (at === undefined) throw new UnreadablePiece("it isn't there");
    if (!units[at]?.piece.mayBeMissing) return;
    const { bytes, release } = await load(at, this.#signal);
    release();
    if (bytes.length === 0) throw new UnreadablePiece("neither its pictures nor its sound are there");
  }
}

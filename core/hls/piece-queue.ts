/**
 * Fetches pieces ahead of the one that is read: enough to keep a line busy, and no more than there is room for.
 *
 * @module
 */

import type { LoadedPiece } from "./pieces.ts";

/** Pieces that are fetched, or wait to be read. */
const MOST_AHEAD = 3;
/** Bytes that they may take together. */
const ROOM = 12 * 1024 * 1024;

/** Pieces in their order, each fetched once. */
export class PieceQueue {
  readonly #load: (unit: number) => Promise<LoadedPiece>;
  readonly #end: number;
  readonly #queue: Promise<LoadedPiece>[] = [];
  /** The piece that the queue begins with. */
  #first: number;
  /** Bytes of the largest piece so far: the next one may be as large. */
  #largest = 0;

  /**
   * @param first number of the first piece
   * @param end number behind that of the last one
   */
  constructor(load: (unit: number) => Promise<LoadedPiece>, first: number, end: number) {
    this.#load = load;
    this.#first = first;
    this.#end = end;
  }

  /** Takes the next piece. One that couldn't be fetched stays the next. */
  async take(): Promise<LoadedPiece> {
    const piece = await this.#wait(0);
    if (piece === undefined) throw new RangeError("there is no further piece");
    this.#queue.shift();
    this.#first++;
    this.#largest = Math.max(this.#largest, piece.bytes.length);
    this.#fill(Math.floor(ROOM / this.#largest));
    return piece;
  }

  /** A piece that follows the next one, which stays what it is; `undefined` where it is further than any is fetched. */
  async peek(ahead: number): Promise<LoadedPiece | undefined> {
    return ahead < MOST_AHEAD ? await this.#wait(ahead) : undefined;
  }

  async #wait(ahead: number): Promise<LoadedPiece | undefined> {
    this.#fill(ahead + 1);
    try {
      return await this.#queue[ahead];
    } catch (error) {
      this.#queue.length = 0;
      throw error;
    }
  }

  #fill(wanted: number): void {
    const most = Math.max(1, Math.min(MOST_AHEAD, wanted));
    while (this.#queue.length < most && this.#first + this.#queue.length < this.#end) {
      const piece = this.#load(this.#first + this.#queue.length);
      // It is reported when it is taken.
      piece.catch(() => {});
      this.#queue.push(piece);
    }
  }
}

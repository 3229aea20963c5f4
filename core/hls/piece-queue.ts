/** Pieces in their order, some of which are fetched ahead. */
import type { LoadedPiece } from "./pieces.ts";
import type { Lane } from "./timeline.ts";

/** Pieces that are fetched, or wait to be read. */
const MOST_AHEAD = 3;
/** Pieces that are fetched for the next one of each lane: the ones between two pieces of pictures hold sound, and are small. */
const REACH = [50, MOST_AHEAD] as const;
/** Bytes that they may take together. */
const ROOM = 12 * 1024 * 1024;

/** @param end number behind that of the last piece */
export function pieceQueue(load: (unit: number) => Promise<LoadedPiece>, first: number, end: number) {
  const pieces = new Map<number, Promise<LoadedPiece>>();
  let next = first;
  /** Bytes of the largest piece so far: the next one may be as large. */
  let largest = 0;

  /** @param before number behind that of the last one that is wanted */
  function fill(before: number): void {
    for (let unit = next; unit < Math.min(end, before); unit++) {
      if (pieces.has(unit)) continue;
      const piece = load(unit);
      // A failure is reported when the piece is taken.
      piece.catch(() => {});
      pieces.set(unit, piece);
    }
  }

  async function wait(unit: number): Promise<LoadedPiece> {
    fill(unit + 1);
    try {
      return await (pieces.get(unit) as Promise<LoadedPiece>);
    } catch (error) {
      pieces.clear();
      throw error;
    }
  }

  return {
    /** Takes the next piece. One that couldn't be fetched stays the next. */
    async take(): Promise<LoadedPiece> {
      const piece = await wait(next);
      pieces.delete(next++);
      largest = Math.max(largest, piece.bytes.length);
      fill(next + Math.min(MOST_AHEAD, Math.max(1, Math.floor(ROOM / largest))));
      return piece;
    },
    /** A piece of a lane that waits its turn; `undefined` for one behind those that may be fetched for it. */
    async peek(unit: number, lane: Lane): Promise<LoadedPiece | undefined> {
      return unit < next + REACH[lane] ? await wait(unit) : undefined;
    },
    /** Forgets a piece that waits, which is then fetched again. */
    async drop(unit: number): Promise<void> {
      (await wait(unit)).release();
      pieces.delete(unit);
    },
  };
}

/** A limit of the bytes that leave in a second, for one upload or for many that share it. */
import { delay } from "../abort.ts";
import { READ_SIZE } from "../source/source.ts";

/** Longest wait of a timer; a longer one would end at once. */
const LONGEST_WAIT = 2 ** 31 - 1;
/** Pieces a second: small enough that many uploads take turns, and that no socket is flooded. */
const PIECES_PER_SECOND = 10;

/** A limit that any number of uploads share, in the order in which they ask. */
export interface BandwidthLimit {
  readonly piece: number;
  take(bytes: number, signal: AbortSignal): Promise<void>;
}

export function bandwidthLimit(bytesPerSecond: number): BandwidthLimit {
  let freeAt = 0;
  return {
    piece: Math.min(READ_SIZE, Math.ceil(bytesPerSecond / PIECES_PER_SECOND)),
    async take(bytes, signal) {
      const begin = Math.max(freeAt, performance.now());
      freeAt = begin + (bytes / bytesPerSecond) * 1000;
      for (let wait = begin - performance.now(); wait > 0; wait = begin - performance.now())
        await delay(Math.min(wait, LONGEST_WAIT), signal);
    },
  };
}

/**
 * A slice whose pieces are read with something done before and after each.
 *
 * @module
 */

import type { Slice } from "../source/source.ts";

/** A piece of a slice, or its end. */
export type Piece = IteratorResult<Uint8Array, undefined>;

/**
 * The same slice, read in another way.
 *
 * @param around gives, for each reading of the slice, what reads a piece of it
 */
export function aroundPieces(
  body: Slice,
  around: () => (read: () => Promise<Piece>) => Promise<Piece>,
): Slice {
  return {
    ...body,
    pieces(copied) {
      const pieces = body.pieces(copied);
      const readPiece = around();
      return {
        next: () => readPiece(() => pieces.next()),
        return: async () => (await pieces.return?.()) ?? { value: undefined, done: true },
      };
    },
  };
}

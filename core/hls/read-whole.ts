/**
 * Whether a piece is whole. A server or a proxy may cut one where nothing else shows it, even with a length that fits: what
 * it plays is compared with what its playlist says.
 *
 * @module
 */

import { IncompletePiece, type PieceTrack } from "./demux.ts";
import type { LoadedPiece } from "./pieces.ts";

/** Seconds by which playlists are inexact. */
const INEXACT = 0.5;
/** What a piece must play of its length at least, where no next one tells when it ends. */
const LEAST = 2 / 3;

/** Reads a piece, and once more after it was fetched again where it is incomplete. */
export async function readWhole<T>(
  loaded: LoadedPiece,
  load: () => Promise<LoadedPiece>,
  read: (piece: LoadedPiece) => Promise<T>,
): Promise<{ piece: LoadedPiece; content: T }> {
  try {
    return { piece: loaded, content: await read(loaded) };
  } catch (error) {
    if (!(error instanceof IncompletePiece)) throw error;
    loaded.release();
    const piece = await load();
    return { piece, content: await read(piece) };
  }
}

/** What tells whether a piece is whole. */
export interface Signs {
  /** Seconds, as its playlist says. */
  duration: number;
  /** Whether that is merely about what each piece lasts. */
  isNominal: boolean;
  /** Whether the counters of MPEG-TS, which go on from piece to piece, leave some out behind it. */
  isBroken: boolean;
  /** Reads the tracks of the next piece, where there is one by the same clock. */
  next(): Promise<readonly PieceTrack[]>;
}

/**
 * Refuses a piece that plays much shorter than its playlist says, unless the next one begins where it ends: then the
 * playlist is wrong, and nothing is missing.
 *
 * @throws {IncompletePiece}
 */
export async function checkWhole(
  tracks: readonly PieceTrack[],
  { duration, isNominal, isBroken, next }: Signs,
): Promise<void> {
  const end = Math.max(...tracks.map((track) => track.end));
  const played = end - firstOf(tracks);
  const missing = duration - played;
  if (missing <= INEXACT && !isBroken) return;
  const gap = firstOf(await next()) - end;
  // What goes on elsewhere has a clock that tells nothing.
  const isTold = gap > -INEXACT && gap <= duration + INEXACT;
  if (isTold && isBroken) throw new IncompletePiece("packets at its end are missing");
  if (isTold ? gap < missing / 2 : isNominal || played >= LEAST * duration) return;
  const [has, of] = [played, duration].map((seconds) => Math.round(10 * seconds) / 10);
  throw new IncompletePiece(`it plays ${has} of the ${of} sec that its playlist says`);
}

function firstOf(tracks: readonly PieceTrack[]): number {
  return Math.min(...tracks.map(({ first }) => first));
}

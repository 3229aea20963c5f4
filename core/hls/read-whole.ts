/**
 * Tells if a piece is whole. A server or a proxy may cut one where nothing else shows it, even with a length that fits: what
 * it plays is compared with what its playlist says.
 */
import { IncompletePiece, type PieceTrack } from "./demux.ts";
import type { LoadedPiece } from "./pieces.ts";

/** Seconds by which playlists are inexact at most. */
export const INEXACT = 0.5;

/** Reads a piece, and once more after it was fetched again where it is incomplete. */
export async function readWhole<T>(
  loaded: LoadedPiece,
  load: () => Promise<LoadedPiece>,
  read: (piece: LoadedPiece, isAgain: boolean) => Promise<T>,
): Promise<{ piece: LoadedPiece; content: T }> {
  try {
    return { piece: loaded, content: await read(loaded, false) };
  } catch (error) {
    if (!(error instanceof IncompletePiece)) throw error;
    loaded.release();
    const piece = await load();
    return { piece, content: await read(piece, true) };
  }
}

/** @param leeway seconds that may be missing */
export function checkLength(tracks: readonly PieceTrack[], duration: number, leeway: number = INEXACT): void {
  const { first, end } = extentOf(tracks);
  if (duration - (end - first) <= leeway) return;
  const [has, of] = [end - first, duration].map((seconds) => Math.round(10 * seconds) / 10);
  throw new IncompletePiece(`it plays ${has} of the ${of} sec that its playlist says`);
}

export function extentOf(tracks: readonly PieceTrack[]): { first: number; end: number } {
  const first = Math.min(...tracks.map((track) => track.first));
  return { first, end: Math.max(...tracks.map((track) => track.end)) };
}

/** True if seconds between two pieces may be missing ones: a piece that goes on elsewhere has another clock. */
export function isGap(seconds: number | undefined, longest: number): seconds is number {
  return seconds !== undefined && seconds > -INEXACT && seconds <= longest + INEXACT;
}

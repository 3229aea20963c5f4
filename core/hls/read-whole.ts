/**
 * Tells if a piece is whole. A server or a proxy may cut one where nothing else shows it, even with a length that fits: what
 * it plays is compared with what its playlist says.
 */
import { IncompletePiece, type PieceTrack } from "./demux.ts";
import type { LoadedPiece } from "./pieces.ts";

/** Seconds by which playlists are inexact at most, and most of them at least. */
export const INEXACT = 0.5;
const EXACT = 0.02;
/** The part of its length that a piece must play, where no next one tells when it ends. */
const LEAST = 2 / 3;

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

export interface Signs {
  duration: number;
  /** True if that is merely about what each piece lasts. */
  isNominal: boolean;
  /** True if it was fetched again: if it is no other then, it is all there is, unless much is missing. */
  isAgain: boolean;
  /** True if packets of MPEG-TS are missing behind it. */
  isBroken: boolean;
  /** Reads the tracks of the next piece, where there is one by the same clock. */
  next: (() => Promise<readonly PieceTrack[]>) | undefined;
}

/**
 * Refuses a piece that plays much shorter than its playlist says, unless the next one begins where it ends: then the
 * playlist is wrong, and nothing is missing.
 *
 * @throws {IncompletePiece}
 */
export async function checkWhole(
  tracks: readonly PieceTrack[],
  { duration, isNominal, isAgain, isBroken, next }: Signs,
): Promise<void> {
  if (isBroken && !isAgain) throw new IncompletePiece("packets at its end are missing");
  const { first, end } = extentOf(tracks);
  const missing = duration - (end - first);
  const gap = next && missing > INEXACT ? extentOf(await next()).first - end : undefined;
  const isTold = isGap(gap, duration);
  if (isTold ? gap < missing / 2 : isNominal) return;
  const isExact = next === undefined && !isAgain;
  const usual = isExact ? EXACT : INEXACT;
  // Playlists tell how long pictures last, while sound may end a moment later.
  const pictures = tracks.filter(({ type }) => type === "video");
  const timed = isExact && pictures.length > 0 ? pictures : tracks;
  checkLength(timed, duration, isAgain && !isTold ? Math.max(usual, (1 - LEAST) * duration) : usual);
}

/**
 * @param leeway seconds that may be missing
 * @throws {IncompletePiece}
 */
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

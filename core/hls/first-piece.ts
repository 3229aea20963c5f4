/**
 * Whether a video can be taken, as its first piece shows, and what tells of the later ones.
 *
 * @module
 */

import { InputError } from "../errors.ts";
import { hasTrack, isProtected } from "./boxes.ts";
import { Demuxer, type FirstPiece, kindOfTrack, type PieceTrack, UnreadablePiece } from "./demux.ts";
import type { Mediabunny } from "./mediabunny.ts";
import type { LoadedPiece } from "./pieces.ts";
import { typesOf, type Unit } from "./plan.ts";
import type { Init, Piece, Problem } from "./playlist.ts";
import { checkLength, readWhole } from "./read-whole.ts";
import { unreadInHead } from "./stream-types.ts";
import type { Lane } from "./timeline.ts";

/** The error for a video that can't be taken. */
function refusal(name: string, code: Problem["code"], words: string): InputError {
  return new InputError(code, `Cannot take the video from ${name}: ${words}`);
}

const PROTECTED = "it is protected, so that only certain players can read it";

/** The tracks that a lane begins with, unless they can't be taken. */
export async function firstTracks(
  bunny: Mediabunny,
  load: () => Promise<LoadedPiece>,
  { lane, hasOwnSound, duration, name }: { lane: Lane; hasOwnSound: boolean; duration: number; name: string },
): Promise<{ loaded: LoadedPiece; tracks: PieceTrack[] }> {
  const refuse = (words: string) => refusal(name, "unsupported-video", words);
  const read = async ({ bytes, init }: LoadedPiece, isAgain: boolean) => {
    if (isProtected(init ?? bytes)) throw refusal(name, "protected-video", PROTECTED);
    const tracks = await new Demuxer(bunny).read(bytes, init, typesOf(lane, hasOwnSound));
    // The next piece tells whether it is the playlist that is wrong, once it is there.
    if (!isAgain) checkLength(tracks, duration);
    return tracks;
  };
  try {
    const { piece, content: tracks } = await readWhole(await load(), load, read);
    const pictures = tracks.filter(({ type }) => type === "video");
    if (lane === 0 && pictures.length === 0)
      throw refuse("its first piece holds no pictures that can be read");
    if (tracks.length === 0) throw refuse("its first piece holds no sound that can be read");
    if (pictures.some(({ packets }) => packets[0]?.type !== "key"))
      throw refuse("its first piece begins with a picture that needs others");
    return { loaded: piece, tracks };
  } catch (error) {
    throw error instanceof UnreadablePiece ? refuse(`${error.message} (its first piece)`) : error;
  }
}

/** True if sound may begin in a later piece, as none does in the first one. */
function mayBeLate({ init }: LoadedPiece, tracks: PieceTrack[], first: FirstPiece | undefined): boolean {
  if (tracks.some(({ type }) => type === "audio")) return false;
  return first !== undefined || (init !== undefined && hasTrack(init, "soun"));
}

/**
 * The sound of the second piece, for a video whose first one has none yet.
 *
 * @throws {InputError} where it begins later, as the last piece tells
 */
export async function lateSound(
  bunny: Mediabunny,
  begun: { loaded: LoadedPiece; tracks: PieceTrack[]; first: FirstPiece | undefined },
  { units, name, load }: { units: readonly Unit[]; name: string; load(at: number): Promise<LoadedPiece> },
): Promise<PieceTrack[]> {
  if (!mayBeLate(begun.loaded, begun.tracks, begun.first)) return [];
  const second = units[1]?.run === units[0]?.run ? 1 : undefined;
  const last = units.length - 1;
  for (const at of new Set([second ?? last, last])) {
    if (at === 0) continue;
    const sound = await soundOf(bunny, await load(at), begun.first);
    if (sound.length === 0) continue;
    if (at === second) return sound;
    throw refusal(name, "unsupported-video", "its sound begins late: its first pieces have none");
  }
  return [];
}

async function soundOf(
  bunny: Mediabunny,
  { bytes, init }: LoadedPiece,
  first: FirstPiece | undefined,
): Promise<PieceTrack[]> {
  try {
    return await new Demuxer(bunny).read(bytes, init, ["audio"], first);
  } catch (error) {
    // It is reported with its own number when its turn comes.
    if (error instanceof UnreadablePiece) return [];
    throw error;
  }
}

/** Inits that are looked at beforehand; a video mostly has one, and one more for each advertisement. */
const MOST_INITS = 50;

/** Refuses a video whose later pieces are read in another way, where that is announced. */
export async function checkInits(
  bunny: Mediabunny,
  pieces: readonly Piece[],
  first: readonly PieceTrack[],
  {
    name,
    types,
    load,
  }: { name: string; types: readonly PieceTrack["type"][]; load(init: Init): Promise<Uint8Array> },
): Promise<void> {
  const inits = new Map(pieces.map(({ init }) => [JSON.stringify([init?.href, init?.range]), init]));
  const known = new Set(first.map(kindOfTrack));
  for (const init of [...inits.values()].slice(1, MOST_INITS)) {
    if (init === undefined) continue;
    const bytes = await load(init);
    if (isProtected(bytes)) throw refusal(name, "protected-video", PROTECTED);
    const unread = unreadInHead(bytes, types);
    if (unread !== undefined)
      throw refusal(name, "unsupported-video", `${unread} in a later piece, which isn't read from MP4`);
    const kinds = await new Demuxer(bunny).kindsOf(bytes, types);
    if (kinds?.some((kind) => !known.has(kind)))
      throw refusal(name, "unsupported-video", "its format changes on the way, which one file can't hold");
  }
}

/** Tells by its first piece whether a video can be taken, and by what else tells of the later ones. */
import { hasTrack } from "./boxes.ts";
import {
  Demuxer,
  type FirstPiece,
  firstPieceOf,
  kindOfTrack,
  type PieceTrack,
  UnreadablePiece,
} from "./demux.ts";
import { FORMAT_CHANGES } from "./formats.ts";
import { checkLength, readWhole } from "./piece-reader.ts";
import type { LoadedPiece } from "./pieces.ts";
import { type Init, refusal, unsupported } from "./playlist.ts";
import { type Lane, typesOf, type Unit } from "./timeline.ts";

export interface Unread {
  url: URL;
  units: readonly Unit[];
  hasOwnSound: boolean;
  piece(at: number): Promise<LoadedPiece>;
  init(init: Init): Promise<Uint8Array>;
}

export interface Begun {
  tracks: PieceTrack[];
  first: FirstPiece | undefined;
  /** The pieces that were loaded, by their numbers, and will be read again. */
  loaded: Map<number, LoadedPiece>;
}

export async function beginLane(lane: Lane, video: Unread): Promise<Begun> {
  const { url, units, hasOwnSound } = video;
  const at = units.findIndex((unit) => unit.lane === lane);
  const load = () => video.piece(at);
  const read = async (piece: LoadedPiece, isAgain: boolean) => {
    const tracks = await new Demuxer().read(piece, typesOf(lane, hasOwnSound));
    // The next piece tells whether it is the playlist that is wrong, once it is there.
    if (!isAgain) checkLength(units[at] as Unit, tracks);
    return tracks;
  };
  const readFirst = async () => await readWhole(await load(), load, read);
  const { piece, content: tracks } = await refusing(url, readFirst, "its first piece");
  const refuse = (words: string) => unsupported(words, url);
  const pictures = tracks.filter(({ type }) => type === "video");
  if (lane === 0 && pictures.length === 0) throw refuse("its first piece holds no pictures that can be read");
  if (tracks.length === 0) throw refuse("its first piece holds no sound that can be read");
  if (pictures.some(({ packets }) => packets[0]?.type !== "key"))
    throw refuse("its first piece begins with a picture that needs others");
  const begun = { tracks, first: firstPieceOf(piece.bytes), loaded: new Map([[at, piece]]) };
  const lacksSound = !hasOwnSound && tracks.every(({ type }) => type !== "audio");
  const mayBeLate = begun.first !== undefined || (piece.init !== undefined && hasTrack(piece.init, "soun"));
  if (lacksSound && mayBeLate) tracks.push(...(await lateSound(begun, video)));
  await checkInits(lane, tracks, video);
  return begun;
}

/** Does work on pieces of a video, whose refusal names the one that can't be read. */
export async function refusing<T>(url: URL, work: () => Promise<T>, piece?: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UnreadablePiece)) throw error;
    const { code, message } = error;
    throw refusal({ code, message: piece === undefined ? message : `${message} (${piece})` }, url);
  }
}

/** @throws {InputError} where the sound of a video whose first piece has none begins behind the second, as the last piece tells */
async function lateSound({ first, loaded }: Begun, { url, units, piece }: Unread): Promise<PieceTrack[]> {
  const second = units[1]?.run === units[0]?.run ? 1 : undefined;
  const last = units.length - 1;
  for (const at of new Set([second ?? last, last])) {
    if (at === 0) continue;
    const later = await piece(at);
    // Pieces behind the second aren't needed yet.
    if (at === 1) loaded.set(at, later);
    const sound = await new Demuxer().read(later, ["audio"], first).catch((error: unknown) => {
      // An unreadable piece is reported with its own number when its turn comes.
      if (error instanceof UnreadablePiece) return [];
      throw error;
    });
    if (sound.length === 0) continue;
    if (at === second) return sound;
    throw unsupported("its sound begins late: its first pieces have none", url);
  }
  return [];
}

/** Inits that are looked at beforehand; a video mostly has one, and one more for each advertisement. */
const MOST_INITS = 50;

async function checkInits(
  lane: Lane,
  first: readonly PieceTrack[],
  { url, units, hasOwnSound, init: load }: Unread,
): Promise<void> {
  const types = typesOf(lane, hasOwnSound);
  const own = units.filter((unit) => unit.lane === lane);
  const inits = new Map(own.map(({ piece: { init } }) => [JSON.stringify([init?.href, init?.range]), init]));
  const known = new Set(first.map(kindOfTrack));
  for (const init of [...inits.values()].slice(1, MOST_INITS)) {
    if (init === undefined) continue;
    const bytes = await load(init);
    const kinds = await refusing(url, () => new Demuxer().kindsOf(bytes, types), "a later piece");
    if (kinds?.some((kind) => !known.has(kind))) throw unsupported(FORMAT_CHANGES, url);
  }
}

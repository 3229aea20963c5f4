/** The contents of playlists (RFC 8216): a main playlist names qualities, a media playlist names the pieces of one. */
import { InputError } from "../errors/errors.ts";
import { leadsInside } from "../hosts/own-network.ts";
import { originOf } from "../redaction/redaction.ts";

export interface ByteRange {
  start: number;
  /** The byte behind the last one. */
  end: number;
}

export interface Place {
  /** As the playlist names it, resolved and checked by `placeUrl`. */
  href: string;
  range?: ByteRange | undefined;
}

export interface PieceKey {
  href: string;
  /** 16 bytes; by default made of the number of the piece. */
  iv: Uint8Array | undefined;
}

export interface Init extends Place {
  key?: PieceKey | undefined;
}

/** The last piece that is computed from lengths may be too short to be there, or is there in the other lane alone. */
export type MayBeMissing = "always" | "if-other-lasts";

export interface Piece extends Place {
  /** Seconds, as the playlist says. */
  duration: number;
  /** True if that is merely about what each piece lasts. */
  isNominal?: boolean | undefined;
  /** Number of the piece in the stream, which in HLS may be of 64 bits. */
  sequence: number | bigint;
  /** Discontinuities that come before it. */
  run: number;
  init?: Init | undefined;
  key?: PieceKey | undefined;
  /** Seconds by the clock of its packets at which its run begins, where pictures and sound have clocks of their own. */
  clock?: number;
  mayBeMissing?: MayBeMissing | undefined;
}

export interface MediaPlaylist {
  kind: "media";
  url: URL;
  /** True if all pieces are listed; else the stream may be going on. */
  ended: boolean;
  pieces: Piece[];
  duration: number;
  /** True if there are pieces of the same that it leaves out. */
  isPart?: boolean;
  /** True if its only piece is a file that is taken as it is. */
  isFile?: boolean;
  /** Why it can't be taken, where the playlist itself tells. */
  problem?: Problem | undefined;
}

export interface Variant {
  href: string;
  /** Bits per second: the most, or where it is given the average. */
  bandwidth: number;
  width?: number | undefined;
  height?: number | undefined;
  frameRate?: number | undefined;
  codecs: string[];
  /** Group of the sound that belongs to it. */
  audio?: string | undefined;
}

export interface Spoken {
  language: string | undefined;
  name: string | undefined;
}

export interface Rendition extends Spoken {
  group: string;
  /** Absent where the pieces of the video hold it. */
  href: string | undefined;
  /** The one with the most of its group plays: 2 by default, 1 where a player may choose it by itself. */
  preference: number;
}

export interface MainPlaylist {
  kind: "main";
  url: URL;
  variants: Variant[];
  renditions: Rendition[];
  subtitles: Spoken[];
  /** Every playlist that it names, as it names them: of subtitles and of still pictures too. */
  named: string[];
}

/** Why a video can't be taken: the code of the error, and the end of its sentence. */
export interface Problem {
  code: "live-stream" | "protected-video" | "unsupported-video";
  message: string;
}

export function refusal({ code, message }: Problem, url: URL): InputError {
  const advice = code === "live-stream" ? ". Set live to take what is there so far" : "";
  return new InputError(code, `Cannot take the video from ${originOf(url)}: ${message}${advice}`);
}

export function unsupported(message: string, url: URL): InputError {
  return refusal({ code: "unsupported-video", message }, url);
}

export function badList(words: string, url: URL, what: "playlist" | "manifest" = "playlist"): InputError {
  return new InputError(
    "unsupported-video",
    `Cannot take the video: the ${what} at ${originOf(url)} ${words}`,
  );
}

export const PROTECTED: Problem = {
  code: "protected-video",
  message: "it is protected, so that only certain players can read it",
};

/** The most of each that is read: far more than any real video has, and little enough to hold. */
export const LIMITS = {
  /** Bytes of a playlist: 16 MiB. */
  playlist: 16_777_216,
  pieces: 50_000,
  variants: 200,
  renditions: 1_000,
  /** Bytes of a piece, which is held whole: 64 MiB. */
  piece: 67_108_864,
  /** Bytes that pieces of fMP4 are read with: 1 MiB. */
  init: 1_048_576,
  /** Seconds of all pieces: a week. */
  duration: 604_800,
  /** Characters of a text that variables or addresses above it are put into. */
  text: 16_384,
  /** Characters of the addresses of all pieces. */
  addresses: 33_554_432,
};

/** The address that a playlist names, checked before anything is asked of it: playlists come from anybody. */
export function placeUrl(href: string, list: URL, base: string = list.href): URL {
  const refuse = (what: string) => badList(`names ${what}`, list);
  if (!URL.canParse(href, base)) throw refuse("an invalid address");
  const url = new URL(href, base);
  if (!/^https?:$/.test(url.protocol))
    throw refuse(`an address that begins with "${url.protocol.slice(0, 30)}", expected https: or http:`);
  if (url.username !== "" || url.password !== "") throw refuse("an address with a user name or password");
  if (list.protocol === "https:" && url.protocol === "http:")
    throw refuse("an http address, and is at an https one itself");
  if (leadsInside(list, url)) throw refuse("an address within the network of this machine");
  return url;
}

export function isSamePlace(one: Place, other: Place | undefined): boolean {
  const [{ range }, { range: beside } = {}] = [one, other];
  return one.href === other?.href && range?.start === beside?.start && range?.end === beside?.end;
}

/** The codecs of a list, of which there are never many. */
export function codecsIn(list: string): string[] {
  return list.split(",", 20).flatMap((codec) => codec.trim() || []);
}

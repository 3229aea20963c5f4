/** What the list of a page's videos says. */

import { formatBytes, formatEstimate, formatLength, formatPicture } from "../shared/format.ts";
import type { NamedTracks } from "../shared/job.ts";
import { entryOf } from "../shared/record.ts";
import { figure, type PlainKey, plural, t } from "../shared/translate.ts";
import { type PageVideoKind, videoKind } from "../shared/video-kind.ts";
import { hostOf, originOf } from "../shared/web-address.ts";
import type { NotSearched } from "./collect.ts";
import type { FoundOnPage } from "./found.ts";
import type { KnownVideo, PageVideo } from "./page-video.ts";
import type { PiecesRefusal, Quality } from "./read-manifest.ts";

/** A kind in a word or two; a file says its format. */
const KIND_KEYS: Record<Exclude<PageVideoKind, "file">, PlainKey> = {
  blob: "found.inPage",
  "media-source": "found.inPieces",
  hls: "found.inPieces",
  dash: "found.inPieces",
  drm: "found.protected",
};

const REFUSAL_KEYS: Record<PiecesRefusal, PlainKey> = {
  "live-stream": "found.live",
  "protected-video": "found.copyProtected",
  "unsupported-video": "found.unsupported",
};

export function reasonKey(
  { kind, address, isForgotten, isUncertain }: PageVideo,
  refusal: PiecesRefusal | undefined,
): PlainKey | undefined {
  if (isUncertain) return "found.looking";
  if (refusal !== undefined) return REFUSAL_KEYS[refusal];
  const { isProtected, isFed } = videoKind({ kind });
  if (isProtected) return "found.copyProtected";
  if (!isFed) return undefined;
  if (isForgotten) return "found.forgotten";
  // A camera has no address, and no playlist.
  return address === "" ? "found.mediaSource" : "found.noPlaylist";
}

/** Why a link, or the video under a right-click, can't be taken. */
export const LINK_REFUSAL_KEYS = {
  "no-link": "link.noLink",
  "local-file": "list.localFile",
  password: "link.password",
  page: "link.page",
  "no-address": "link.noAddress",
  gone: "link.gone",
} as const satisfies Record<string, PlainKey>;

export const KNOWN_KEYS = { listed: "search.listed", uploaded: "search.uploaded" } as const satisfies Record<
  KnownVideo,
  PlainKey
>;

/** What the line above the page's videos says; nothing where the page can't be searched. */
export function lineOf(found: FoundOnPage | NotSearched | undefined, page: string | undefined): string {
  if (found === undefined || found === "closed") return "";
  if (found === "press") return t("panel.press");
  if (found === "stuck") return t("found.stuck");
  const count = found.videos.length + found.loops.length;
  if (count === 0 && found.closedOrigins.length > 0) return t("search.players");
  if (count === 0) return t(found.isCut ? "found.noneInTime" : "found.none");
  return page === undefined ? plural("found.onPage", count) : plural("found.onPageOf", count, { page });
}

/** The same for those who hear it. */
export function announcement(found: Pick<FoundOnPage, "videos" | "loops">): string {
  return plural("search.found", found.videos.length + found.loops.length);
}

export const VIDEO_PROBLEM_KEYS = {
  // A server that answers, and doesn't give it.
  refused: "found.serverRefuses",
  // A blob: address ends with its page.
  gone: "found.gone",
} as const satisfies Record<string, PlainKey>;

/** What becomes of videos whose hosts were not allowed. */
export function refusedSentence(addresses: string[]): string {
  const hosts = [...new Set(addresses.map((address) => new URL(address).host))];
  return t("found.hostsRefused", { hosts: hosts.join(", ") });
}

export function kindLabel({ kind, type, address }: PageVideo): string {
  return kind === "file" ? format(type, address) : t(KIND_KEYS[kind]);
}

/**
 * Length, picture and size, as far as they are known.
 *
 * @param quality the one that is taken of a video in pieces: the page may play another
 * @param isChoice whether its size is told beside it, with that of others
 */
export function facts(video: PageVideo, quality?: Quality, isChoice = false): string {
  const { width, height } = quality?.width !== undefined ? quality : video;
  const duration = quality?.duration ?? video.duration;
  return [
    duration === undefined ? undefined : formatLength(duration),
    formatPicture(width, height),
    video.size !== undefined ? formatBytes(video.size) : formatEstimate(isChoice ? undefined : quality?.size),
  ]
    .filter((fact) => fact !== undefined)
    .map(figure)
    .join(" · ");
}

/** Where it lies, if that is another site than the page: all that is ever shown of an address. */
export function foreignHost({ address }: PageVideo, pageOrigin: string): string | undefined {
  const host = hostOf(address);
  return host === "" || originOf(address) === pageOrigin ? undefined : host;
}

/**
 * What of a video isn't taken: the sound in other languages, and the subtitles.
 *
 * @param chosen the id of the language that is taken. @default the first one
 * @returns nothing where all of it is taken
 */
export function tracksLeftOut({ languages = [], subtitles = 0 }: NamedTracks, chosen?: string): string {
  const taken = languages.find(({ id }) => id === chosen) ?? languages[0];
  const count = languages.length;
  const parts = [
    ...(taken !== undefined && count > 1
      ? [plural("found.languages", count, { language: taken.label })]
      : []),
    ...(subtitles > 0 ? [plural("found.withoutSubtitles", subtitles)] : []),
  ];
  return parts.join(" · ");
}

const FORMATS: Record<string, string> = {
  quicktime: "MOV",
  "x-matroska": "MKV",
  ogg: "OGV",
  "x-msvideo": "AVI",
};

function format(type: string | undefined, address: string): string {
  const named = /^video\/([\w.+-]+)$/.exec(type ?? "")?.[1];
  if (named !== undefined) return entryOf(FORMATS, named) ?? named.toUpperCase();
  const ending = URL.canParse(address) ? /\.(\w{2,4})$/.exec(new URL(address).pathname)?.[1] : undefined;
  return ending?.toUpperCase() ?? t("found.video");
}

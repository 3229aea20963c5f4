/** What the list of a page's videos says. Pure. */

import type { PageVideo, PageVideoKind } from "../../shared/page-video.ts";
import { hostOf, originOf } from "../../shared/web-address.ts";
import { formatBytes, formatLength } from "../format.ts";

/** A kind in a word or two; a file says its format. */
const KIND_LABELS: Record<Exclude<PageVideoKind, "file">, string> = {
  blob: "In the page",
  "media-source": "Stream",
  hls: "HLS stream",
  dash: "DASH stream",
  drm: "Protected",
};

const MEDIA_SOURCE = "Played piece by piece: there is no file to upload.";
const PIECES = "A stream in pieces: can't be uploaded yet.";

/** Why a kind can't be taken. */
export const REASONS: Partial<Record<PageVideoKind, string>> = {
  "media-source": MEDIA_SOURCE,
  hls: PIECES,
  dash: PIECES,
  drm: "Protected against copying: can't be uploaded.",
};

/** Why a link, or the video under a right-click, can't be taken. */
export const LINK_REFUSALS = {
  "no-link": "This is not a link to a video. It has to begin with https:// or http://.",
  password:
    "A link with a user name and password can't be read: open it in a tab and look for the video there.",
  "no-address": "The player doesn't give the address of its video. Open Upcut on the page to look for it.",
  gone: "The page no longer has this video. Load the page again.",
  "media-source": MEDIA_SOURCE,
  hls: PIECES,
  dash: PIECES,
};

export const SECTION_MESSAGES = {
  looking: "Looking…",
  none: "None found",
  closed: "Can't be searched",
  away: "Open Upcut on the page itself to see its videos",
  stuck: "The page doesn't answer",
};

/** What keeps a video from being read. */
export const VIDEO_PROBLEMS = {
  // A server that answers, and doesn't give it.
  refused: "Its server refuses it: the address may have expired. Load the page again.",
  // A blob: address ends with its page.
  gone: "The page no longer has this video. Load the page again, and look again.",
};

/** What becomes of videos whose hosts were not allowed. */
export function refusedSentence(addresses: string[]): string {
  const hosts = [...new Set(addresses.map((address) => new URL(address).host))];
  return `The browser was not allowed to read from ${hosts.join(", ")}. These videos wait in the list below until you allow it.`;
}

export function kindLabel({ kind, type, address }: PageVideo): string {
  return kind === "file" ? format(type, address) : KIND_LABELS[kind];
}

/** Length, picture and size, as far as they are known. */
export function facts({ duration, width, height, size }: PageVideo): string {
  return [
    duration !== undefined && formatLength(duration),
    width !== undefined && height !== undefined && `${width} × ${height}`,
    size !== undefined && formatBytes(size),
  ]
    .filter((fact) => fact !== false)
    .join(" · ");
}

/** Where it lies, if that is another site than the page: all that is ever shown of an address. */
export function foreignHost({ address }: PageVideo, pageOrigin: string): string | undefined {
  const host = hostOf(address);
  return host === "" || originOf(address) === pageOrigin ? undefined : host;
}

const FORMATS: Record<string, string> = {
  quicktime: "MOV",
  "x-matroska": "MKV",
  ogg: "OGV",
  "x-msvideo": "AVI",
};

function format(type: string | undefined, address: string): string {
  const named = /^video\/([\w.+-]+)$/.exec(type ?? "")?.[1];
  if (named !== undefined) return FORMATS[named] ?? named.toUpperCase();
  const ending = URL.canParse(address) ? /\.(\w{2,4})$/.exec(new URL(address).pathname)?.[1] : undefined;
  return ending?.toUpperCase() ?? "Video";
}

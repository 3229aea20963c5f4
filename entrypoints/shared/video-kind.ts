/** The kinds of videos that addresses lead to, by ending and media type. Pure. */
import { VIDEO_ENDINGS } from "../../core/extension.ts";

/**
 * Why a video can or can't be taken: a `file` is read at its address, a `blob` in its page, `hls` and `dash` are
 * manifests of many pieces, which make one file. Of a `media-source` nobody knows where its pieces come from, and what
 * is under `drm` can't be read at all.
 */
export type PageVideoKind = "file" | "blob" | "media-source" | "hls" | "dash" | "drm";

/** Endings of whole videos. `ts` is left out: it is a piece of a stream, or a program. */
export const FILE_ENDINGS: readonly string[] = VIDEO_ENDINGS.filter((ending) => ending !== "ts");
export const MANIFEST_ENDINGS = { hls: ["m3u8", "m3u"], dash: ["mpd"] } as const;

const FILE = endingPattern(FILE_ENDINGS);
const HLS = endingPattern(MANIFEST_ENDINGS.hls);
const DASH = endingPattern(MANIFEST_ENDINGS.dash);
const HLS_TYPE = /^(application|audio)\/(vnd\.apple\.mpegurl|x-mpegurl)$/i;
const DASH_TYPE = /^application\/dash\+xml$/i;

export function endingPattern(endings: readonly string[]): RegExp {
  return new RegExp(`\\.(${endings.join("|")})$`, "i");
}

/** The kind of what an address leads to; `undefined` where nothing says that it is a video. */
export function kindOf(
  address: string,
  type = "",
): Extract<PageVideoKind, "file" | "hls" | "dash"> | undefined {
  // A data: address may be long, and has no path.
  const pathname = isData(address) ? "" : new URL(address).pathname;
  if (HLS_TYPE.test(type) || HLS.test(pathname)) return "hls";
  if (DASH_TYPE.test(type) || DASH.test(pathname)) return "dash";
  return /^video\//i.test(type) || FILE.test(pathname) ? "file" : undefined;
}

/** Facts of a kind of video in a page: one object for each, and no other module asks which one it has. */
export interface VideoKind {
  isWhole?: true;
  isInPage?: true;
  isManifest?: true;
  /** A script feeds its player, from nobody knows where. */
  isFed?: true;
  isProtected?: true;
}

const KINDS: Record<PageVideoKind, VideoKind> = {
  file: { isWhole: true },
  blob: { isWhole: true, isInPage: true },
  hls: { isManifest: true },
  dash: { isManifest: true },
  "media-source": { isFed: true },
  drm: { isProtected: true },
};

export function videoKind({ kind }: { kind: PageVideoKind }): VideoKind {
  return KINDS[kind];
}

/** Tells whether a video can be uploaded, as far as its kind tells. */
export function canBeTaken(video: { kind: PageVideoKind }): boolean {
  return videoKind(video).isWhole === true || isManifest(video.kind);
}

/** Tells whether a video plays in pieces that a manifest names. */
export function isManifest(kind: PageVideoKind | undefined): kind is "hls" | "dash" {
  return kind !== undefined && KINDS[kind].isManifest === true;
}

/** Characters of an address; no server takes a longer one. */
const MAX_ADDRESS = 8192;
/** The same of a data: address, which holds the video itself. */
const MAX_DATA_ADDRESS = 2 ** 20;

/** An absolute address that can be read, without its fragment; `undefined` for anything else. */
export function addressOf(value: unknown, base: string): string | undefined {
  if (typeof value !== "string" || value.length > MAX_DATA_ADDRESS) return undefined;
  const given = value.trim();
  if (given === "" || isTooLong(given)) return undefined;
  // To read a long one takes many times as long as the rest of a page.
  if (isData(given)) return `data:${given.slice("data:".length).split("#", 1)[0]}`;
  if (!URL.canParse(given, base)) return undefined;
  const url = new URL(given, base);
  if (!/^(https?|blob|data):$/.test(url.protocol)) return undefined;
  url.hash = "";
  return isTooLong(url.href) ? undefined : url.href;
}

function isTooLong(address: string): boolean {
  return address.length > (isData(address) ? MAX_DATA_ADDRESS : MAX_ADDRESS);
}

function isData(address: string): boolean {
  return /^data:/i.test(address);
}

const MAX_TYPE = 1000;

export function mediaType(value: unknown): string | undefined {
  const [type = ""] = typeof value === "string" ? value.slice(0, MAX_TYPE).split(";", 1) : [];
  return /^[\w.+-]+\/[\w.+-]+$/.test(type.trim()) ? type.trim().toLowerCase() : undefined;
}

/** What lies at an address, by its ending and its media type. Pure. */
import type { PageVideoKind } from "./page-video.ts";

/** Endings of whole videos. `ts` is left out: it is a piece of a stream, or a program. */
export const VIDEO_ENDINGS: readonly string[] =
  "mp4 m4v mov qt webm mkv ogv avi wmv flv f4v mpg mpeg mpeg4 m2v m2ts mts 3gp 3gpp 3g2 mxf vob".split(" ");
const FILE = new RegExp(`\\.(${VIDEO_ENDINGS.join("|")})$`, "i");
const HLS = /\.m3u8?$/i;
const DASH = /\.mpd$/i;
const HLS_TYPE = /^(application|audio)\/(vnd\.apple\.mpegurl|x-mpegurl)$/i;
const DASH_TYPE = /^application\/dash\+xml$/i;

/** The kind of what an address leads to; `undefined` where nothing says that it is a video. */
export function kindOf(
  address: string,
  type = "",
): Extract<PageVideoKind, "file" | "hls" | "dash"> | undefined {
  const { pathname } = new URL(address);
  if (HLS_TYPE.test(type) || HLS.test(pathname)) return "hls";
  if (DASH_TYPE.test(type) || DASH.test(pathname)) return "dash";
  return /^video\//i.test(type) || FILE.test(pathname) ? "file" : undefined;
}

/** Whether a video can be uploaded: its bytes are all in one place. */
export function canBeTaken({ kind }: { kind: PageVideoKind }): boolean {
  return kind === "file" || kind === "blob";
}

/** An absolute address that can be read, without its fragment; `undefined` for anything else. */
export function addressOf(value: unknown, base: string): string | undefined {
  if (typeof value !== "string" || value.trim() === "" || !URL.canParse(value.trim(), base)) return undefined;
  const url = new URL(value.trim(), base);
  if (!/^(https?|blob|data):$/.test(url.protocol)) return undefined;
  url.hash = "";
  return url.href;
}

/** A media type without its parameters. */
export function mediaType(value: unknown): string | undefined {
  const [type = ""] = typeof value === "string" ? value.split(";") : [];
  return /^[\w.+-]+\/[\w.+-]+$/.test(type.trim()) ? type.trim().toLowerCase() : undefined;
}

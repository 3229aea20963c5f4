/**
 * Media types of video files by the ending of their name: for sources that don't tell, and to tell a video from
 * anything else.
 */

const ENDINGS: Record<string, readonly string[]> = {
  "video/3gpp2": ["3g2"],
  "video/3gpp": ["3gp", "3gpp"],
  "video/x-ms-asf": ["asf"],
  "video/x-msvideo": ["avi", "divx"],
  "video/x-dv": ["dv"],
  "video/x-f4v": ["f4v"],
  "video/x-flv": ["flv"],
  "video/h264": ["h264"],
  "video/h265": ["h265", "hevc"],
  "video/x-ivf": ["ivf"],
  "video/mpeg": ["m1v", "m2v", "mpeg", "mpg"],
  "video/mp2t": ["m2t", "m2ts", "mts", "ts"],
  "video/x-m4v": ["m4v"],
  "video/mj2": ["mj2"],
  "video/x-matroska": ["mkv"],
  "video/quicktime": ["mov", "qt"],
  "video/mp4": ["mp4", "mpeg4"],
  "application/mxf": ["mxf"],
  "video/ogg": ["ogm", "ogv"],
  "video/x-ms-vob": ["vob"],
  "video/webm": ["webm"],
  "video/x-ms-wmv": ["wmv"],
  "video/x-yuv4mpeg": ["y4m"],
};

const TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries(ENDINGS).flatMap(([type, endings]) => endings.map((ending) => [ending, type] as const)),
);

/** Endings of names of video files, in small letters and without the dot. */
export const VIDEO_ENDINGS: readonly string[] = Object.freeze([...TYPES.keys()]);

/** Types that say nothing of the content. */
const GENERIC = new Set(["application/octet-stream", "binary/octet-stream", "application/x-binary"]);

/** Characters of the longest media type (RFC 6838, both of its names). */
const LONGEST = 255;

/** The media type to send: the source's own where it is specific, else the one of its name. */
export function mediaTypeOf(type: string | undefined, name: string | undefined): string | undefined {
  const own =
    type === undefined || type.length > LONGEST ? undefined : type.split(";")[0]?.trim().toLowerCase();
  const named = TYPES.get(endingOf(name));
  if (own === undefined || own === "" || GENERIC.has(own)) return named;
  // Names such as video.ts also belong to other kinds of files; the ending is believed only for videos.
  return own.startsWith("video/") ? own : (named ?? own);
}

/** True if nothing about a source speaks against a video: an unknown type passes where the name has no ending. */
export function mayBeVideo(type: string | undefined, name: string | undefined): boolean {
  const found = mediaTypeOf(type, name);
  if (found === undefined) return endingOf(name) === "" || name === undefined;
  return found.startsWith("video/") || found === "application/mxf";
}

function endingOf(name: string | undefined): string {
  return /\.([a-z0-9]{1,5})$/i.exec(name ?? "")?.[1]?.toLowerCase() ?? "";
}

/**
 * Media types of video files by the ending of their name: for sources that don't tell, and to tell a video from
 * anything else.
 */

const TYPES: ReadonlyMap<string, string> = new Map([
  ["3g2", "video/3gpp2"],
  ["3gp", "video/3gpp"],
  ["3gpp", "video/3gpp"],
  ["asf", "video/x-ms-asf"],
  ["avi", "video/x-msvideo"],
  ["divx", "video/x-msvideo"],
  ["dv", "video/x-dv"],
  ["f4v", "video/x-f4v"],
  ["flv", "video/x-flv"],
  ["h264", "video/h264"],
  ["h265", "video/h265"],
  ["hevc", "video/h265"],
  ["ivf", "video/x-ivf"],
  ["m1v", "video/mpeg"],
  ["m2t", "video/mp2t"],
  ["m2ts", "video/mp2t"],
  ["m2v", "video/mpeg"],
  ["m4v", "video/x-m4v"],
  ["mj2", "video/mj2"],
  ["mkv", "video/x-matroska"],
  ["mov", "video/quicktime"],
  ["mp4", "video/mp4"],
  ["mpeg", "video/mpeg"],
  ["mpeg4", "video/mp4"],
  ["mpg", "video/mpeg"],
  ["mts", "video/mp2t"],
  ["mxf", "application/mxf"],
  ["ogm", "video/ogg"],
  ["ogv", "video/ogg"],
  ["qt", "video/quicktime"],
  ["ts", "video/mp2t"],
  ["vob", "video/x-ms-vob"],
  ["webm", "video/webm"],
  ["wmv", "video/x-ms-wmv"],
  ["y4m", "video/x-yuv4mpeg"],
]);

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

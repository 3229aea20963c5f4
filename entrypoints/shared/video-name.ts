/** Names that a person would give a video, told apart from those of programs. Pure. */
import { decodeOrKeep, plainText } from "../../core/extension.ts";
import { FILE_ENDINGS } from "./video-kind.ts";

/** More of a name is not shown anyway. */
const MAX_NAME = 200;
/** Characters that are read to find as many to show. */
const READ_LENGTH = MAX_NAME * 5;

const ENDINGS = FILE_ENDINGS.join("|");
const ENDING = new RegExp(`\\.(${ENDINGS})$`, "i");
/** The query behind an ending in an address, which may hold a secret. */
const QUERY = new RegExp(`\\.(${ENDINGS})[?#]\\S*`, "gi");

/** Names that programs and players give to any video. */
const GENERIC: ReadonlySet<string> = new Set([
  ...["video", "videos", "movie", "clip", "media", "file", "index", "player", "stream"],
  ...["main", "master", "output", "source", "original", "download", "playlist", "default", "untitled"],
]);
/** Words for a version of a video, such as `720p`. */
const VERSION =
  /^(\d{3,4}[pi]|\d{3,4}x\d{3,4}|[248]k|u?hd|fhd|sd|hq|lq|hls|dash|[hx]26[45]|avc1?|hevc|vp[89]|av1|mp4|webm|mov|v\d+)$/i;
const UUID = /[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}/gi;

/** A text as a name in one line: without addresses, their queries, and the ending of a file. */
export function cleanName(text = ""): string {
  const line = plainText(text.slice(0, READ_LENGTH)).replace(/\s+/g, " ").trim().replace(QUERY, ".$1");
  const isPath = !line.includes(" ") && line.includes("/") && ENDING.test(line);
  const name = isPath ? decodeOrKeep(line.slice(line.lastIndexOf("/") + 1)) : withoutAddresses(line);
  const short = plainText(name).replace(ENDING, "").trim();
  return short.length > MAX_NAME ? `${short.slice(0, MAX_NAME - 1)}…` : short;
}

/** The same, and empty for what only a program would call a video. */
export function humanName(text?: string): string {
  const name = cleanName(text);
  return isMachineName(name) ? "" : name;
}

/** As much of a name as is kept, in whole characters: a link may give one of a million. */
export function shortName(name: string): string {
  return [...name.slice(0, 2 * MAX_NAME)].slice(0, MAX_NAME).join("");
}

/** Tells whether a name says nothing to a person: digits, a hash, a UUID, or what any video might be called. */
function isMachineName(name: string): boolean {
  // A word and a number is how people count.
  if (/^\p{L}+ \d+$/u.test(name)) return false;
  return !name
    .replace(UUID, " ")
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .some(isWord);
}

function isWord(token: string): boolean {
  if (/[^\x20-\x7e]/.test(token)) return /\p{L}/u.test(token);
  const letters = token.replace(/\d+/g, "");
  return (
    letters.length > 1 && !GENERIC.has(letters.toLowerCase()) && !VERSION.test(token) && !isRandom(token)
  );
}

/** Tells whether small and large letters and digits follow each other as in no word: `64caB`, `dQw4w9WgXcQ`. */
function isRandom(token: string): boolean {
  const hasDigit = /\d/.test(token);
  if (hasDigit && token.length >= 8 && /^[0-9a-f]+$/i.test(token)) return true;
  // The number of an episode.
  if (/^s\d+e\d+$/i.test(token)) return false;
  const parts = token.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g) ?? [];
  const average = token.length / Math.max(1, parts.length);
  return hasDigit ? parts.length > 2 && average < 2.5 : parts.length > 3 && average < 2.2;
}

function withoutAddresses(line: string): string {
  return line
    .replace(/\bhttps?:\/\/\S+/gi, "")
    .replace(/\s+/g, " ")
    .trim();
}

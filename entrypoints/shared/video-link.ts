/** A link that a person gives as a video's: pasted, or under a right-click. Pure. */
import { endingPattern, isManifest, kindOf, MANIFEST_ENDINGS } from "./video-kind.ts";
import { fileNameOf, isWebAddress } from "./web-address.ts";

/**
 * Why a link can't be taken. `no-link` begins with neither https:// nor http://, `local-file` is one of this computer,
 * `password` holds one.
 */
export type LinkRefusal = "no-link" | "local-file" | "password";

export type VideoLink =
  | { address: string; title: string; pieces?: "hls" | "dash" }
  | { refused: LinkRefusal };

/** Reads a text as a link. That a video is there shows when it is uploaded. */
export function readLink(text: string): VideoLink {
  const trimmed = text.trim();
  // People copy addresses as their browser shows them.
  const given = WITHOUT_SCHEME.test(trimmed) ? `https://${trimmed}` : trimmed;
  if (LOCAL_FILE.test(given)) return { refused: "local-file" };
  if (!isWebAddress(given)) return { refused: "no-link" };
  const url = new URL(given);
  if (url.username !== "" || url.password !== "") return { refused: "password" };
  url.hash = "";
  const kind = kindOf(url.href);
  const name = fileNameOf(url.href);
  if (isManifest(kind)) return { address: url.href, title: manifestTitle(name) || url.host, pieces: kind };
  return { address: url.href, title: name || url.host };
}

/** Sites whose addresses are those of pages with a player. */
const PLAYER_PAGES =
  /(^|\.)(youtube(-nocookie)?\.com|youtu\.be|vimeo\.com|dailymotion\.com|dai\.ly|twitch\.tv|tiktok\.com|facebook\.com|fb\.watch|instagram\.com|(x|twitter)\.com)\.?$/;

/** Tells of a link that nothing shows to be a video's whether it is certain, or only likely, that it leads to a page. */
export function pageAt(address: string): "page" | "likely-page" | undefined {
  if (kindOf(address) !== undefined) return undefined;
  return PLAYER_PAGES.test(new URL(address).hostname) ? "page" : "likely-page";
}

/** Names that say what a manifest is, and nothing of the video. */
const PLAIN = /^(chunklist.*|index.*|main|manifest|master|media|playlist.*|prog_index|stream|video)$/i;

const MANIFEST = endingPattern(Object.values(MANIFEST_ENDINGS).flat());

function manifestTitle(name: string): string {
  const stem = name.replace(MANIFEST, "");
  return PLAIN.test(stem) ? "" : stem;
}

/** A file's address, or its path as systems show it. */
const LOCAL_FILE = /^(file:|[a-z]:[\\/]|\/|~\/|\\\\)/i;

/** A host with a dot in it, and a path behind it. */
const WITHOUT_SCHEME = /^[a-z\d-]+(\.[a-z\d-]+)*\.[a-z]{2,}(:\d+)?\/\S+$/i;

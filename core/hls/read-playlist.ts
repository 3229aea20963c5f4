/**
 * Reads the text of a playlist, line by line.
 *
 * @module
 */

import { InputError } from "../errors.ts";
import { originOf } from "../redaction/redaction.ts";
import { Variables } from "./attributes.ts";
import { readMainTag } from "./main-playlist.ts";
import { MediaReader } from "./media-playlist.ts";
import { LIMITS, type MainPlaylist, type MediaPlaylist } from "./playlist.ts";

/** A playlist with the variables that the playlists it names may ask for. */
export interface ReadPlaylist {
  playlist: MainPlaylist | MediaPlaylist;
  variables: Variables;
}

/**
 * Reads a playlist.
 *
 * @throws {InputError} `unsupported-video` where it is none, or names more than anybody needs.
 */
export function readPlaylist(text: string, url: URL, main?: Variables): ReadPlaylist {
  const refuse = (what: string) =>
    new InputError("unsupported-video", `Cannot take the video: the playlist at ${originOf(url)} ${what}`);
  const variables = new Variables(url, refuse, main);
  const list: MainPlaylist = { kind: "main", url, variants: [], renditions: [], subtitles: [], named: [] };
  const media = new MediaReader(url, variables, refuse);
  let isFirst = true;
  for (const line of linesOf(text)) {
    if (isFirst && line !== "#EXTM3U") throw refuse("doesn't begin as a playlist does");
    isFirst = false;
    if (line.startsWith("#EXT-X-DEFINE:")) variables.define(line.slice("#EXT-X-DEFINE:".length));
    if (readMainTag(line, list, variables)) {
      if (list.variants.length > LIMITS.variants || list.renditions.length > LIMITS.renditions)
        throw refuse(`names over ${LIMITS.variants} qualities or ${LIMITS.renditions} renditions`);
      continue;
    }
    if (list.variants.at(-1)?.href === "" && !line.startsWith("#")) {
      Object.assign(list.variants.at(-1) ?? {}, { href: variables.fill(line) });
      continue;
    }
    media.take(line);
  }
  if (isFirst) throw refuse("is empty");
  list.variants = list.variants.filter(({ href }) => href !== "");
  list.named.push(...list.variants.map(({ href }) => href));
  if (list.variants.length > 0) return { playlist: list, variables };
  return { playlist: media.finish(), variables };
}

/** The lines that hold something; a text of one line is not split into as many as it has characters. */
function* linesOf(text: string): Generator<string> {
  for (let at = text.startsWith("\ufeff") ? 1 : 0; at < text.length; ) {
    const end = text.indexOf("\n", at);
    const line = text.slice(at, end < 0 ? undefined : end).trim();
    if (line !== "" && (!line.startsWith("#") || line.startsWith("#EXT"))) yield line;
    if (end < 0) return;
    at = end + 1;
  }
}

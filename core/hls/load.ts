/**
 * Fetches playlists, and the pieces of one quality.
 *
 * @module
 */

import { InputError } from "../errors.ts";
import { originOf } from "../redaction/redaction.ts";
import { kindOfBytes, refusalOf } from "../source/answer-kind.ts";
import { readDash } from "./dash.ts";
import { type Fetching, fetchBytes } from "./fetch-bytes.ts";
import { placeUrl } from "./places.ts";
import { LIMITS, type MediaPlaylist, type Problem } from "./playlist.ts";
import { type Choice, choicesOf } from "./qualities.ts";
import { readPlaylist } from "./read-playlist.ts";

/** The pieces of a quality. */
export interface Lanes {
  main: MediaPlaylist;
  audio: MediaPlaylist | undefined;
}

/** What an address leads to: qualities to choose from, or the pieces of the only one. */
export type Opened =
  | { choices: Choice[]; url: URL; named: readonly string[]; lanesOf(choice: Choice): Promise<Lanes> }
  | { only: MediaPlaylist };

/** Fetches the playlist, or the manifest, at an address. */
export async function openPlaylist(address: URL, how: Fetching): Promise<Opened> {
  const { text, url } = await load(address, how);
  if (text.startsWith("<")) {
    const { piecesOf, ...offered } = await readDash(text, url);
    const lanesOf = ({ variant, audio }: Choice) =>
      both(piecesOf(variant, how), audio && piecesOf(audio, how));
    return { choices: choicesOf(offered), url, named: [], lanesOf };
  }
  const { playlist, variables } = readPlaylist(text, url);
  if (playlist.kind === "media") return { only: playlist };
  const piecesAt = async (href: string) => {
    const found = await load(placeUrl(href, url), how);
    const { playlist: named } = readPlaylist(found.text, found.url, variables);
    // A main playlist that names another, or itself, would have no end.
    if (named.kind === "media") return named;
    throw unsupported(named.url, "names qualities where pieces were expected");
  };
  const lanesOf = ({ variant, audio }: Choice) =>
    both(piecesAt(variant.href), audio?.href === undefined ? undefined : piecesAt(audio.href));
  return { choices: choicesOf(playlist), url, named: playlist.named, lanesOf };
}

async function both(main: Promise<MediaPlaylist>, audio?: Promise<MediaPlaylist>): Promise<Lanes> {
  const [first, second] = await Promise.all([main, audio]);
  return { main: first, audio: second };
}

async function load(address: URL, how: Fetching): Promise<{ text: string; url: URL }> {
  const wanted = { url: address, most: LIMITS.playlist, isText: true };
  const { bytes, url } = await fetchBytes(wanted, how);
  const text = new TextDecoder().decode(bytes).trimStart();
  const other = kindOfBytes(bytes);
  if (
    other !== undefined &&
    other.words !== "a playlist" &&
    !/<MPD[\s>]/.test(text.slice(0, LONGEST_PROLOGUE))
  )
    throw refusalOf(other, originOf(url));
  return { text, url };
}

/** Characters before the first element of a manifest. */
const LONGEST_PROLOGUE = 10_000;

/** Why the pieces of a quality can't be taken, as far as playlists tell. */
export function problemIn({ main, audio }: Lanes, live: boolean): Problem | undefined {
  const problem = main.problem ?? audio?.problem;
  if (problem !== undefined || live || (main.ended && audio?.ended !== false)) return problem;
  return { code: "live-stream", words: "it is a live stream that hasn't ended" };
}

/** The error for a video that can't be taken. */
export function refusal({ code, words }: Problem, url: URL): InputError {
  const advice = code === "live-stream" ? ". Set live to take what is there so far" : "";
  return new InputError(code, `Cannot take the video from ${originOf(url)}: ${words}${advice}`);
}

function unsupported(url: URL, words: string): InputError {
  return new InputError(
    "unsupported-video",
    `Cannot take the video: the playlist at ${originOf(url)} ${words}`,
  );
}

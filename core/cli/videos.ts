/**
 * The videos that a command names: files, those of folders, addresses, and what is on the standard input. Each is found when
 * its turn comes, so that a list may be as long as it likes.
 */
import type { HlsOptions } from "../hls/options.ts";
import type { Fetch } from "../http/fetch.ts";
import { runtimeFetch } from "../http/fetch.ts";
import type { Arguments } from "./arguments.ts";
import { type FolderRules, videosIn } from "./folder.ts";
import { contentOfInput, linesOfInput, TOO_LONG } from "./input.ts";
import { factsOf, labelOf, type NamedVideo, refuse, videoOf } from "./sources.ts";

/** The rules by which videos are found and opened. */
export interface VideoRules extends FolderRules {
  /** The file name of a video on the standard input. */
  stdinName?: string | undefined;
  /** How those in pieces are opened. */
  playlists: HlsOptions;
}

/** Told where a command names no video at all. */
export const NONE_FOUND =
  "No video was found. Of a folder, files are taken that end like a video's, such as .mp4, as far as --include and --exclude allow";

/** How the videos are found and opened. */
export function rulesOf(
  { include, exclude, stdinName, quality, language }: Arguments,
  fetch: Fetch = runtimeFetch,
  signal?: AbortSignal,
): VideoRules {
  return { include, exclude, stdinName, playlists: { quality, language, fetch, signal } };
}

/** The videos that operands of a command line stand for. */
export async function* videosOf(
  operands: Iterable<string>,
  rules: VideoRules = { include: [], exclude: [], playlists: {} },
): AsyncGenerator<NamedVideo, undefined> {
  for (const operand of operands) {
    if (operand !== "-") yield* videosAt(operand, rules);
    else if (rules.stdinName === undefined) yield* listedVideos(rules);
    else {
      const content = await contentOfInput();
      const { stdinName } = rules;
      yield { label: stdinName, filename: stdinName, isLocal: true, open: async () => content };
    }
  }
}

async function* videosAt(place: string, rules: VideoRules): AsyncGenerator<NamedVideo, undefined> {
  const facts = await factsOf(place);
  if (facts?.isDirectory() !== true) return yield videoOf(place, facts, rules.playlists);
  for await (const found of videosIn(place, rules))
    yield found.isFolder ? unreadable(found.path) : videoOf(found.path, found.facts);
}

function unreadable(folder: string): NamedVideo {
  const label = labelOf(folder, true);
  return { label, isLocal: true, open: async () => refuse("Cannot read the folder: it can't be opened") };
}

async function* listedVideos(rules: VideoRules): AsyncGenerator<NamedVideo, undefined> {
  for await (const { number, text } of linesOfInput()) {
    if (text !== undefined) yield* videosAt(text, rules);
    else yield { label: `line ${number} of the list`, isLocal: true, open: async () => refuse(TOO_LONG) };
  }
}

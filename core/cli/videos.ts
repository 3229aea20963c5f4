/**
 * The videos that a command names: files, those of folders, addresses, and what is on the standard input. Each is found when
 * its turn comes, so that a list may be as long as it likes.
 */
import type { Stats } from "node:fs";
import { open, readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { checkAccount } from "../account-check.ts";
import type { Client } from "../client.ts";
import { mediaTypeOf } from "../content/media-type.ts";
import { openFile } from "../disk/source.ts";
import { InputError } from "../errors/errors.ts";
import type { HlsOptions } from "../hls/options.ts";
import { runtimeFetch } from "../http/fetch.ts";
import { describeValue, originOf, redact } from "../redaction/redaction.ts";
import { isVideoByContent } from "../source/beginning.ts";
import type { Uploadable } from "../source/open.ts";
import type { Arguments } from "./arguments.ts";
import { contentOfInput, linesOfInput, TOO_LONG } from "./input.ts";
import { UsageError } from "./usage-error.ts";

export interface NamedVideo {
  /** The person's word for it, without the parts of an address that may be secret. */
  label: string;
  size?: number | undefined;
  /** The video's file name, where what is opened can't tell it: on the standard input alone. */
  filename?: string;
  /** True if nobody is asked when it is opened. */
  isLocal: boolean;
  /** Opens the video; what isn't taken of one in pieces is told. */
  open(onLeftOut?: HlsOptions["onLeftOut"]): Promise<Uploadable>;
}

interface VideoRules extends Pick<Arguments, "include" | "exclude" | "stdinName"> {
  playlists: HlsOptions;
  /** Called before a folder is walked. */
  onFolder(): Promise<unknown>;
}

export function noneFound(operands: string[]): string {
  if (operands.every((operand) => operand === "-")) return "The list names no video";
  return "No video was found. Of a folder, files are taken that end like a video's, such as .mp4, as far as --include and --exclude allow";
}

/** How the videos are found and opened; with an account, which is checked before a folder is walked. */
export function rulesOf(
  { include, exclude, stdinName, name, quality, language }: Arguments,
  account?: Client,
  signal?: AbortSignal,
): VideoRules {
  let checked: Promise<unknown> | undefined;
  return {
    include,
    exclude,
    stdinName,
    playlists: { quality, language, fetch: account?.fetch ?? runtimeFetch, signal },
    async onFolder() {
      if (name !== undefined)
        throw new UsageError("--name is for one video, not for a folder: name a single file or address");
      // A folder may hold thousands of videos, none of which would be uploaded with a wrong address or token.
      checked ??= account && checkAccount(account, { signal });
      await checked;
    },
  };
}

export async function* videosOf(
  operands: Iterable<string>,
  rules: VideoRules,
): AsyncGenerator<NamedVideo, undefined> {
  for (const operand of operands) {
    const { stdinName } = rules;
    if (operand !== "-") yield* videosAt(operand, rules);
    else if (stdinName === undefined) yield* listedVideos(rules);
    else {
      const content = await contentOfInput();
      yield { label: stdinName, filename: stdinName, isLocal: true, open: async () => content };
    }
  }
}

async function* listedVideos(rules: VideoRules): AsyncGenerator<NamedVideo, undefined> {
  for await (const { number, text } of linesOfInput()) {
    if (text !== undefined) yield* videosAt(text, rules);
    else yield refused(`line ${number} of the list`, TOO_LONG);
  }
}

async function* videosAt(place: string, rules: VideoRules): AsyncGenerator<NamedVideo, undefined> {
  const facts = await factsOf(place);
  if (facts?.isDirectory() !== true) return yield videoOf(place, facts, rules.playlists);
  await rules.onFolder();
  yield* videosIn(place, rules, "");
}

/**
 * The videos of a folder and of those below it, in the order of their names. What is hidden, packages (node_modules) and links
 * to folders are left out.
 */
async function* videosIn(
  folder: string,
  rules: VideoRules,
  below: string,
): AsyncGenerator<NamedVideo, undefined> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => undefined);
  if (entries === undefined)
    return yield refused(labelOf(folder, true), "Cannot read the folder: it can't be opened");
  const isIncluded = (path: string) =>
    rules.include.length === 0 || rules.include.some((matches) => matches(path));
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const { name } = entry;
    const isFolder = entry.isDirectory();
    const path = join(folder, name);
    const relative = `${below}${name}`;
    if (name.startsWith(".") || (isFolder && name === "node_modules")) continue;
    // The end of a folder's name lets "drafts/**" match it, so that it isn't walked.
    if (rules.exclude.some((matches) => matches(relative) || matches(`${relative}/`))) continue;
    if (isFolder) yield* videosIn(path, rules, `${relative}/`);
    else if (mediaTypeOf(undefined, name) !== undefined && isIncluded(relative)) {
      // Links are followed here. One that leads nowhere, and a name that is no UTF-8, fail by their names when they are opened.
      const facts = await stat(path).catch(() => undefined);
      if (facts === undefined || (facts.isFile() && (await isVideoFile(path)))) yield videoOf(path, facts);
    }
  }
}

/** A file or an address; what is wrong with it is told when it is opened. */
export async function videoAt(word: string, playlists: HlsOptions = {}): Promise<NamedVideo> {
  return videoOf(word, await factsOf(word), playlists);
}

function videoOf(word: string, facts: Stats | undefined, playlists: HlsOptions = {}): NamedVideo {
  const isThere = facts !== undefined;
  const label = labelOf(word, isThere);
  const address = word.trim();
  if (isAddress(address)) {
    const advice = "Cannot read the video: its address is not a valid one";
    const open: NamedVideo["open"] = async (onLeftOut) =>
      URL.canParse(address) ? openAddress(new URL(address), { ...playlists, onLeftOut }) : refuse(advice);
    return { label, isLocal: false, open };
  }
  if (isThere) return { label, size: facts.size, isLocal: true, open: () => openVideoFile(word) };
  if (ADDRESS_BEGIN.test(word)) {
    const advice = "there is no such file, and an address begins with https:// or http://";
    return refused(label, `Cannot read the video: ${advice}`);
  }
  // The message of openFile() would show the whole of it.
  if (label !== word) return refused(label, "Cannot open the file: nothing can be read at its path");
  return { label, isLocal: true, open: () => openFile(word) };
}

function refused(label: string, sentence: string): NamedVideo {
  return { label, isLocal: true, open: async () => refuse(sentence) };
}

export function refuse(sentence: string): never {
  throw new InputError("invalid-source", sentence);
}

const PLAYLIST = /\.(m3u8?|mpd)$/i;

/** An address that is no playlist by its name is read as a file, which tells if it isn't one. */
async function openAddress(url: URL, playlists: HlsOptions): Promise<Uploadable> {
  if (!PLAYLIST.test(url.pathname)) return url;
  const { openHls } = await import("../hls/open.ts");
  return await openHls(url, playlists);
}

async function openVideoFile(path: string): Promise<Uploadable> {
  if (PLAYLIST.test(path))
    refuse("Cannot read the video: a playlist is read at an address. Give its https:// address");
  const file = await openFile(path);
  if (await isVideoFile(path)) return file;
  const sentence = `Cannot upload ${describeValue(file.name)}: neither its name nor its content is a video's`;
  throw new InputError(
    "not-a-video",
    `${sentence}. If it is one, give it the ending of its kind, such as .mp4`,
  );
}

/** True for a video by its content, where the name leaves that open; a file that can't be read fails when it is opened. */
async function isVideoFile(path: string): Promise<boolean> {
  const beginning = async (size: number) => {
    const file = await open(path, "r");
    try {
      const { bytesRead, buffer } = await file.read(new Uint8Array(size), 0, size, 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  };
  return await isVideoByContent(basename(path), beginning).catch(() => true);
}

function isAddress(word: string): boolean {
  return /^https?:\/\//i.test(word);
}

/** The beginning of an address, anywhere in a word: a single letter is a drive of Windows. */
const ADDRESS_BEGIN = /[a-z][a-z0-9+.-]{1,9}:[\\/]/i;

/** The facts of a path; an address has none. */
export async function factsOf(path: string): Promise<Stats | undefined> {
  return isAddress(path.trim()) ? undefined : await stat(path).catch(() => undefined);
}

/**
 * The most that a word may show of itself. An address may be signed, be it misspelt: it is its origin, and what looks like the name of
 * a file where it is a good one.
 */
function labelOf(word: string, isThere: boolean): string {
  const address = word.trim();
  if (isAddress(address)) {
    const last = URL.canParse(address) ? basename(new URL(address).pathname) : "";
    const name = /^[\w.-]{1,80}\.\w{2,5}$/.test(last) ? `/…/${redact(last)}` : "";
    return originOf(address) + name;
  }
  if (isThere) return redact(word);
  const begin = word.search(ADDRESS_BEGIN);
  if (begin !== -1) return schemeAndHost(word.slice(begin));
  // An address without its scheme would look so.
  const query = word.indexOf("?");
  return redact(query === -1 ? word : `${word.slice(0, query)}?…`);
}

function schemeAndHost(address: string): string {
  const { protocol, host } = URL.canParse(address) ? new URL(address) : { protocol: "", host: "" };
  return host === "" ? `${address.slice(0, address.indexOf(":"))}:…` : `${protocol}//${host}`;
}

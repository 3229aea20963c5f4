/**
 * The videos that a command names: files, those of folders, addresses, and what is on the standard input. Each is found when
 * its turn comes, so that a list may be as long as it likes.
 */
import type { Stats } from "node:fs";
import { lstat, open, readdir, realpath, stat, unlink } from "node:fs/promises";
import { platform } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { checkAccount } from "../account-check.ts";
import type { Client } from "../client.ts";
import { mediaTypeOf } from "../content/media-type.ts";
import { openFile } from "../disk/source.ts";
import { pathText, shownPath, systemPath } from "../disk/system-path.ts";
import { InputError } from "../errors/errors.ts";
import { codeOf } from "../errors/unexpected-failure.ts";
import type { HlsOptions } from "../hls/options.ts";
import { runtimeFetch } from "../http/fetch.ts";
import { describeValue, originOf, redact } from "../redaction/redaction.ts";
import { isDeno } from "../runtime.ts";
import { isVideoByContent } from "../source/beginning.ts";
import { isSameState } from "../source/blob.ts";
import type { Uploadable } from "../source/open.ts";
import { decodeOrKeep } from "../text/decode-or-keep.ts";
import { dateNow } from "../time/clock.ts";
import type { Arguments } from "./arguments.ts";
import { time } from "./format.ts";
import { globMatcher } from "./glob.ts";
import { contentOfInput, linesOfInput, TOO_LONG, wordOf } from "./input.ts";
import { isPattern, type Names } from "./name-pattern.ts";
import { UsageError } from "./usage-error.ts";

export interface NamedVideo {
  /** The person's word for it, without the parts of an address that may be secret. */
  label: string;
  size?: number | undefined;
  /** The video's file name, where what is opened can't tell it: on the standard input alone. */
  filename?: string;
  /** The file name as it is known before it is opened, and that of its folder. */
  names?: Names;
  /** True if nobody is asked when it is opened. */
  isLocal: boolean;
  /** Opens the video; what isn't taken of one in pieces is told. */
  open(onLeftOut?: HlsOptions["onLeftOut"]): Promise<Uploadable>;
  /** Deletes the file, if it is the one that was opened, unchanged; otherwise says why not. */
  remove?(): Promise<string | undefined>;
}

/** Why a file or folder is left out that nobody asked to leave out. */
type LeftOut = "linked-folder" | "dangling-link" | "empty" | "too-young";

interface VideoRules extends Pick<Arguments, "include" | "exclude" | "stdinName" | "minAge" | "follow"> {
  playlists: HlsOptions;
  /** The byte at which an entry of the list on the standard input ends. */
  listEnd: 0 | 10;
  /** Called before a folder is walked. */
  onFolder(): Promise<unknown>;
  onLeftOut(reason: LeftOut, label: string, sentence: string): void;
}

export function noneFound(operands: string[]): string {
  if (operands.every((operand) => operand === "-")) return "The list names no video";
  return "No video was found. Of a folder, files are taken that end like a video's, such as .mp4, as far as --include and --exclude allow";
}

/** How the videos are found and opened; with an account, which is checked before a folder is walked. */
export function rulesOf(
  { include, exclude, stdinName, minAge, follow, null: isNull, name, quality, language }: Arguments,
  onLeftOut: VideoRules["onLeftOut"],
  account?: Client,
  signal?: AbortSignal,
): VideoRules {
  let checked: Promise<unknown> | undefined;
  return {
    include,
    exclude,
    stdinName,
    minAge,
    follow,
    playlists: { quality, language, fetch: account?.fetch ?? runtimeFetch, signal },
    listEnd: isNull ? 0 : 10,
    onLeftOut,
    async onFolder() {
      if (name !== undefined && !isPattern(name))
        throw new UsageError(
          "--name is for one video, not for a folder: name a single file or address, or give a pattern such as '{stem}'",
        );
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
    if (operand !== "-") for (const place of await expanded(operand)) yield* videosAt(place, rules);
    else if (stdinName === undefined) yield* listedVideos(rules);
    else {
      const content = await contentOfInput();
      const names = { name: stdinName, folder: "" };
      yield { label: stdinName, filename: stdinName, names, isLocal: true, open: async () => content };
    }
  }
}

/** The paths that a pattern means, where the shell leaves that to programs; a word that means none stays as it is. */
export async function expanded(word: string, system: string = platform()): Promise<string[]> {
  if (system !== "win32" || !/[*?]/.test(word) || isAddress(word)) return [word];
  const parts = word.split(/[\\/]/);
  let found = [""];
  for (const [at, part] of parts.entries()) {
    const isLast = at === parts.length - 1;
    const matches = /[*?]/.test(part) ? globMatcher(part.replace(/[[\]{},]/g, "\\$&"), "posix") : undefined;
    const below: string[] = [];
    for (const folder of found) {
      const within = await readdir(folder || ".").catch(() => []);
      const names = matches ? within.filter((name) => !name.startsWith(".") && matches(name)).sort() : [part];
      below.push(...names.map((name) => `${folder}${name}${isLast ? "" : "/"}`));
    }
    found = below;
  }
  return found.length > 0 ? found : [word];
}

async function* listedVideos(rules: VideoRules): AsyncGenerator<NamedVideo, undefined> {
  for await (const { number, text } of linesOfInput(rules.listEnd)) {
    if (text === undefined) yield refused(`line ${number} of the list`, TOO_LONG);
    else {
      const place = rules.listEnd === 0 ? text : await placeOf(text);
      if (place) yield* videosAt(place, rules);
    }
  }
}

/** Finds the file that a line names: a name may begin with # or a blank, where there is such a file. */
async function placeOf(line: string): Promise<string | undefined> {
  for (const path of new Set([line, line.replace(/^\ufeff|\r$/g, "")]))
    if ((await lstat(systemPath(path)).catch(() => undefined)) !== undefined) return path;
  return wordOf(line);
}

async function* videosAt(place: string, rules: VideoRules): AsyncGenerator<NamedVideo, undefined> {
  const facts = await factsOf(place);
  if (facts?.isDirectory()) {
    await rules.onFolder();
    yield* videosIn(place, rules, "", new Set());
  } else if (!(await isLeftOut(place, facts, rules))) yield videoOf(place, facts, rules.playlists);
}

/** True for a file that isn't uploaded, and whose lack is no failure; it is told. */
async function isLeftOut(path: string, facts: Stats | undefined, { minAge, onLeftOut }: VideoRules) {
  const leaveOut = (reason: LeftOut, state: string) => {
    const label = labelOf(path, true);
    onLeftOut(reason, label, `Left out ${label}: ${state}`);
    return true;
  };
  if (isAddress(path.trim())) return false;
  if (facts === undefined)
    return (await isLink(path)) && leaveOut("dangling-link", "it is a link that leads nowhere");
  if (!facts.isFile()) return false;
  if (facts.size === 0) return leaveOut("empty", "it has no bytes");
  const age = dateNow() - facts.mtimeMs;
  if (minAge === undefined || age >= minAge) return false;
  return leaveOut("too-young", `it changed ${time(Math.max(0, age))} ago`);
}

async function isLink(path: string): Promise<boolean> {
  return (await lstat(systemPath(path)).catch(() => undefined))?.isSymbolicLink() === true;
}

/**
 * The videos of a folder and of those below it, in the order of their names. What is hidden and packages (node_modules) are
 * left out, and so are links to folders unless they are to be followed: each folder once, since links may lead in a circle.
 */
async function* videosIn(
  folder: string,
  rules: VideoRules,
  below: string,
  walked: Set<string>,
): AsyncGenerator<NamedVideo, undefined> {
  if (rules.follow) {
    const place = await realpath(systemPath(folder), "latin1").catch(() => folder);
    if (walked.has(place)) return;
    walked.add(place);
  }
  const entries = await entriesOf(folder).catch(() => undefined);
  if (entries === undefined)
    return yield refused(labelOf(folder, true), "Cannot read the folder: it can't be opened");
  const isIncluded = (path: string) =>
    rules.include.length === 0 || rules.include.some((matches) => matches(path));
  for (const { name, is } of entries) {
    const path = join(folder, name);
    const relative = `${below}${name}`;
    if (name.startsWith(".") || (is === "folder" && name === "node_modules")) continue;
    // The end of a folder's name lets "drafts/**" match it, so that it isn't walked.
    if (rules.exclude.some((matches) => matches(relative) || matches(`${relative}/`))) continue;
    const linked = is === "link" ? await factsOf(path) : undefined;
    if (is === "folder" || linked?.isDirectory()) {
      if (is === "folder" || rules.follow) {
        yield* videosIn(path, rules, `${relative}/`, walked);
      } else {
        const label = labelOf(path, true);
        rules.onLeftOut(
          "linked-folder",
          label,
          `Left out ${label}: it is a link to a folder. --follow takes it`,
        );
      }
    } else if (mediaTypeOf(undefined, name) !== undefined && isIncluded(relative)) {
      // A file that is gone or can't be opened fails by its name when it is opened.
      const facts = linked ?? (await factsOf(path));
      if (facts !== undefined && !(facts.isFile() && (await isVideoFile(path)))) continue;
      if (!(await isLeftOut(path, facts, rules))) yield videoOf(path, facts);
    }
  }
}

/** Lists a folder, in the order of the names. */
async function entriesOf(folder: string): Promise<{ name: string; is: "folder" | "link" | "other" }[]> {
  const kindOf = (entry: Pick<Stats, "isDirectory" | "isSymbolicLink"> | undefined) =>
    entry?.isDirectory() ? "folder" : entry?.isSymbolicLink() ? "link" : "other";
  const entries = await readdir(systemPath(folder), { withFileTypes: true });
  const found = await Promise.all(
    entries.some(({ name }) => name.includes("\ufffd"))
      ? // Names come as bytes only without their kinds in Bun.
        (await readdir(systemPath(folder), "buffer")).map(pathText).map(async (name) => {
          const facts = await lstat(systemPath(join(folder, name))).catch(() => undefined);
          return { name, is: kindOf(facts) } as const;
        })
      : entries.map((entry) => ({ name: entry.name, is: kindOf(entry) }) as const),
  );
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
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
    const url = URL.canParse(address) ? new URL(address) : undefined;
    const open: NamedVideo["open"] = async (onLeftOut) =>
      url === undefined ? refuse(advice) : openAddress(url, { ...playlists, onLeftOut });
    const name = url && decodeOrKeep(basename(url.pathname));
    return { label, isLocal: false, open, ...(name && { names: { name, folder: "" } }) };
  }
  if (isThere) return { label, isLocal: true, size: facts.size, ...fileAt(word) };
  if (ADDRESS_BEGIN.test(word)) {
    const advice = "there is no such file, and an address begins with https:// or http://";
    return refused(label, `Cannot read the video: ${advice}`);
  }
  // Deno can't open such a file, and only Linux tells the bytes of a word.
  if (/[\ufffd\udc80-\udcff]/u.test(word))
    return refused(label, `Cannot open the file: ${isDeno() ? NO_UTF8 : NO_SUCH_FILE}`);
  // The message of openFile() would show the whole of it.
  if (label !== word) return refused(label, "Cannot open the file: nothing can be read at its path");
  return { label, isLocal: true, open: () => openFile(word) };
}

const NO_SUCH_FILE = "there is no such file";
const NO_UTF8 = "its name isn't UTF-8, which Deno can't open. Run it by Node or Bun";

function fileAt(path: string): Pick<NamedVideo, "names" | "open" | "remove"> {
  let opened: Stats | undefined;
  const names = { name: shownPath(basename(path)), folder: shownPath(basename(dirname(resolve(path)))) };
  return {
    names,
    async open() {
      opened = await lstat(systemPath(path)).catch(() => undefined);
      return await openVideoFile(path);
    },
    async remove() {
      if (opened?.isSymbolicLink()) return "it is a link";
      const now = await lstat(systemPath(path)).catch(() => undefined);
      if (opened === undefined || !isSameState(opened, now)) return "it has changed since";
      return await unlink(systemPath(path)).then(
        () => undefined,
        (error: unknown) => `${codeOf(error) ?? "unknown reason"}`,
      );
    },
  };
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
    const file = await open(systemPath(path), "r");
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
  return isAddress(path.trim()) ? undefined : await stat(systemPath(path)).catch(() => undefined);
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
  if (isThere) return redact(shownPath(word));
  const begin = word.search(ADDRESS_BEGIN);
  if (begin !== -1) return schemeAndHost(word.slice(begin));
  // An address without its scheme would look so.
  const query = word.indexOf("?");
  return redact(shownPath(query === -1 ? word : `${word.slice(0, query)}?…`));
}

function schemeAndHost(address: string): string {
  const { protocol, host } = URL.canParse(address) ? new URL(address) : { protocol: "", host: "" };
  return host === "" ? `${address.slice(0, address.indexOf(":"))}:…` : `${protocol}//${host}`;
}

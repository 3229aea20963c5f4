/**
 * The videos that a command names: files, all of a folder, addresses, and lists of these on the standard input. Each is
 * found when its turn comes, so that a list may be as long as it likes.
 *
 * @module
 */

import type { Stats } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import process from "node:process";
import { openFile } from "../disk/source.ts";
import { InputError } from "../errors.ts";
import type { HlsOptions } from "../hls/options.ts";
import { mediaTypeOf } from "../media-type.ts";
import { originOf, redact } from "../redaction/redaction.ts";
import type { Uploadable } from "../source/open.ts";

/** A video that is to be uploaded. */
export interface NamedVideo {
  /** What the person calls it, without what may be secret in an address. */
  label: string;
  /** Opens it; what isn't taken of one in pieces is told. */
  open(onLeftOut?: HlsOptions["onLeftOut"]): Promise<Uploadable>;
}

/**
 * The videos that operands of a command line stand for.
 *
 * @param playlists how those in pieces are opened
 */
export async function* videosOf(
  operands: Iterable<string>,
  playlists: HlsOptions = {},
): AsyncGenerator<NamedVideo, undefined> {
  for (const operand of operands) {
    if (operand === "-") yield* videosOfInput(playlists);
    else yield* videosAt(operand, playlists);
  }
}

async function* videosAt(place: string, playlists: HlsOptions): AsyncGenerator<NamedVideo, undefined> {
  const facts = await factsOf(place);
  if (facts?.isDirectory()) yield* videosIn(place);
  else yield await videoAt(place, playlists);
}

/** A file or an address; what is wrong with it is told when it is opened. */
export async function videoAt(word: string, playlists: HlsOptions = {}): Promise<NamedVideo> {
  const isThere = (await factsOf(word)) !== undefined;
  const label = labelOf(word, isThere);
  const address = word.trim();
  if (isAddress(address)) {
    const advice = "Cannot read the video: its address is not a valid one";
    const open: NamedVideo["open"] = async (onLeftOut) =>
      URL.canParse(address) ? openAddress(new URL(address), { ...playlists, onLeftOut }) : refuse(advice);
    return { label, open };
  }
  if (isThere) return { label, open: () => openFile(word) };
  if (ADDRESS_BEGIN.test(word)) {
    const advice =
      "Cannot read the video: there is no such file, and an address begins with https:// or http://";
    return { label, open: async () => refuse(advice) };
  }
  // The message would show the whole of it.
  if (label !== word)
    return { label, open: async () => refuse("Cannot open the file: nothing can be read at its path") };
  return { label, open: () => openFile(word) };
}

/** An address that is no playlist by its name is read as a file, which tells if it isn't one. */
async function openAddress(url: URL, playlists: HlsOptions): Promise<Uploadable> {
  if (!/\.(m3u8?|mpd)$/i.test(url.pathname)) return url;
  const { openHls } = await import("../hls/open.ts");
  return await openHls(url, playlists);
}

function refuse(sentence: string): never {
  throw new InputError("invalid-source", sentence);
}

function isAddress(word: string): boolean {
  return /^https?:\/\//i.test(word);
}

/** What begins an address, anywhere in a word: a single letter is a drive of Windows. */
const ADDRESS_BEGIN = /[a-z][a-z0-9+.-]{1,9}:[\\/]/i;

/** What is known of a path; an address has none. */
async function factsOf(path: string): Promise<Stats | undefined> {
  return isAddress(path.trim()) ? undefined : await stat(path).catch(() => undefined);
}

/** Videos of a folder and of those below it, in the order of their names; hidden ones and links to folders are left out. */
async function* videosIn(folder: string): AsyncGenerator<NamedVideo, undefined> {
  const found = await readdir(folder, { withFileTypes: true }).catch(() => undefined);
  if (found === undefined) {
    const label = labelOf(folder, true);
    return yield { label, open: async () => refuse("Cannot read the folder: it can't be opened") };
  }
  for (const entry of found.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.name.startsWith(".")) continue;
    if (entry.isDirectory()) yield* videosIn(path);
    else if (mediaTypeOf(undefined, entry.name) !== undefined && (await mayBeFile(path)))
      yield await videoAt(path);
  }
}

/** Links are followed here. One that leads nowhere, and a name that is no UTF-8, fail by their names when they are opened. */
async function mayBeFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() ?? true;
}

/**
 * What a word may show of itself. An address may be signed, be it misspelt: it is its origin, and what looks like the name of
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

/** Characters of a line: more than any path or address has. */
const LONGEST_LINE = 64 * 1024;

/** The videos of the lines of the standard input, each as soon as it is there. */
async function* videosOfInput(playlists: HlsOptions): AsyncGenerator<NamedVideo, undefined> {
  const decoder = new TextDecoder();
  let line = "";
  let number = 0;
  const add = (text: string) => {
    // Of one that is too long no more is held than shows that.
    if (line.length <= LONGEST_LINE) line += text;
  };
  async function* end(): AsyncGenerator<NamedVideo, undefined> {
    number++;
    // Byte order marks go with the blanks.
    const word = line.length > LONGEST_LINE ? undefined : line.trim();
    line = "";
    if (word === undefined) yield tooLong(number);
    else if (word !== "") yield* videosAt(word, playlists);
  }
  for await (const piece of process.stdin) {
    const [first = "", ...more] = decoder.decode(piece, { stream: true }).split("\n");
    add(first);
    for (const text of more) {
      yield* end();
      add(text);
    }
  }
  yield* end();
}

function tooLong(number: number): NamedVideo {
  const sentence = `Cannot read the line: it is longer than ${LONGEST_LINE} characters`;
  return { label: `line ${number} of the list`, open: async () => refuse(sentence) };
}

/** The video that a word stands for: a file or an address. */
import type { Stats } from "node:fs";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { openFile } from "../disk/source.ts";
import { InputError } from "../errors.ts";
import type { HlsOptions } from "../hls/options.ts";
import { describeValue, originOf, redact } from "../redaction/redaction.ts";
import type { Uploadable } from "../source/open.ts";
import { isVideoFile } from "./folder.ts";

/** A video that is to be uploaded. */
export interface NamedVideo {
  /** The person's word for it, without the parts of an address that may be secret. */
  label: string;
  /** Its bytes, where that is known before it is opened. */
  size?: number | undefined;
  /** Its file name, where what is opened can't tell it. */
  filename?: string;
  /** True if nobody is asked when it is opened. */
  isLocal: boolean;
  /** Opens it; what isn't taken of one in pieces is told. */
  open(onLeftOut?: HlsOptions["onLeftOut"]): Promise<Uploadable>;
}

/** A file or an address; what is wrong with it is told when it is opened. */
export async function videoAt(word: string, playlists: HlsOptions = {}): Promise<NamedVideo> {
  return videoOf(word, await factsOf(word), playlists);
}

/** The same for one that the system was asked about. */
export function videoOf(word: string, facts: Stats | undefined, playlists: HlsOptions = {}): NamedVideo {
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
    const advice =
      "Cannot read the video: there is no such file, and an address begins with https:// or http://";
    return { label, isLocal: true, open: async () => refuse(advice) };
  }
  // The message would show the whole of it.
  if (label !== word)
    return {
      label,
      isLocal: true,
      open: async () => refuse("Cannot open the file: nothing can be read at its path"),
    };
  return { label, isLocal: true, open: () => openFile(word) };
}

/** The name of a playlist or a manifest. */
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

/** Refuses a video when it is opened. */
export function refuse(sentence: string): never {
  throw new InputError("invalid-source", sentence);
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
export function labelOf(word: string, isThere: boolean): string {
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

/**
 * The options that playlists are opened with, checked before anything is asked for.
 *
 * @module
 */

import * as v from "valibot";
import { joinSignals } from "../abort.ts";
import { InputError } from "../errors.ts";
import { checkedFetch, type Fetch, runtimeFetch } from "../http/fetch.ts";
import {
  abortSignal,
  callback,
  flag,
  headers,
  milliseconds,
  oneOf,
  readOptions,
  type SchemasOf,
  text,
} from "../options.ts";
import { describeValue } from "../redaction/redaction.ts";
import { type Fetching, Gate } from "./fetch-bytes.ts";
import type { HlsLanguage } from "./qualities.ts";

/** How a playlist, and what it names, is read. */
export interface HlsReading {
  /** Headers for the playlist's own origin; pieces elsewhere get none. */
  headers?: Record<string, string> | undefined;
  /** For browsers: whether cookies go along. */
  credentials?: "omit" | "same-origin" | "include" | undefined;
  /** Used in place of the runtime's `fetch`. */
  fetch?: Fetch | undefined;
  /** Ends the opening; the upload has a signal of its own. */
  signal?: AbortSignal | undefined;
  /** Milliseconds without an answer, or a byte of it, until a request is made again. @default 30000 */
  stall?: number | undefined;
}

/** How far a video in pieces is fetched. */
export interface HlsProgress {
  /** Position in the file up to which its pieces are fetched; some MiB ahead of what is sent. */
  fetched: number;
  /** Bytes of the whole file, estimated by the time that its pieces play. */
  estimated: number;
}

/** The parts of a video in pieces that aren't taken. */
export interface HlsLeftOut {
  /** The languages of its sound that aren't taken. */
  languages: readonly HlsLanguage[];
  /** All subtitles. */
  subtitles: readonly HlsLanguage[];
}

/** How a video in pieces is taken. */
export interface HlsOptions extends HlsReading {
  /**
   * Which quality is taken: the `id` of one that `inspectHls` lists.
   * @default the best that can be taken
   */
  quality?: string | undefined;
  /**
   * In which language its sound is taken: the `id` of one that `inspectHls` lists.
   * @default the one that plays by default
   */
  language?: string | undefined;
  /** Takes a live stream as far as it is listed when it is opened. @default false */
  live?: boolean | undefined;
  /** Name of the file. @default made of the playlist's address */
  name?: string | undefined;
  /**
   * Called before it is opened where the playlist names sound in other languages, or subtitles: none of these is in the
   * file. What it throws ends the opening.
   */
  onLeftOut?: ((leftOut: HlsLeftOut) => void) | undefined;
  /**
   * Called when a piece has been fetched and put into the file, while the video is uploaded. Never where all pieces are
   * ranges of one MP4 file, whose size is known. What it throws or rejects with ends the upload.
   */
  onProgress?: ((progress: HlsProgress) => void) | undefined;
}

const reading: SchemasOf<HlsReading> = {
  headers: v.optional(headers),
  credentials: v.optional(oneOf(["omit", "same-origin", "include"])),
  fetch: v.optional(callback<Fetch>()),
  signal: v.optional(abortSignal),
  stall: v.optional(milliseconds),
};

const readingOptions = v.strictObject(reading satisfies SchemasOf<HlsReading>);
const openingOptions = v.strictObject({
  ...reading,
  quality: v.optional(text),
  language: v.optional(text),
  live: v.optional(flag),
  name: v.optional(text),
  onLeftOut: v.optional(callback<(leftOut: HlsLeftOut) => void>()),
  onProgress: v.optional(callback<(progress: HlsProgress) => void>()),
} satisfies SchemasOf<HlsOptions>);

export function readReading(url: unknown, options: HlsReading): URL {
  readOptions("inspect the playlist", readingOptions, options);
  return readAddress(url);
}

export function readOpening(url: unknown, options: HlsOptions): URL {
  readOptions("open the playlist", openingOptions, options);
  return readAddress(url);
}

function readAddress(given: unknown): URL {
  const bad = (what: string) => new InputError("invalid-source", `Cannot open the playlist: ${what}`);
  if (!(given instanceof URL)) throw bad(`${describeValue(given)} is no address. Give new URL(…)`);
  if (!/^https?:$/.test(given.protocol))
    throw bad(`its address begins with "${given.protocol}", expected https: or http:`);
  if (given.username !== "" || given.password !== "")
    throw bad("its address holds a user name and password, which can't be sent. Give them as headers");
  return new URL(given);
}

export function fetchingOf(url: URL, options: HlsReading, signal: AbortSignal): Fetching {
  const { headers: own, credentials, stall, fetch } = options;
  return {
    fetch: fetch === undefined ? runtimeFetch : checkedFetch(fetch),
    headers: own,
    credentials,
    stall,
    signal,
    gate: new Gate(),
    origin: url.origin,
  };
}

/** Does work with requests, and ends those that are still under way when it is over or fails. */
export async function withRequests<T>(
  url: URL,
  options: HlsReading,
  work: (how: Fetching) => Promise<T>,
): Promise<T> {
  const { signal, abort, leave } = joinSignals(options.signal);
  signal.throwIfAborted();
  try {
    return await work(fetchingOf(url, options, signal));
  } finally {
    abort(new Error("over"));
    leave();
  }
}

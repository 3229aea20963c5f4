/** The options that playlists are opened with, checked before anything is asked for, and the choices they offer. */
import * as v from "valibot";
import { InputError } from "../errors/errors.ts";
import { checkedFetch, runtimeFetch } from "../http/fetch.ts";
import { abortSignal, milliseconds, type SchemasOf } from "../options/checks.ts";
import { describeValue } from "../redaction/redaction.ts";
import { type UrlOptions, urlOptions } from "../source/open-url.ts";
import { checkAddress } from "../source/url-request.ts";
import { type Fetching, Gate } from "./fetch-bytes.ts";

/** The choices that a playlist offers. */
export interface HlsVideo {
  /** The best one first. */
  qualities: readonly {
    /** Names it to `openHls`, for example "1080p-5000000". */
    id: string;
    /** Pixels, where the playlist says. */
    width: number | undefined;
    /** Pixels, where the playlist says. */
    height: number | undefined;
    /** Pictures per second, where the playlist says. */
    frameRate: number | undefined;
    /** Bits per second, where the playlist says: on average, or at most. */
    bitrate: number | undefined;
    /** As the playlist names them, for example "avc1.64001f". */
    codecs: readonly string[];
    /** Bytes of the file that it makes: exact to some hundredths where pieces are ranges of bytes, else estimated. */
    size: number | undefined;
    /** Milliseconds that its pieces play, where its playlists could be read. */
    duration: number | undefined;
    /** True for a live stream that hasn't ended. */
    live: boolean;
    /** The origins of its playlists, pieces and keys, each once; empty where it could not be read. */
    origins: readonly string[];
    /** Why it can't be taken, by the code and message of the error. */
    problem: { readonly code: string; readonly message: string } | undefined;
  }[];
  /** The languages of its sound to choose from, where it names them: the one that plays by default comes first. */
  languages: readonly {
    /** Names it to `openHls`: its tag, or its name where an earlier one has that tag. */
    id: string;
    /** As the playlist tags it, for example "en". */
    tag: string | undefined;
    /** As the playlist calls it, for example "English". */
    name: string | undefined;
  }[];
  /** The subtitles that it names, none of which is taken. */
  subtitles: HlsVideo["languages"];
  /**
   * The addresses of all playlists that a main playlist names, those of subtitles and still pictures too: each is a part
   * of this video, and none of its own.
   */
  playlists: readonly string[];
}

/** One quality of a video. */
export type HlsQuality = HlsVideo["qualities"][number];

/** Sound or subtitles in a language; several may have the same one, as a commentary does. */
export type HlsLanguage = HlsVideo["languages"][number];

export type HlsReading = UrlOptions & Pick<HlsOptions, "signal" | "timeout">;

/** How a video in pieces is taken. */
export interface HlsOptions extends UrlOptions {
  /** Ends the opening; the upload has a signal of its own. */
  signal?: AbortSignal | undefined;
  /** Milliseconds without an answer, or a byte of it, until a request is made again. @default 30000 */
  timeout?: number | undefined;
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
  filename?: string | undefined;
  /**
   * Called before it is opened where the playlist names sound in other languages, or subtitles: none of these is in the
   * file. Called as well while it is uploaded where its pieces lack so many seconds of what its playlist says. What it
   * throws ends the opening, or the upload.
   */
  onLeftOut?:
    | ((leftOut: Pick<HlsVideo, "languages" | "subtitles"> & { seconds: number }) => void)
    | undefined;
  /**
   * Called when a piece has been fetched and put into the file, while the video is uploaded. Never where all pieces are
   * ranges of one MP4 file, whose size is known. What it throws or rejects with ends the upload.
   */
  onProgress?:
    | ((progress: {
        /** Position in the file up to which its pieces are fetched; some MiB ahead of what is sent. */
        fetched: number;
        /** Bytes of the whole file, estimated by the time that its pieces play. */
        estimated: number;
      }) => void)
    | undefined;
}

export const readingOptions: SchemasOf<HlsReading> = {
  ...urlOptions,
  signal: v.optional(abortSignal),
  timeout: v.optional(milliseconds),
};

export function readAddress(given: unknown): URL {
  if (!(given instanceof URL)) {
    const state = `${describeValue(given)} is no address. Give new URL(…)`;
    throw new InputError("invalid-source", `Cannot open the playlist: ${state}`);
  }
  checkAddress(given, "open the playlist", "openHls");
  return new URL(given);
}

export function fetchingOf(url: URL, options: HlsReading, signal: AbortSignal): Fetching {
  const { headers: own, credentials, timeout: stall, fetch } = options;
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

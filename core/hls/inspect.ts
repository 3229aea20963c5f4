/** Lists what a playlist has to offer, without taking anything. */
import * as v from "valibot";
import { isUpcutError } from "../errors/errors.ts";
import { readOptions } from "../options/checks.ts";
import type { UrlOptions } from "../source/open-url.ts";
import { withSignal } from "./fetch-bytes.ts";
import { type Choice, type Lanes, openPlaylist, problemIn } from "./load.ts";
import {
  fetchingOf,
  type HlsOptions,
  type HlsQuality,
  type HlsVideo,
  readAddress,
  readingOptions,
} from "./options.ts";
import { refusal } from "./playlist.ts";

/**
 * Lists the qualities of a video in pieces: one request, and one or two for each quality of a playlist.
 *
 * @param url the address of a main or a media playlist, or of a DASH manifest
 * @param options how it is read
 * @returns the qualities, the best one first; what can't be taken says why
 * @throws {InputError} `unsupported-video` where it is no playlist, or a manifest without pictures.
 * @throws {UploadError} `source-refused` or `source-unreadable`.
 * @example Ask what there is to choose from
 * ```ts
 * import { inspectHls } from "@upcut/core/hls";
 *
 * const show = async (address: URL) => console.log((await inspectHls(address)).qualities);
 * console.log(typeof show); // "function"
 * ```
 */
export async function inspectHls(
  url: URL,
  options: UrlOptions & Pick<HlsOptions, "signal" | "timeout"> = {},
): Promise<HlsVideo> {
  readOptions("inspect the playlist", v.strictObject(readingOptions), options);
  const address = readAddress(url);
  return await withSignal(options.signal, async (signal) => {
    const how = fetchingOf(address, options, signal);
    const opened = await openPlaylist(address, how);
    const describeChoice = async (choice: Choice): Promise<HlsQuality> => {
      try {
        return describe(choice, await opened.lanesOf(choice));
      } catch (error) {
        signal.throwIfAborted();
        // A quality that can't be read hides no other.
        if (!isUpcutError(error)) throw error;
        return { ...describe(choice, undefined), problem: { code: error.code, message: error.message } };
      }
    };
    const { choices, named, languages, subtitles, url: base } = opened;
    const qualities: HlsQuality[] = [];
    for (let at = 0; at < choices.length; at += READ_AT_ONCE) {
      const some = choices.slice(at, at + READ_AT_ONCE);
      qualities.push(...(await Promise.all(some.map(describeChoice))));
    }
    const playlists = named.flatMap((href) => (URL.canParse(href, base) ? [new URL(href, base).href] : []));
    return { qualities, languages, subtitles, playlists };
  });
}

/** Qualities whose pieces are in memory at a time: a small manifest may name very many. */
const READ_AT_ONCE = 4;

function describe({ id, variant, problem }: Choice, lanes: Lanes | undefined): HlsQuality {
  const { width, height, frameRate, bandwidth, codecs } = variant;
  const bitrate = bandwidth > 0 ? bandwidth : undefined;
  const live = lanes !== undefined && !(lanes.main.ended && lanes.audio?.ended !== false);
  const seconds = lanes && Math.max(lanes.main.duration, lanes.audio?.duration ?? 0);
  const found = lanes && (problem ?? problemIn(lanes, true));
  return {
    id,
    width,
    height,
    frameRate,
    bitrate,
    codecs,
    size: lanes && sizeOf(lanes, bitrate, seconds),
    duration: seconds && Math.round(1000 * seconds),
    live,
    origins: lanes === undefined ? [] : originsOf(lanes),
    problem: found && { code: found.code, message: refusal(found, lanes.main.url).message },
  };
}

function originsOf(lanes: Lanes): string[] {
  const origins = new Set<string>();
  for (const lane of [lanes.main, lanes.audio]) {
    if (lane !== undefined) origins.add(lane.url.origin);
    // Reading tens of thousands as addresses would take its time.
    for (const { href, init, key } of lane?.pieces ?? [])
      for (const each of [href, key?.href, init?.href, init?.key?.href])
        if (each?.startsWith("http")) origins.add(each.split("/", 3).join("/"));
  }
  return [...origins];
}

function sizeOf({ main, audio }: Lanes, bitrate: number | undefined, seconds = 0): number | undefined {
  const pieces = [...main.pieces, ...(audio?.pieces ?? [])];
  if (pieces.length === 0) return undefined;
  let size = 0;
  for (const { range } of pieces) {
    if (range === undefined) return bitrate === undefined ? undefined : Math.round((bitrate * seconds) / 8);
    size += range.end - range.start;
  }
  return size;
}

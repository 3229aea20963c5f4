/** Opens a video in pieces for `upload()`. */
import * as v from "valibot";
import { type InputError, isUpcutError } from "../errors/errors.ts";
import { callback, flag, readOptions, refusedOption, text } from "../options/checks.ts";
import { describeValue } from "../redaction/redaction.ts";
import type { Source } from "../source/source.ts";
import { urlSource } from "../source/url.ts";
import { decodeOrKeep } from "../text/decode-or-keep.ts";
import { hasTrack, isProtected } from "./boxes.ts";
import { type Fetching, fetchBytes, withSignal } from "./fetch-bytes.ts";
import { FEW_ATTEMPTS, type Lanes, type Opened, openPlaylist, problemIn } from "./load.ts";
import { fetchingOf, type HlsOptions, readAddress, readingOptions } from "./options.ts";
import { type ByteRange, LIMITS, PROTECTED, refusal, unsupported } from "./playlist.ts";

const openingOptions = v.strictObject({
  ...readingOptions,
  quality: v.optional(text),
  language: v.optional(text),
  live: v.optional(flag),
  filename: v.optional(text),
  onLeftOut: v.optional(callback<NonNullable<HlsOptions["onLeftOut"]>>()),
  onProgress: v.optional(callback<NonNullable<HlsOptions["onProgress"]>>()),
});

/**
 * Opens a video in pieces (HLS or DASH) for `upload()`: it is put into one MP4 while it is fetched, without being
 * encoded again.
 *
 * The first piece is read, so that what can't be taken is known before an asset is made. A later call, in another
 * process too, resumes the same asset with the first piece that the service doesn't have whole; the address may be
 * another by then, as signed ones are. Where all pieces are ranges of one MP4 file, that file is taken as it is.
 *
 * @param url the address of a main or a media playlist, or of a DASH manifest
 * @param options which quality is taken, and how it is read
 * @returns the video, for `upload()`
 * @throws {InputError} `live-stream`, `protected-video` or `unsupported-video`; `invalid-source` where the package is missing.
 * @throws {UploadError} `source-refused` where an address has expired, or `source-unreadable`.
 * @example Upload what plays in pieces
 * ```ts
 * import { type Client, upload } from "@upcut/core";
 * import { openHls } from "@upcut/core/hls";
 *
 * const send = async (client: Client, address: URL) => await upload(client, await openHls(address));
 * console.log(typeof send); // "function"
 * ```
 */
export async function openHls(url: URL, options: HlsOptions = {}): Promise<Source> {
  readOptions("open the playlist", openingOptions, options);
  const address = readAddress(url);
  // A page that only lists qualities doesn't load the reader of pieces.
  const { loadMediabunny, remuxedSource } = await import("./remuxed-source.ts");
  await loadMediabunny();
  const name = options.filename ?? playlistName(address);
  return await withSignal(options.signal, async (signal) => {
    const how = fetchingOf(address, options, signal);
    const opened = await openPlaylist(address, how, options.language);
    const lanes = await chooseLanes(opened, options, how);
    const { languages, subtitles } = opened;
    const others = languages.length > 1 ? languages.filter(({ id }) => id !== lanes.language) : [];
    if (others.length + subtitles.length > 0)
      options.onLeftOut?.({ languages: others, subtitles, seconds: 0 });
    const file = singleFileOf(lanes);
    const source = file && (await fileSource(file, name, how));
    return source ?? (await remuxedSource(lanes, name, options, how));
  });
}

async function chooseLanes(
  opened: Opened,
  { quality, language, live = false }: HlsOptions,
  { signal }: Fetching,
): Promise<Lanes> {
  const { choices, url, languages, lanesOf } = opened;
  if (language !== undefined && !languages.some(({ id }) => id === language))
    throw unknown("language", language, languages);
  const wanted = quality === undefined ? choices : choices.filter(({ id }) => id === quality);
  if (wanted.length === 0) throw unknown("quality", quality, choices);
  let first: unknown;
  let attempts: number | undefined;
  for (const choice of wanted) {
    try {
      if (choice.problem !== undefined) throw refusal(choice.problem, url);
      const lanes = await lanesOf(choice, attempts);
      const problem = problemIn(lanes, live);
      if (problem !== undefined) throw refusal(problem, lanes.main.url);
      return languages.length > 1 ? { ...lanes, language: choice.language?.id } : lanes;
    } catch (error) {
      signal.throwIfAborted();
      if (!isUpcutError(error)) throw error;
      first ??= error;
      // A server that is down would let each quality wait for minutes.
      if (error.retryable) attempts = FEW_ATTEMPTS;
    }
  }
  throw first;
}

function unknown(name: string, value: unknown, offered: readonly { id: string }[]): InputError {
  const ids = offered.slice(0, 20).map(({ id }) => describeValue(id));
  const expected = ids.length === 0 ? "none, since the video names none" : ids.join(" or ");
  return refusedOption("open the playlist", name, value, expected);
}

/** Names that say what a file is, and nothing of the video. */
const PLAIN =
  /^(\d*|chunklist.*|index.*|main|manifest|master|media|playlist.*|prog_index|stream|video|v\d+)$/i;

export function playlistName({ pathname }: URL): string {
  const withoutEnding = (step: string) => step.replace(/\.(m3u8?|mpd|ism|smil|mp4)$/i, "");
  const steps = pathname.split("/").map((step) => withoutEnding(decodeOrKeep(step)));
  const telling = steps.filter((step) => step !== "" && step.length <= 200).reverse();
  const name = telling.find((step) => !PLAIN.test(withoutEnding(step))) ?? "video";
  return `${name.replace(/[\\/]/g, " ")}.mp4`;
}

/** Bytes that a file may hold behind its last piece: an index. With more of them, the playlist is a part of it. */
const LONGEST_INDEX = 1024 * 1024;

interface SingleFile {
  href: string;
  /** The range of its init, and where its last piece ends, if it is told by pieces. */
  init?: ByteRange;
  end?: number;
}

/** The file that a playlist's pieces are all ranges of. */
function singleFileOf({ main, audio }: Lanes): SingleFile | undefined {
  const [first] = main.pieces;
  if (main.isFile && first !== undefined) return { href: first.href };
  const { init } = first ?? {};
  if (audio !== undefined || !main.ended || main.isPart) return undefined;
  if (first?.range === undefined || init?.range?.start !== 0 || init.href !== first.href) return undefined;
  if (init.key !== undefined || first.range.start > init.range.end + LONGEST_INDEX) return undefined;
  let { start: end } = first.range;
  for (const { href, range, key, init: other, run } of main.pieces) {
    if (href !== first.href || key !== undefined || other !== init || run !== first.run) return undefined;
    if (range?.start !== end) return undefined;
    end = range.end;
  }
  return { href: first.href, init: init.range, end };
}

/** Makes a source of that file; `undefined` where it holds more than the playlist names. */
async function fileSource(file: SingleFile, name: string, how: Fetching): Promise<Source | undefined> {
  const { href, init: range, end } = file;
  const url = new URL(href);
  if (end !== undefined) {
    const { bytes: init } = await fetchBytes({ url, range, most: LIMITS.init }, how);
    if (isProtected(init)) throw refusal(PROTECTED, url);
    if (!hasTrack(init, "vide")) throw unsupported("it is sound alone", url);
  }
  const { signal: _, headers, ...reading } = how;
  let stopper = new AbortController();
  const source = await urlSource(url, {
    ...reading,
    headers: url.origin === how.origin ? headers : undefined,
    // Read for each request: what was closed is opened again by the next one.
    get signal() {
      return stopper.signal;
    },
  });
  const { size } = source;
  if (end !== undefined && (size === undefined || size < end || size > end + LONGEST_INDEX)) {
    await source.close();
    return undefined;
  }
  const close = async () => {
    stopper.abort(new Error("closed"));
    stopper = new AbortController();
    await source.close();
  };
  return { ...source, name, type: "video/mp4", close };
}

/**
 * Opens a video in pieces for `upload()`.
 *
 * @module
 */

import { joinSignals } from "../abort.ts";
import { digest } from "../digest.ts";
import { InputError, isUpcutError } from "../errors.ts";
import { describeValue, originOf } from "../redaction/redaction.ts";
import type { ReadableSource, Source } from "../source/source.ts";
import { type FirstPiece, firstPieceOf, kindOfTrack, type PieceTrack, UnreadablePiece } from "./demux.ts";
import type { Fetching } from "./fetch-bytes.ts";
import { checkInits, firstTracks, lateSound } from "./first-piece.ts";
import type { TrackClock } from "./fragment.ts";
import { ONLY_QUALITY } from "./inspect.ts";
import { FEW_ATTEMPTS, type Lanes, type Opened, openPlaylist, problemIn, refusal } from "./load.ts";
import { loadMediabunny, type Mediabunny } from "./mediabunny.ts";
import { clocksOf, muxHead } from "./mux.ts";
import { nameOf } from "./name.ts";
import { fetchingOf, type HlsLeftOut, type HlsOptions, readOpening } from "./options.ts";
import { type LoadedPiece, loadUnit, pieceLoader } from "./pieces.ts";
import { planUnits, typesOf, type Unit } from "./plan.ts";
import type { Remuxing } from "./remuxer.ts";
import { singleFileOf, singleFileSource } from "./single-file.ts";
import { piecesSource } from "./source.ts";
import { beginTimeline, firstInRun } from "./timeline.ts";

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
 * import { openHls } from "@upcut/core/hls";
 * import { createClient, isUpcutError, upload } from "@upcut/core";
 *
 * const client = createClient({ baseUrl: "http://127.0.0.1:9", token: "<API_KEY>" });
 * try {
 *   const signal = AbortSignal.timeout(100);
 *   const video = await openHls(new URL("http://127.0.0.1:9/launch/main.m3u8"), { signal });
 *   await upload(client, video, { name: "Launch video" });
 * } catch (error) {
 *   console.log(isUpcutError(error)); // false: nothing listens there, and the time was up
 * }
 * ```
 */
export async function openHls(url: URL, options: HlsOptions = {}): Promise<Source> {
  const address = readOpening(url, options);
  const bunny = await loadMediabunny();
  const { signal, abort, leave } = joinSignals(options.signal);
  signal.throwIfAborted();
  const how = fetchingOf(address, options, signal);
  const name = options.name ?? nameOf(address);
  try {
    const opened = await openPlaylist(address, how, options.language);
    const lanes = await chooseLanes(opened, options, how);
    if ("choices" in opened) tellLeftOut(opened, lanes, options);
    const file = singleFileOf(lanes);
    const source = file && (await singleFileSource(lanes, file, name, how));
    return source ?? (await remuxedSource(bunny, lanes, name, options, how));
  } finally {
    abort(new Error("over"));
    leave();
  }
}

function tellLeftOut(
  { languages, subtitles }: HlsLeftOut,
  { language }: Lanes,
  { onLeftOut }: HlsOptions,
): void {
  const others = languages.length > 1 ? languages.filter(({ id }) => id !== language) : [];
  if (others.length + subtitles.length > 0) onLeftOut?.({ languages: others, subtitles });
}

/** The playlists of the quality that is asked for, or of the best one that can be taken. */
async function chooseLanes(
  opened: Opened,
  { quality, language, live = false }: HlsOptions,
  { signal }: Fetching,
): Promise<Lanes> {
  const languages = "only" in opened ? [] : opened.languages;
  if (language !== undefined && !languages.some(({ id }) => id === language))
    throw unknown("language", language, languages);
  if ("only" in opened) {
    if (quality !== undefined && quality !== ONLY_QUALITY)
      throw unknown("quality", quality, [{ id: ONLY_QUALITY }]);
    return takeable({ main: opened.only, audio: undefined }, live);
  }
  const { choices, url, lanesOf } = opened;
  const wanted = quality === undefined ? choices : choices.filter(({ id }) => id === quality);
  if (wanted.length === 0) throw unknown("quality", quality, choices);
  let first: unknown;
  let attempts: number | undefined;
  for (const choice of wanted) {
    try {
      if (choice.problem !== undefined) throw refusal(choice.problem, url);
      const lanes = takeable(await lanesOf(choice, attempts), live);
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
  return new InputError(
    "invalid-option",
    `Cannot open the playlist: ${name} is ${describeValue(value)}, expected ${expected}`,
  );
}

function takeable(lanes: Lanes, live: boolean): Lanes {
  const problem = problemIn(lanes, live);
  if (problem !== undefined) throw refusal(problem, lanes.main.url);
  return lanes;
}

async function remuxedSource(
  bunny: Mediabunny,
  lanes: Lanes,
  name: string,
  { live = false, onProgress }: HlsOptions,
  how: Fetching,
): Promise<ReadableSource> {
  const units = planUnits(lanes.main, lanes.audio);
  const load = pieceLoader(how);
  const firsts = new Map<number, LoadedPiece>();
  const firstPieces: (FirstPiece | undefined)[] = [];
  const tracks: PieceTrack[][] = [];
  const shown = originOf(lanes.main.url);
  const pieceAt = (at: number, signal: AbortSignal) => loadUnit(load, units, at, { name: shown, signal });
  for (const lane of lanes.audio === undefined ? ([0] as const) : ([0, 1] as const)) {
    const at = units.findIndex((unit) => unit.lane === lane);
    const { duration } = (units[at] as Unit).piece;
    const { audio } = lanes;
    const facts = { lane, hasOwnSound: audio !== undefined, duration, name: shown };
    const { loaded, tracks: begun } = await firstTracks(bunny, () => pieceAt(at, how.signal), facts);
    const first = firstPieceOf(loaded.bytes);
    firsts.set(at, loaded);
    firstPieces.push(first);
    const loadNext = async (next: number) => {
      const piece = await pieceAt(next, how.signal);
      // Of the others nothing is needed yet.
      if (next === 1) firsts.set(next, piece);
      return piece;
    };
    if (audio === undefined)
      begun.push(
        ...(await lateSound(bunny, { loaded, tracks: begun, first }, { units, name: shown, load: loadNext })),
      );
    await checkInits(bunny, (lane === 1 && audio ? audio : lanes.main).pieces, begun, {
      name: shown,
      types: typesOf(lane, audio !== undefined),
      load: (init) => load.init(init, how.signal),
    });
    tracks.push(begun);
  }
  const clocks = tracks.map(clocksOf);
  const video: Remuxing = {
    bunny,
    units,
    head: await muxHead(bunny, tracks.flat(), clocks.flat()).catch((error: unknown) => {
      if (!(error instanceof UnreadablePiece)) throw error;
      throw refusal({ code: "unsupported-video", words: error.message }, lanes.main.url);
    }),
    lanes: tracks.map((lane, at) =>
      lane.map((track, place) => ({
        type: track.type,
        kind: kindOfTrack(track),
        clock: clocks[at]?.[place] as TrackClock,
      })),
    ),
    start: beginTimeline(units[0]?.run ?? 0, [
      firstInRun(tracks[0] ?? [], lanes.main.pieces[0] ?? {}),
      firstInRun(tracks[1] ?? [], lanes.audio?.pieces[0] ?? {}),
    ]),
    firstPieces,
    name: shown,
    onProgress,
    async load(at, signal) {
      const first = firsts.get(at);
      // Held until they are wanted, which they mostly are at once.
      firsts.delete(at);
      return first ?? (await pieceAt(at, signal));
    },
  };
  return piecesSource(video, { name, identity: await identityOf(lanes, firsts, video, live) });
}

/**
 * What makes it the same video, whatever its address: its language, the lengths and order of its pieces, and the bytes of
 * the first ones. Of a stream that isn't over the lengths are left out, since it goes on.
 */
async function identityOf(
  lanes: Lanes,
  firsts: ReadonlyMap<number, LoadedPiece>,
  { head }: Remuxing,
  live: boolean,
): Promise<string> {
  const isWhole = lanes.main.ended && lanes.audio?.ended !== false;
  const parts: (string | Uint8Array)[] = ["hls 3", head];
  // Two may begin with the same silence.
  if (lanes.language !== undefined) parts.push(lanes.language);
  for (const { bytes, init } of firsts.values()) parts.push(init ?? "", bytes);
  if (isWhole || !live)
    for (const lane of [lanes.main, lanes.audio])
      for (const { duration, run, range, clock } of lane?.pieces ?? [])
        parts.push(
          `${duration} ${run} ${range === undefined ? "" : range.end - range.start}${clock ? ` ${clock}` : ""}`,
        );
  return await digest(parts);
}

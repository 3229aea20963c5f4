/** Opens a video in pieces as one file. What reads manifests and pieces is loaded when there is such a video. */

import { UploadError } from "../../core/extension.ts";
import type { HlsOptions, HlsVideo } from "../../core/hls/mod.ts";
import { isUpcutError, type Source } from "../../core/mod.ts";
import { isSameLength } from "../page-videos/video-identity.ts";
import { openInspectionAccess, type PieceAccess } from "../reach/piece-access.ts";
import { isEnded } from "../shared/job.ts";
import { tracksOf } from "../shared/languages.ts";
import { isInPieces } from "../shared/source-kinds.ts";
import type { JobList } from "./job-list.ts";
import type { OpenSource } from "./job-source.ts";

/** A source whose address is that of a manifest. */
export type PiecesSource = OpenSource & { url: string };

export interface OpenPiecesOptions {
  quality?: string | undefined;
  language?: string | undefined;
  access: PieceAccess;
  signal: AbortSignal;
  onProgress?(progress: Parameters<NonNullable<HlsOptions["onProgress"]>>[0]): void;
  /** Called where its pieces lack so many seconds. */
  onLacking?(seconds: number): void;
}

/** @throws as core's `openHls()`; {UploadError} `source-refused` where quality or language are no longer offered. */
export async function openPieces(
  address: string,
  { quality, language, access, signal, onProgress, onLacking }: OpenPiecesOptions,
): Promise<Source> {
  const { openHls } = await import("../../core/hls/mod.ts");
  const onLeftOut: HlsOptions["onLeftOut"] = ({ seconds }) => {
    if (seconds > 0) onLacking?.(seconds);
  };
  const options = { fetch: access.fetch, signal, onProgress, onLeftOut, quality, language };
  return await openHls(new URL(address), options).catch((error: unknown) => {
    // Nothing else of these options is anybody's choice.
    if (!isUpcutError(error) || error.code !== "invalid-option") throw error;
    const state =
      "the chosen quality or language is no longer offered. Open its page again and take the video from there";
    throw new UploadError("source-refused", `Cannot open the video: ${state}`);
  });
}

/** Milliseconds for a manifest and its playlists: an upload waits for them no longer. */
const INSPECT_TIMEOUT = 10_000;

/**
 * How long what an address gives is, where that is not as long as the element that it was found for.
 *
 * All of its qualities are asked for: one that isn't read in time, or whose host isn't allowed, may be one that nobody
 * chose. So nothing is asked of the person for it, and what can't be told counts as the same.
 *
 * @returns seconds; `undefined` where one of its qualities fits, or none tells its length
 */
export async function findOtherLength(
  { playedSeconds, ...video }: PiecesSource & { playedSeconds: number },
  stopped: AbortSignal,
): Promise<number | undefined> {
  const inspected = await inspect(video, stopped);
  stopped.throwIfAborted();
  const found = (inspected?.qualities ?? []).flatMap(({ live, duration }) =>
    live || duration === undefined ? [] : [duration / 1000],
  );
  return found.some((each) => isSameLength(playedSeconds, each)) ? undefined : found[0];
}

async function inspect(
  { url: address, ...video }: PiecesSource,
  stopped: AbortSignal,
): Promise<HlsVideo | undefined> {
  const { inspectHls } = await import("../../core/hls/mod.ts");
  const forbidden = new AbortController();
  const access = openInspectionAccess({ ...video, address }, forbidden);
  const signal = AbortSignal.any([stopped, forbidden.signal, AbortSignal.timeout(INSPECT_TIMEOUT)]);
  return await inspectHls(new URL(address), { fetch: access.fetch, signal })
    .catch(() => undefined)
    .finally(access.close);
}

/** Notes the languages and subtitles of a video, where its address may be read. */
export async function nameTracks(list: JobList, id: string): Promise<void> {
  const given = list.get(id);
  if (given === undefined || isEnded(given) || !isInPieces(given.source)) return;
  if (given.source.subtitles !== undefined) return;
  const inspected = await inspect(given.source, new AbortController().signal);
  const job = list.get(id);
  if (inspected === undefined || job === undefined || isEnded(job)) return;
  // An offscreen document can't ask for the language of the messages, which mostly is the browser's.
  const tracks = tracksOf(inspected, navigator.language);
  await list.add([{ ...job, source: { ...job.source, ...tracks } }]);
}

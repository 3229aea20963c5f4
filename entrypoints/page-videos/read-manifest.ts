/** Reads the manifest of a video in pieces: qualities, length, and why it can't be taken. Loaded when there is one to be read. */

import { type Fetch, type HlsQuality, isUpcutError } from "../../core/extension.ts";
import { type HlsVideo, inspectHls } from "../../core/hls/mod.ts";
import type { Access } from "../reach/host-permissions.ts";
import { formatBitrate, formatEstimate, formatNumber } from "../shared/format.ts";
import type { NamedTracks } from "../shared/job.ts";
import { tracksOf } from "../shared/languages.ts";
import { known } from "../shared/record.ts";
import { figure, language } from "../shared/translate.ts";
import { originOf } from "../shared/web-address.ts";

/** Why no quality of a video can be taken. */
export type PiecesRefusal = "live-stream" | "protected-video" | "unsupported-video";

export interface Quality extends Pick<HlsQuality, "id" | "width" | "height" | "size" | "origins"> {
  /** Seconds, as elements tell theirs; `undefined` where its pieces could not be read. */
  duration: number | undefined;
  label: string;
}

export interface Manifest extends Required<NamedTracks> {
  /** Only what can be taken, the best one first. */
  qualities: Quality[];
  /** The id of the best one, where a better one can't be taken: whoever is asked for none in particular tries that first. */
  chosen?: string;
  /** The reason if there are none. */
  refusal?: PiecesRefusal;
  /** True if its server answered, and didn't give it. */
  refused: boolean;
  /** True if its server gave it to us as to anybody. */
  open: boolean;
  /** Seconds; `undefined` where it tells none, or goes on. */
  duration: number | undefined;
  playlists: readonly string[];
}

const READ_TIMEOUT = 10_000;

/** @returns `undefined` where it may not be read */
export async function readManifest(address: string, access: Access): Promise<Manifest | undefined> {
  // As the person where we may, and as anybody where the server lets everybody in.
  const fetchAs: Fetch = async (input, init) => {
    const url = new URL(String(input));
    const credentials = await access(url.origin);
    if (credentials === undefined) return Response.error();
    // A server that keeps us out does so the next time too.
    return await fetch(url, { ...init, credentials }).catch(() => Response.error());
  };
  const open = (await access(originOf(address))) === "omit";
  const none = {
    qualities: [],
    languages: [],
    subtitles: 0,
    refused: false,
    open,
    duration: undefined,
    playlists: [],
  };
  try {
    const signal = AbortSignal.timeout(READ_TIMEOUT);
    return { ...none, ...summaryOf(await inspectHls(new URL(address), { fetch: fetchAs, signal })) };
  } catch (error) {
    if (!isUpcutError(error)) return undefined;
    const { code } = error;
    if (isRefusal(code)) return { ...none, refusal: code };
    return code === "source-refused" ? { ...none, refused: true } : undefined;
  }
}

function summaryOf(video: HlsVideo): Partial<Manifest> & Pick<Manifest, "qualities"> {
  const { qualities, playlists } = video;
  // Where its pieces may not be read yet, that is asked for before it is taken.
  const takeable = qualities.filter(
    ({ problem, live }) => !live && (problem === undefined || problem.code === "source-unreadable"),
  );
  const problems = qualities.map(({ problem, live }) => problem?.code ?? (live ? "live-stream" : undefined));
  const refusal = takeable.length === 0 ? problems.find(isRefusal) : undefined;
  const ended = qualities.find(({ live, duration }) => !live && duration !== undefined);
  const [best] = takeable;
  return {
    qualities: takeable.map((quality, at) => ({
      ...quality,
      duration: secondsOf(quality.duration),
      label: labelOf(quality, at),
    })),
    ...tracksOf(video, language()),
    ...known({ chosen: best === qualities[0] ? undefined : best?.id, refusal }),
    refused: takeable.length === 0 && refusal === undefined,
    duration: secondsOf(ended?.duration),
    playlists,
  };
}

function secondsOf(milliseconds: number | undefined): number | undefined {
  return milliseconds === undefined ? undefined : milliseconds / 1000;
}

/** Pictures per second that nobody mentions. */
const ORDINARY_RATE = 31;

/** By its lines, as players call it, and by its size, or what it takes to play it. */
function labelOf({ width, height, frameRate = 0, size, bitrate }: HlsQuality, at: number): string {
  const rate = bitrate === undefined ? undefined : formatBitrate(bitrate);
  // Of an upright picture its lines are the columns of a lying one.
  const lines = width === undefined || height === undefined ? undefined : Math.min(width, height);
  const often = frameRate > ORDINARY_RATE ? formatNumber(Math.round(frameRate)) : "";
  const known = [lines && `${formatNumber(lines)}p${often}`, formatEstimate(size) ?? rate];
  const label = known.filter((each) => typeof each === "string").map(figure);
  return label.length === 0 ? formatNumber(at + 1) : label.join(" · ");
}

function isRefusal(code: unknown): code is PiecesRefusal {
  return code === "live-stream" || code === "protected-video" || code === "unsupported-video";
}

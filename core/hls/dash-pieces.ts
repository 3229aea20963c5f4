/**
 * The pieces of a quality of a DASH manifest, Period by Period.
 *
 * @module
 */

import { InputError } from "../errors.ts";
import { originOf } from "../redaction/redaction.ts";
import type { Fetching } from "./fetch-bytes.ts";
import type { Joined } from "./join-periods.ts";
import { checkLength, longestOf, piecesOfPeriod } from "./period-pieces.ts";
import { placeUrl } from "./places.ts";
import { type Init, LIMITS, type MediaPlaylist, type Piece, type Place, type Problem } from "./playlist.ts";
import { UnusableRepresentation } from "./segment-address.ts";
import type { IndexEntry } from "./segment-index.ts";
import { initOf, measureSegments, type SegmentPlace, type SegmentSource } from "./segments.ts";

/** Pieces of all qualities together: each may have as many as a playlist. */
const MOST_PIECES = 4 * LIMITS.pieces;

/** What may still be made of a manifest. */
export class Budget {
  readonly #url: URL;
  #pieces = 0;
  #characters = 0;

  constructor(url: URL) {
    this.#url = url;
  }

  /** @throws {InputError} when it is used up */
  spend(pieces: number, characters: number): void {
    this.#pieces += pieces;
    this.#characters += characters;
    const refuse = (words: string) =>
      new InputError(
        "unsupported-video",
        `Cannot take the video: the manifest at ${originOf(this.#url)} ${words}`,
      );
    if (pieces > LIMITS.pieces) throw refuse(`names over ${LIMITS.pieces} pieces`);
    if (this.#pieces > MOST_PIECES) throw refuse(`names over ${MOST_PIECES} pieces of all its qualities`);
    if (this.#characters > LIMITS.addresses) throw refuse("names addresses that are too long");
  }
}

/** A quality, Period by Period, before its pieces are made. */
export interface Quality {
  sources: SegmentSource[];
  isProtected: boolean;
  /** Why it can't be taken. */
  problem: string | undefined;
}

/** Counts what would be made of a quality. */
export function measureQuality(parts: Joined["parts"], budget: Budget): Quality {
  const isProtected = parts.some((part) => part?.isProtected);
  const quality: Quality = { sources: [], isProtected, problem: undefined };
  for (const part of parts) {
    if (part === undefined) quality.problem ??= "a part of it lacks pictures, or sound of its own";
    else if ("problem" in part.source) quality.problem ??= part.source.problem;
    else
      try {
        const { pieces, characters } = measureSegments(part.source);
        budget.spend(pieces, characters);
        quality.sources.push(part.source);
      } catch (error) {
        if (!(error instanceof UnusableRepresentation)) throw error;
        quality.problem ??= error.message;
        budget.spend(1 + (part.source.info.timeline?.length ?? 0), 0);
      }
  }
  return quality;
}

/** What the pieces of a quality are made with. */
export interface Making {
  url: URL;
  budget: Budget;
  /** Those that several qualities have in common are fetched once. */
  indexes: Map<string, Promise<IndexEntry[]>>;
  /** Seconds of all Periods, where the manifest tells. */
  total: number | undefined;
  how: Fetching;
}

/**
 * Makes the pieces of a quality.
 *
 * @throws {UnusableRepresentation} where it has a problem, or they don't make the whole video
 */
export async function makePieces(
  { sources, isProtected, problem }: Quality,
  making: Making,
): Promise<MediaPlaylist> {
  if (problem !== undefined) throw new UnusableRepresentation(problem);
  const { url, budget, total } = making;
  const reading = { ...making, spend: (pieces: number) => budget.spend(pieces, 0) };
  const pieces: Piece[] = [];
  let [told, longest, isPart] = [0, 0, false];
  for (const [run, source] of sources.entries()) {
    const { segments, covered, isCut } = await piecesOfPeriod(source, reading);
    const most = longestOf(segments);
    checkLength(covered, source.periodDuration, most);
    told += source.periodDuration ?? covered;
    longest = Math.max(longest, most);
    isPart ||= isCut;
    const place = initOf(source);
    const init: Init | undefined = place && { ...placeOf(place, url), key: undefined };
    for (const { duration, isOptional, ...where } of segments)
      pieces.push({
        ...placeOf(where, url),
        duration,
        sequence: pieces.length,
        run,
        init,
        key: undefined,
        ...(isOptional && { mayBeMissing: true }),
      });
    if (pieces.length > LIMITS.pieces)
      throw new UnusableRepresentation(`its manifest names over ${LIMITS.pieces} pieces`);
  }
  checkLength(told, total, longest);
  if (pieces.length === 0) throw new UnusableRepresentation("its manifest names no pieces of it");
  const words = "it is protected, so that only certain players can read it";
  const media = mediaOf(pieces, url, isProtected ? { code: "protected-video", words } : undefined);
  return { ...media, isPart };
}

function placeOf({ href, range }: SegmentPlace, url: URL): Place {
  const place = { href: placeUrl(href, url).href };
  return range === undefined ? place : { ...place, range };
}

/** A playlist of pieces. */
export function mediaOf(pieces: Piece[], url: URL, problem: Problem | undefined): MediaPlaylist {
  const duration = pieces.reduce((sum, { duration }) => sum + duration, 0);
  return { kind: "media", url, ended: true, pieces, duration, problem };
}

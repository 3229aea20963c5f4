/**
 * Joins what the Periods of a DASH manifest offer: each names its own qualities, at its own addresses and under names of
 * its own, as advertisements between parts of a video do.
 *
 * @module
 */

import type { Manifest, Period, Representation } from "./manifest.ts";
import type { Spoken } from "./playlist.ts";

/** One quality through all Periods. */
export interface Joined {
  main: Representation;
  /** Its parts, in the order of the Periods. */
  parts: (Representation | undefined)[];
}

/** Pictures, sounds and subtitles of all Periods together. */
interface JoinedPeriods {
  videos: Joined[];
  /** In each language, the one that plays unless somebody chooses another first. */
  sounds: Joined[];
  subtitles: Spoken[];
}

/** Joins them by the Period that has most of the video: what it offers, each other Period has something like it. */
export function joinPeriods({ periods: all }: Manifest): JoinedPeriods {
  const periods = all.filter(({ duration, representations }) => duration || representations.length > 0);
  const longest = periods.reduce<Period | undefined>(
    (known, period) => (known && (known.duration ?? 0) >= (period.duration ?? 0) ? known : period),
    undefined,
  );
  const join = (main: Representation): Joined => ({
    main,
    parts: periods.map((period) => (period === longest ? main : nearest(main, period))),
  });
  // Of two that are alike the first one is taken.
  const offered = (longest?.representations ?? []).toSorted(
    (one, other) => Number(isUsable(other)) - Number(isUsable(one)),
  );
  return {
    videos: offered.filter(({ kind }) => kind === "video").map(join),
    sounds: soundsOf(offered.filter(({ kind }) => kind === "audio")).map(join),
    subtitles: longest?.subtitles ?? [],
  };
}

/** The sound in each language, in the form that can be read and needs the most bytes. */
function soundsOf(all: Representation[]): Representation[] {
  const rankOf = (sound: Representation) => 2 * Number(isUsable(sound)) + Number(sound.role === "main");
  const sounds = new Map<string, Representation>();
  for (const sound of all.toSorted((a, b) => rankOf(b) - rankOf(a))) {
    const key = JSON.stringify([sound.language, sound.role, sound.label]);
    const known = sounds.get(key);
    const isBetter =
      known === undefined || (isUsable(known) === isUsable(sound) && known.bandwidth < sound.bandwidth);
    if (isBetter) sounds.set(key, sound);
  }
  return [...sounds.values()];
}

function isUsable({ source }: Representation): boolean {
  return "info" in source;
}

/** The quality of a Period that is the most like one of another Period. */
function nearest(wanted: Representation, { representations }: Period): Representation | undefined {
  let best: { candidate: Representation; distance: number[] } | undefined;
  for (const candidate of representations) {
    if (candidate.kind !== wanted.kind) continue;
    const distance = distanceOf(wanted, candidate);
    if (best === undefined || isLess(distance, best.distance)) best = { candidate, distance };
  }
  return best?.candidate;
}

/** How far two are from one another, what matters most first. */
function distanceOf(one: Representation, other: Representation): number[] {
  const areaOf = ({ width = 0, height = 0 }: Representation) => width * height;
  const formatOf = ({ codecs }: Representation) => codecs[0]?.split(".", 1)[0] ?? "";
  return [
    Number(!isUsable(other)),
    Number(one.kind === "audio" && one.language !== other.language),
    Number(one.role !== other.role),
    Number(one.label !== other.label),
    Number(formatOf(one) !== formatOf(other)),
    Math.abs(areaOf(one) - areaOf(other)),
    Number(one.id !== other.id),
    Math.abs(one.bandwidth - other.bandwidth),
  ];
}

function isLess(one: readonly number[], other: readonly number[]): boolean {
  const at = one.findIndex((amount, place) => amount !== other[place]);
  return at >= 0 && (one[at] ?? 0) < (other[at] ?? 0);
}

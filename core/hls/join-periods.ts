/**
 * Joins what the Periods of a DASH manifest offer: each names its own qualities.
 *
 * @module
 */

import type { Manifest, Period } from "./manifest.ts";
import type { Representation } from "./representation.ts";

/** One quality through all Periods. */
export interface Joined {
  /** What it is called by. */
  main: Representation;
  /** What it is made of, in the order of the Periods. */
  parts: (Representation | undefined)[];
}

/** Joins them by the Period that has most of the video: what it offers, each other Period has under the same id. */
export function joinPeriods({ periods: all }: Manifest): { videos: Joined[]; audio: Joined | undefined } {
  const periods = all.filter(({ duration, representations }) => duration || representations.length > 0);
  const longest = periods.reduce<Period | undefined>(
    (known, period) => (known && (known.duration ?? 0) >= (period.duration ?? 0) ? known : period),
    undefined,
  );
  const join = (main: Representation): Joined => ({
    main,
    parts: periods.map((period) => (period === longest ? main : sameId(main, period))),
  });
  // Of two that are alike the first one is taken.
  const offered = (longest?.representations ?? []).toSorted(
    (one, other) => Number(isUsable(other)) - Number(isUsable(one)),
  );
  const sound = defaultSound(offered.filter(({ kind }) => kind === "audio"));
  return { videos: offered.filter(({ kind }) => kind === "video").map(join), audio: sound && join(sound) };
}

/** The sound that plays unless somebody chooses another, in the form that needs the most bytes. */
function defaultSound(sounds: Representation[]): Representation | undefined {
  const usable = sounds.some(isUsable) ? sounds.filter(isUsable) : sounds;
  const first = usable.find(({ role }) => role === "main") ?? usable[0];
  return usable
    .filter(({ language, role, label }) =>
      [language, role, label].every(
        (value, at) => value === [first?.language, first?.role, first?.label][at],
      ),
    )
    .sort((a, b) => b.bandwidth - a.bandwidth)[0];
}

function isUsable({ source }: Representation): boolean {
  return "info" in source;
}

function sameId(wanted: Representation, { representations }: Period): Representation | undefined {
  return representations.find(({ kind, id }) => kind === wanted.kind && id === wanted.id);
}

/**
 * When the pieces of a DASH representation begin, and how many there are: as its manifest lists them, or computed from
 * lengths.
 *
 * @module
 */

import { UnusableRepresentation } from "./segment-address.ts";
import { type SegmentInfo, type TimelineEntry, wholeNumber } from "./segment-info.ts";

/** Pieces of equal length, one behind the other. Times are in units of the timescale. */
export interface SegmentRun {
  number: bigint;
  time: bigint;
  duration: bigint;
  count: number;
}

/** The pieces of a representation, before they are made. */
export interface SegmentTimes {
  runs: SegmentRun[];
  timescale: number;
  /** The time at which the Period begins. */
  offset: bigint;
  /** Whether the times are those of the pieces, and not merely multiples of about what each of them lasts. */
  isListed: boolean;
  /** Whether nothing lists the last piece: it ends with the Period, and there may be one less than computed. */
  countIsComputed: boolean;
}

/** What stands for a length that the manifest doesn't tell. */
const UNKNOWN_END = "its manifest doesn't say how long it is";
/** Beyond it all numbers are refused, so that they stay exact. */
const MOST = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * Finds the runs of pieces.
 *
 * @param seconds how long the Period is
 */
export function timesOf(
  { attributes, timeline, urls, kind }: SegmentInfo,
  seconds: number | undefined,
): SegmentTimes {
  const unit = wholeNumber(attributes, "timescale") ?? 1n;
  if (unit <= 0n)
    throw new UnusableRepresentation(`its manifest names timescale="${unit}", expected 1 or more`);
  const timescale = Number(unit);
  const offset = wholeNumber(attributes, "presentationTimeOffset") ?? 0n;
  const startNumber = wholeNumber(attributes, "startNumber") ?? 1n;
  // A thousandth of a unit is what the sum of decimal fractions may be wrong by.
  const length = seconds === undefined ? undefined : BigInt(Math.ceil(seconds * timescale - 0.001));
  if (timeline !== undefined) {
    const end = length === undefined ? undefined : offset + length;
    const runs = runsOf(timeline, startNumber, end);
    const countIsComputed = (timeline.at(-1)?.repeat ?? 0n) < 0n && (runs.at(-1)?.count ?? 0) > 0;
    return { timescale, offset, runs, isListed: true, countIsComputed };
  }
  // Without a timeline, times are counted from where the Period begins.
  const found = { timescale, offset: 0n, isListed: false };
  const duration = wholeNumber(attributes, "duration");
  const endNumber = wholeNumber(attributes, "endNumber");
  const begin = { number: startNumber, time: 0n };
  if (duration === undefined) {
    const hasMany = kind === "SegmentList" ? urls.length > 1 : (endNumber ?? startNumber) > startNumber;
    if (hasMany) throw new UnusableRepresentation("its manifest doesn't say how long its pieces are");
    if (length === undefined) throw new UnusableRepresentation(UNKNOWN_END);
    return { ...found, runs: [{ ...begin, duration: length, count: 1 }], countIsComputed: true };
  }
  if (duration <= 0n) throw noTime(duration);
  if (kind === "SegmentList" || endNumber !== undefined) {
    // All of a list count: sound mostly has one more than there is time for.
    const last = kind === "SegmentList" ? BigInt(urls.length) - 1n : (endNumber ?? 0n) - startNumber;
    return { ...found, runs: [{ ...begin, duration, count: countOf(last + 1n) }], countIsComputed: false };
  }
  if (length === undefined) throw new UnusableRepresentation(UNKNOWN_END);
  const count = countOf(divideUp(length, duration));
  return { ...found, runs: [{ ...begin, duration, count }], countIsComputed: true };
}

function runsOf(
  entries: readonly TimelineEntry[],
  startNumber: bigint,
  end: bigint | undefined,
): SegmentRun[] {
  let time = 0n;
  let number = startNumber;
  return entries.map((entry, at) => {
    const { duration, repeat } = entry;
    if (duration <= 0n) throw noTime(duration);
    time = entry.time ?? time;
    number = entry.number ?? number;
    let count = repeat + 1n;
    if (repeat < 0n) {
      const until = at + 1 < entries.length ? entries[at + 1]?.time : end;
      if (until === undefined) throw new UnusableRepresentation(UNKNOWN_END);
      count = divideUp(until - time, duration);
    }
    const run = { number, time, duration, count: countOf(count) };
    time += count * duration;
    number += count;
    return run;
  });
}

function divideUp(amount: bigint, by: bigint): bigint {
  return amount <= 0n ? 0n : (amount + by - 1n) / by;
}

function countOf(count: bigint): number {
  return Number(count < 0n ? 0n : count > MOST ? MOST : count);
}

function noTime(duration: bigint): UnusableRepresentation {
  return new UnusableRepresentation(`its manifest names pieces that last ${duration}, expected more than 0`);
}

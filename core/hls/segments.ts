/**
 * The pieces of a DASH representation, as its manifest lists them, or computed from lengths: counted first, since a few
 * numbers may stand for any number of them.
 *
 * @module
 */

import type { ByteRange, MayBeMissing } from "./playlist.ts";
import {
  type AddressValues,
  encodedLength,
  fillAddress,
  longestAddress,
  type SegmentInfo,
  shown,
  type TimelineEntry,
  UnusableRepresentation,
  wholeNumber,
} from "./segment-info.ts";

/** Where something is: its address is resolved, but not yet checked. */
export interface SegmentPlace {
  href: string;
  range?: ByteRange | undefined;
}

/** A piece. */
export interface Segment extends SegmentPlace {
  /** Seconds. */
  duration: number;
  /** Seconds of its Period at which it begins, where the manifest or an index lists them. */
  start?: number | undefined;
  /** Whether there may be none. */
  mayBeMissing?: MayBeMissing;
}

/** How the pieces of a representation are found. */
export interface SegmentSource {
  info: SegmentInfo;
  /** Its address, which those of pieces are relative to. */
  base: string;
  values: AddressValues;
  /** Seconds of its Period, where they are known. */
  periodDuration: number | undefined;
}

/** How much there is of it, at most. */
export interface SegmentAmount {
  pieces: number;
  /** Characters of all addresses. */
  characters: number;
}

/** Counts pieces without making them. */
export function measureSegments(source: SegmentSource): SegmentAmount {
  const { info, base, values } = source;
  // One more for what they are read with.
  const bases = (pieces: number) => (pieces + 1) * encodedLength(base);
  const initLength = longestAddress(info.attributes.get("initialization") ?? "", values);
  if (info.kind === "SegmentBase") return { pieces: 1, characters: bases(1) };
  // A run that is empty takes time, too.
  const pieces = timesOf(info, source.periodDuration).runs.reduce(
    (sum, run) => sum + Math.max(1, run.count),
    0,
  );
  if (info.kind === "SegmentTemplate") {
    const longest = longestAddress(templateOf(info), values);
    return { pieces, characters: bases(pieces) + initLength + pieces * longest };
  }
  const listed = info.urls.reduce((sum, { media = "" }) => sum + encodedLength(media), 0);
  return { pieces: Math.max(pieces, info.urls.length), characters: bases(info.urls.length) + listed };
}

/** Makes the pieces that a manifest lists or computes. */
export function makeSegments(source: SegmentSource): Segment[] {
  const { info, base, values, periodDuration } = source;
  const times = timesOf(info, periodDuration);
  const spans = spansOf(times, periodDuration);
  const template = info.kind === "SegmentTemplate" ? templateOf(info) : "";
  const segments =
    info.kind === "SegmentTemplate"
      ? spans.map(({ number, time, duration, start }): Segment => {
          const own = { ...values, Number: String(number), Time: String(time) };
          return { href: resolve(fillAddress(template, own), base), duration, start };
        })
      : info.urls.map(({ media, mediaRange }, at): Segment => {
          // What a timeline tells no length of is as long as the last one of which it does.
          const duration = (spans[at] ?? spans.at(-1))?.duration ?? 0;
          const range = mediaRange === undefined ? undefined : rangeOf(mediaRange, "mediaRange");
          return { href: resolve(media ?? "", base), range, duration, start: spans[at]?.start };
        });
  if (times.countIsComputed) markLast(segments, info.kind === "SegmentTemplate");
  return segments;
}

/** Seconds of the clock of the pieces at which their Period begins. */
export function clockOf({ info: { attributes } }: Pick<SegmentSource, "info">): number {
  const timescale = Number(wholeNumber(attributes, "timescale") ?? 1n);
  return Number(wholeNumber(attributes, "presentationTimeOffset") ?? 0n) / Math.max(1, timescale);
}

/** The end of a Period may make one more than there is: one that nothing lists may even be long. */
function markLast(segments: Segment[], isUnlisted: boolean): void {
  const [before, last] = segments.slice(-2);
  if (before === undefined || last === undefined) return;
  if (last.duration < before.duration / 2) last.mayBeMissing = "always";
  else if (isUnlisted) last.mayBeMissing = "if-other-lasts";
}

/** What the pieces are read with. */
export function initOf({ info, base, values }: SegmentSource): SegmentPlace | undefined {
  const { attributes, initialization, kind } = info;
  if (initialization !== undefined) {
    const range = initialization.get("range");
    const sourceUrl = initialization.get("sourceURL");
    if (range !== undefined || sourceUrl !== undefined)
      return {
        href: resolve(sourceUrl ?? "", base),
        range: range === undefined ? undefined : rangeOf(range, "range"),
      };
  }
  const template = attributes.get("initialization");
  if (kind === "SegmentTemplate" && template !== undefined)
    return { href: resolve(fillAddress(template, values), base) };
  if (kind !== "SegmentBase") return undefined;
  // Of a file with an index it is all that comes before.
  const { start } = indexOf({ info, base }).range;
  if (start === 0) throw new UnusableRepresentation("its file has nothing before its index to read it with");
  return { href: base, range: { start: 0, end: start } };
}

/** Where the index of a file is. */
export function indexOf({ info, base }: Pick<SegmentSource, "info" | "base">): Required<SegmentPlace> & {
  range: ByteRange;
} {
  return { href: base, range: rangeOf(info.attributes.get("indexRange") ?? "", "indexRange") };
}

/** Each piece with its number and its time. */
function spansOf(
  { runs, timescale, offset, isListed, countIsComputed }: SegmentTimes,
  periodDuration: number | undefined,
): { number: bigint; time: bigint; duration: number; start: number | undefined }[] {
  const spans = runs.flatMap(({ number, time: first, duration, count }) =>
    Array.from({ length: count }, (_, at) => {
      const time = first + BigInt(at) * duration;
      const start = isListed ? Number(time - offset) / timescale : undefined;
      return { number: number + BigInt(at), time, duration: Number(duration) / timescale, start };
    }),
  );
  const last = spans.at(-1);
  if (countIsComputed && last !== undefined && periodDuration !== undefined)
    last.duration = Math.min(last.duration, periodDuration - Number(last.time - offset) / timescale);
  return spans;
}

function templateOf({ attributes }: SegmentInfo): string {
  const media = attributes.get("media");
  if (media === undefined) throw new UnusableRepresentation("its manifest names no pieces of it");
  return media;
}

/** Reads a range of bytes, of which both ends are a part. */
function rangeOf(text: string, name: string): ByteRange {
  const [, start, end] = /^(\d{1,15})-(\d{1,15})$/.exec(text.trim()) ?? [];
  const range = { start: Number(start), end: Number(end) + 1 };
  if (!(range.end > range.start))
    throw new UnusableRepresentation(
      `its manifest names ${name}="${shown(text)}", expected the first and the last byte of a range`,
    );
  return range;
}

function resolve(href: string, base: string): string {
  try {
    return new URL(href, base).href;
  } catch {
    throw new UnusableRepresentation("its manifest names an invalid address");
  }
}

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

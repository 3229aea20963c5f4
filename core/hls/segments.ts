/** The pieces of a DASH representation, as its manifest lists them, or computed from lengths. */
import { type ByteRange, LIMITS, type MayBeMissing } from "./playlist.ts";
import type { XmlElement } from "./xml.ts";

/** A place whose address is resolved, but not yet checked. */
export interface SegmentPlace {
  href: string;
  range?: ByteRange | undefined;
}

export interface Segment extends SegmentPlace {
  /** Seconds. */
  duration: number;
  /** Seconds of its Period at which it begins, where the manifest or an index lists them. */
  start?: number | undefined;
  mayBeMissing?: MayBeMissing;
}

export interface SegmentSource {
  info: SegmentInfo;
  /** Its address, which those of pieces are relative to. */
  base: string;
  values: AddressValues;
  periodDuration: number | undefined;
}

/** Counts what is made of a manifest, and throws once it is more than anybody needs: a few numbers may stand for any. */
export type Spend = (pieces: number, characters: number) => void;

export function makeSegments({ info, base, values, periodDuration }: SegmentSource, spend: Spend): Segment[] {
  const { spans, isComputed } = spansOf(info, periodDuration, spend);
  const placeOf = (reference: string) => {
    const href = resolve(reference, base);
    spend(0, href.length);
    return href;
  };
  if (info.kind === "SegmentTemplate") {
    const template = info.attributes.get("media");
    if (template === undefined) throw new UnusableRepresentation("its manifest names no pieces of it");
    const segments = spans.map(({ number, time, duration, start }): Segment => {
      const own = { ...values, Number: String(number), Time: String(time) };
      return { href: placeOf(fillAddress(template, own)), duration, start };
    });
    if (isComputed) markLast(segments, true);
    return segments;
  }
  spend(Math.max(0, info.urls.length - spans.length), 0);
  const segments = info.urls.map(({ media = "", mediaRange }, at): Segment => {
    // A piece without a length of its own is as long as the last one that has one.
    const duration = (spans[at] ?? spans.at(-1))?.duration ?? 0;
    const range = mediaRange === undefined ? undefined : rangeOf(mediaRange, "mediaRange");
    return { href: placeOf(media), range, duration, start: spans[at]?.start };
  });
  if (isComputed) markLast(segments, false);
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

export function indexOf({ info, base }: Pick<SegmentSource, "info" | "base">): Required<SegmentPlace> & {
  range: ByteRange;
} {
  return { href: base, range: rangeOf(info.attributes.get("indexRange") ?? "", "indexRange") };
}

interface Span {
  number: bigint;
  /** In units of the timescale. */
  time: bigint;
  /** Seconds. */
  duration: number;
  /** Seconds of the Period at which it begins, where the manifest lists them. */
  start: number | undefined;
}

/** The pieces in time; of those that are computed nothing lists the last one, which ends with the Period. */
function spansOf(
  info: SegmentInfo,
  seconds: number | undefined,
  spend: Spend,
): { spans: Span[]; isComputed: boolean } {
  const unit = wholeNumber(info.attributes, "timescale") ?? 1n;
  if (unit <= 0n)
    throw new UnusableRepresentation(`its manifest names timescale="${unit}", expected 1 or more`);
  const timescale = Number(unit);
  const isListed = info.timeline !== undefined;
  // Without a timeline, times are counted from where the Period begins.
  const offset = (isListed ? wholeNumber(info.attributes, "presentationTimeOffset") : undefined) ?? 0n;
  // A thousandth of a unit is what the sum of decimal fractions may be wrong by.
  const length = seconds === undefined ? undefined : BigInt(Math.ceil(seconds * timescale - 0.001));
  const end = length === undefined ? undefined : offset + length;
  const spans: Span[] = [];
  let isComputed = false;
  for (const run of info.timeline === undefined
    ? [lengthsOf(info, length)]
    : listed(info, info.timeline, end)) {
    // A run that is empty takes time, too.
    spend(Math.max(1, Number(run.count)), 0);
    for (let at = 0n; at < run.count; at++) {
      const time = run.time + at * run.duration;
      const start = isListed ? Number(time - offset) / timescale : undefined;
      spans.push({ number: run.number + at, time, duration: Number(run.duration) / timescale, start });
    }
    if (run.count > 0n) isComputed = run.isComputed;
  }
  const last = spans.at(-1);
  if (isComputed && last !== undefined && seconds !== undefined)
    last.duration = Math.min(last.duration, seconds - Number(last.time - offset) / timescale);
  return { spans, isComputed };
}

/** Pieces of equal length, one behind the other. Times are in units of the timescale. */
interface Run {
  number: bigint;
  time: bigint;
  duration: bigint;
  count: bigint;
  /** True if nothing lists the last one. */
  isComputed: boolean;
}

const UNKNOWN_END = "its manifest doesn't say how long it is";

function* listed(
  { attributes }: SegmentInfo,
  entries: readonly TimelineEntry[],
  end: bigint | undefined,
): Generator<Run> {
  let time = 0n;
  let number = wholeNumber(attributes, "startNumber") ?? 1n;
  for (const [at, entry] of entries.entries()) {
    const { duration, repeat } = entry;
    if (duration <= 0n) throw noTime(duration);
    time = entry.time ?? time;
    number = entry.number ?? number;
    const next = entries[at + 1];
    const isComputed = repeat < 0n && next === undefined;
    let count = repeat + 1n;
    if (repeat < 0n) {
      const until = next === undefined ? end : next.time;
      if (until === undefined) throw new UnusableRepresentation(UNKNOWN_END);
      count = divideUp(until - time, duration);
    }
    yield { number, time, duration, count, isComputed };
    time += count * duration;
    number += count;
  }
}

/** The pieces of a quality whose manifest tells how long about each of them is. */
function lengthsOf({ attributes, urls, kind }: SegmentInfo, length: bigint | undefined): Run {
  const number = wholeNumber(attributes, "startNumber") ?? 1n;
  const duration = wholeNumber(attributes, "duration");
  const endNumber = wholeNumber(attributes, "endNumber");
  const begin = { number, time: 0n, isComputed: true };
  if (duration === undefined) {
    const hasMany = kind === "SegmentList" ? urls.length > 1 : (endNumber ?? number) > number;
    if (hasMany) throw new UnusableRepresentation("its manifest doesn't say how long its pieces are");
    if (length === undefined) throw new UnusableRepresentation(UNKNOWN_END);
    return { ...begin, duration: length, count: 1n };
  }
  if (duration <= 0n) throw noTime(duration);
  // All of a list count: sound mostly has one more than there is time for.
  if (kind === "SegmentList") return { ...begin, duration, count: BigInt(urls.length), isComputed: false };
  if (endNumber !== undefined)
    return { ...begin, duration, count: endNumber - number + 1n, isComputed: false };
  if (length === undefined) throw new UnusableRepresentation(UNKNOWN_END);
  return { ...begin, duration, count: divideUp(length, duration) };
}

function divideUp(amount: bigint, by: bigint): bigint {
  return amount <= 0n ? 0n : (amount + by - 1n) / by;
}

function noTime(duration: bigint): UnusableRepresentation {
  return new UnusableRepresentation(`its manifest names pieces that last ${duration}, expected more than 0`);
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

/** The last one counts where a level has several. */
const KINDS = ["SegmentBase", "SegmentList", "SegmentTemplate"] as const;
type Kind = (typeof KINDS)[number];

interface SegmentElement {
  attributes: ReadonlyMap<string, string>;
  timeline: TimelineEntry[] | undefined;
  initialization: ReadonlyMap<string, string> | undefined;
  urls: ListedUrl[];
}

/** Those of one level, read once for all representations below it. */
export type SegmentLevel = Partial<Record<Kind, SegmentElement>>;

export interface SegmentInfo extends Omit<SegmentElement, "attributes"> {
  kind: Kind;
  attributes: ReadonlyMap<string, string>;
}

/** An S element: a piece, and how often it is repeated. Times are in units of the timescale. */
export interface TimelineEntry {
  time: bigint | undefined;
  duration: bigint;
  /** Below 0: up to the next one. */
  repeat: bigint;
  number: bigint | undefined;
}

export interface ListedUrl {
  media: string | undefined;
  mediaRange: string | undefined;
}

export function readLevel({ childNodes }: XmlElement): SegmentLevel {
  const level: SegmentLevel = {};
  for (const element of childNodes) {
    const kind = KINDS.find((name) => name === element.tagName);
    if (kind !== undefined) level[kind] ??= readElement(element);
  }
  return level;
}

function readElement({ attributes, childNodes }: XmlElement): SegmentElement {
  const timeline = childNodes.find(({ tagName }) => tagName === "SegmentTimeline");
  const initialization = childNodes.find(({ tagName }) => tagName === "Initialization");
  return {
    attributes,
    timeline: timeline?.childNodes.filter(({ tagName }) => tagName === "S").map(readEntry),
    initialization: initialization?.attributes,
    urls: childNodes
      .filter(({ tagName }) => tagName === "SegmentURL")
      .map((element) => {
        const own = element.attributes;
        return { media: own.get("media"), mediaRange: own.get("mediaRange") };
      }),
  };
}

function readEntry(element: XmlElement): TimelineEntry {
  const own = element.attributes;
  return {
    time: wholeNumber(own, "t"),
    duration: wholeNumber(own, "d") ?? 0n,
    repeat: wholeNumber(own, "r") ?? 0n,
    number: wholeNumber(own, "n"),
  };
}

/** Puts the levels together, the outermost first: of what several of them say, the innermost counts. */
export function inherit(levels: readonly SegmentLevel[]): SegmentInfo | undefined {
  const kind = levels.flatMap((level) => KINDS.filter((name) => level[name] !== undefined)).at(-1);
  if (kind === undefined) return undefined;
  const elements = levels.flatMap((level) => level[kind] ?? []);
  const innermost = elements.toReversed();
  return {
    kind,
    attributes: new Map(elements.flatMap(({ attributes }) => [...attributes])),
    timeline: innermost.find(({ timeline }) => timeline !== undefined)?.timeline,
    initialization: innermost.find(({ initialization }) => initialization !== undefined)?.initialization,
    urls: innermost.find(({ urls }) => urls.length > 0)?.urls ?? [],
  };
}

/** A whole number; times may have more digits than a `number` holds. */
export function wholeNumber(attributes: ReadonlyMap<string, string>, name: string): bigint | undefined {
  const text = attributes.get(name)?.trim();
  if (text === undefined || text === "") return undefined;
  const [, digits] = /^(-?\d{1,20})(?:\.0*)?$/.exec(text) ?? [];
  if (digits === undefined)
    throw new UnusableRepresentation(`its manifest names ${name}="${shown(text)}", expected a whole number`);
  return BigInt(digits);
}

/** A value as far as it is nothing but a number: any other text of a manifest may be a secret. */
export function shown(text: string): string {
  return /^[\d.,:+-]{1,40}$/.test(text) ? text : "…";
}

/** Why a representation can't be read: the end of a sentence about the video. */
export class UnusableRepresentation extends Error {}

export interface AddressValues {
  RepresentationID: string;
  Bandwidth: string;
}

const IDENTIFIER = /\$([A-Za-z]*)(?:%0(\d+)d)?\$/g;
/** Digits of the largest number of 64 bits. */
const MOST_DIGITS = 20;

/** The address of a piece or an init that a template stands for (ISO 23009-1, 5.3.9.4.4). */
export function fillAddress(
  template: string,
  values: AddressValues & { Number?: string; Time?: string },
): string {
  const address = template.replace(IDENTIFIER, (found, name: string, width = "0") => {
    if (Number(width) > MOST_DIGITS)
      throw new UnusableRepresentation(`its addresses hold numbers of over ${MOST_DIGITS} digits`);
    if (name === "") return found === "$$" ? "$" : found;
    if (!Object.hasOwn(values, name)) return found;
    const value = values[name as keyof typeof values] ?? found;
    return name === "RepresentationID" ? value : value.padStart(Number(width), "0");
  });
  if (address.length > LIMITS.text)
    throw new UnusableRepresentation(`its manifest names an address of over ${LIMITS.text} characters`);
  return address;
}

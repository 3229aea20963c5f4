/** The pieces of a DASH representation, as its manifest lists them, or computed from lengths. */
import { type ByteRange, LIMITS, type MayBeMissing, type Place, placeUrl } from "./playlist.ts";
import { childrenOf, type XmlElement } from "./xml.ts";

export interface Segment extends Place {
  /** Seconds. */
  duration: number;
  /** Seconds of its Period at which it begins, where the manifest or an index lists them. */
  start?: number | undefined;
  mayBeMissing?: MayBeMissing;
}

export interface SegmentPlaces {
  /** The address that those of pieces are relative to. */
  base: string;
  periodDuration: number | undefined;
  /** The address of the manifest, which others are checked by. */
  manifest: URL;
}

export interface SegmentSource extends SegmentPlaces {
  info: SegmentInfo;
  values: AddressValues;
}

/** Counts what is made of a manifest, and throws once it is more than anybody needs: a few numbers may stand for any. */
export type Spend = (pieces: number, characters: number) => void;

export function makeSegments(source: SegmentSource, spend: Spend): Segment[] {
  const { spans, isComputed } = spansOf(source, spend);
  const isTemplate = source.info.kind === "SegmentTemplate";
  const segments = isTemplate ? byTemplate(source, spans, spend) : byList(source, spans, spend);
  if (isComputed) markLast(segments, isTemplate);
  return segments;
}

function byTemplate(source: SegmentSource, spans: readonly Span[], spend: Spend): Segment[] {
  const { info, values } = source;
  const template = info.attributes.get("media");
  if (template === undefined) throw new UnusableRepresentation("its manifest names no pieces of it");
  return spans.map(({ number, time, duration, start }) => {
    const own = { ...values, Number: String(number), Time: String(time) };
    const href = hrefOf(fillAddress(template, own), source);
    spend(0, href.length);
    return { href, duration, start };
  });
}

function byList(source: SegmentSource, spans: readonly Span[], spend: Spend): Segment[] {
  const { urls } = source.info;
  spend(Math.max(0, urls.length - spans.length), 0);
  return urls.map((own, at) => {
    const place = placeIn(own, "media", "mediaRange", source);
    spend(0, place.href.length);
    // A piece without a length of its own is as long as the last one that has one.
    return { ...place, duration: (spans[at] ?? spans.at(-1))?.duration ?? 0, start: spans[at]?.start };
  });
}

function placeIn(
  attributes: ReadonlyMap<string, string>,
  address: string,
  range: string,
  source: SegmentPlaces,
): Place {
  const bytes = attributes.get(range);
  return {
    href: hrefOf(attributes.get(address) ?? "", source),
    range: bytes === undefined ? undefined : rangeOf(bytes, range),
  };
}

function hrefOf(address: string, { base, manifest }: SegmentPlaces): string {
  return placeUrl(address, manifest, base).href;
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

export function initOf(source: SegmentSource): Place | undefined {
  const { info, values } = source;
  const { attributes, initialization, kind } = info;
  if (initialization?.has("range") || initialization?.has("sourceURL"))
    return placeIn(initialization, "sourceURL", "range", source);
  const template = attributes.get("initialization");
  if (kind === "SegmentTemplate" && template !== undefined)
    return { href: hrefOf(fillAddress(template, values), source) };
  if (kind !== "SegmentBase") return undefined;
  // The init of a file with an index is all that comes before.
  const { href, range } = indexOf(source);
  if (range.start === 0)
    throw new UnusableRepresentation("its file has nothing before its index to read it with");
  return { href, range: { start: 0, end: range.start } };
}

export function indexOf(source: SegmentSource): Place & { range: ByteRange } {
  const range = rangeOf(source.info.attributes.get("indexRange") ?? "", "indexRange");
  return { href: hrefOf("", source), range };
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

const UNKNOWN_END = "its manifest doesn't say how long it is";

/** The pieces in time; of those that are computed nothing lists the last one, which ends with the Period. */
function spansOf(source: SegmentSource, spend: Spend): { spans: Span[]; isComputed: boolean } {
  const { info, periodDuration: seconds } = source;
  const { attributes, timeline } = info;
  const unit = wholeNumber(attributes, "timescale") ?? 1n;
  if (unit <= 0n) throw invalid("timescale", `${unit}`, "1 or more");
  const timescale = Number(unit);
  // Without a timeline, times are counted from where the Period begins.
  const offset = (timeline && wholeNumber(attributes, "presentationTimeOffset")) ?? 0n;
  // A thousandth of a unit is what the sum of decimal fractions may be wrong by.
  const length = seconds === undefined ? undefined : BigInt(Math.ceil(seconds * timescale - 0.001));
  const end = length === undefined ? undefined : offset + length;
  const entries = timeline ?? [entryOf(info, length)];
  const spans: Span[] = [];
  let isComputed = false;
  let [time, number] = [0n, numberOf(info)];
  for (const [at, entry] of entries.entries()) {
    const { duration } = entry;
    if (duration <= 0n)
      throw new UnusableRepresentation(
        `its manifest names pieces that last ${duration}, expected more than 0`,
      );
    time = entry.time ?? time;
    number = entry.number ?? number;
    const next = entries[at + 1];
    const until = next === undefined ? end : next.time;
    if (entry.count === undefined && until === undefined) throw new UnusableRepresentation(UNKNOWN_END);
    const left = (until ?? time) - time;
    const count = entry.count ?? (left > 0n ? (left + duration - 1n) / duration : 0n);
    // An entry that is empty takes time, too.
    spend(Math.max(1, Number(count)), 0);
    for (const last = time + count * duration; time < last; time += duration) {
      const start = timeline && Number(time - offset) / timescale;
      spans.push({ number: number++, time, duration: Number(duration) / timescale, start });
    }
    if (count > 0n) isComputed = entry.count === undefined && next === undefined;
  }
  const last = spans.at(-1);
  if (isComputed && last !== undefined && seconds !== undefined)
    last.duration = Math.min(last.duration, seconds - Number(last.time - offset) / timescale);
  return { spans, isComputed };
}

/** The pieces of a quality whose manifest tells how long about each of them is. */
function entryOf(info: SegmentInfo, length: bigint | undefined): TimelineEntry {
  const { attributes, urls, kind } = info;
  const duration = wholeNumber(attributes, "duration");
  const endNumber = wholeNumber(attributes, "endNumber");
  const numbered = endNumber === undefined ? undefined : endNumber - numberOf(info) + 1n;
  // All pieces of a list count: sound mostly has one more than there is time for.
  const count = kind === "SegmentList" ? BigInt(urls.length) : numbered;
  if (duration !== undefined) return { time: 0n, duration, count, number: undefined };
  if (count !== undefined && count > 1n)
    throw new UnusableRepresentation("its manifest doesn't say how long its pieces are");
  if (length === undefined) throw new UnusableRepresentation(UNKNOWN_END);
  return { time: 0n, duration: length, count: undefined, number: undefined };
}

function numberOf({ attributes }: SegmentInfo): bigint {
  return wholeNumber(attributes, "startNumber") ?? 1n;
}

/** Reads a range of bytes, of which both ends are a part. */
function rangeOf(text: string, name: string): ByteRange {
  const [, start, end] = /^(\d{1,15})-(\d{1,15})$/.exec(text.trim()) ?? [];
  const range = { start: Number(start), end: Number(end) + 1 };
  if (range.end > range.start) return range;
  throw invalid(name, text, "the first and the last byte of a range");
}

/** Shows a value as far as it is nothing but a number: any other text of a manifest may be a secret. */
function invalid(name: string, text: string, expected: string): UnusableRepresentation {
  const shown = /^[\d.,:+-]{1,40}$/.test(text) ? text : "…";
  return new UnusableRepresentation(`its manifest names ${name}="${shown}", expected ${expected}`);
}

/** The last one counts where a level has several. */
const KINDS = ["SegmentBase", "SegmentList", "SegmentTemplate"];

export interface SegmentInfo {
  kind: string;
  attributes: ReadonlyMap<string, string>;
  timeline: TimelineEntry[] | undefined;
  initialization: ReadonlyMap<string, string> | undefined;
  urls: ReadonlyMap<string, string>[];
}

/** Pieces of equal length, one behind the other. Times are in units of the timescale. */
interface TimelineEntry {
  time: bigint | undefined;
  duration: bigint;
  /** By default the pieces reach up to the next entry. */
  count: bigint | undefined;
  number: bigint | undefined;
}

/** The elements of one level, read once for all representations below it. */
export function readLevel(element: XmlElement): SegmentInfo[] {
  const found = KINDS.flatMap((kind) => childrenOf(element, kind).slice(0, 1));
  return found.map((element) => {
    const [timeline] = childrenOf(element, "SegmentTimeline");
    return {
      kind: element.tagName,
      attributes: element.attributes,
      timeline: timeline && childrenOf(timeline, "S").map(readEntry),
      initialization: childrenOf(element, "Initialization")[0]?.attributes,
      urls: childrenOf(element, "SegmentURL").map(({ attributes }) => attributes),
    };
  });
}

function readEntry({ attributes }: XmlElement): TimelineEntry {
  const repeat = wholeNumber(attributes, "r") ?? 0n;
  return {
    time: wholeNumber(attributes, "t"),
    duration: wholeNumber(attributes, "d") ?? 0n,
    count: repeat < 0n ? undefined : repeat + 1n,
    number: wholeNumber(attributes, "n"),
  };
}

/** Puts levels together, the outermost first: of what several of them say, the innermost counts. */
export function inherit(levels: readonly SegmentInfo[]): SegmentInfo | undefined {
  const own = levels.filter(({ kind }) => kind === levels.at(-1)?.kind);
  if (own.length < 2) return own[0];
  return own.reduce((outer, inner) => ({
    kind: inner.kind,
    attributes: new Map([...outer.attributes, ...inner.attributes]),
    timeline: inner.timeline ?? outer.timeline,
    initialization: inner.initialization ?? outer.initialization,
    urls: inner.urls.length > 0 ? inner.urls : outer.urls,
  }));
}

/** A whole number; times may have more digits than a `number` holds. */
export function wholeNumber(attributes: ReadonlyMap<string, string>, name: string): bigint | undefined {
  const text = attributes.get(name)?.trim();
  if (text === undefined || text === "") return undefined;
  const [, digits] = /^(-?\d{1,20})(?:\.0*)?$/.exec(text) ?? [];
  if (digits === undefined) throw invalid(name, text, "a whole number");
  return BigInt(digits);
}

/** Why a representation can't be read: the end of a sentence about the video. */
export class UnusableRepresentation extends Error {
  readonly code = "unsupported-video";
}

export interface AddressValues {
  RepresentationID: string;
  Bandwidth: string;
}

const IDENTIFIER = /\$([A-Za-z]*)(?:%0(\d+)d)?\$/g;
/** Digits of the largest number of 64 bits. */
const MOST_DIGITS = 20;

/** The address of a piece or an init that a template stands for (ISO 23009-1, 5.3.9.4.4). */
function fillAddress(template: string, values: AddressValues & { Number?: string; Time?: string }): string {
  const address = template.replace(IDENTIFIER, (found, name: string, width = "0") => {
    if (Number(width) > MOST_DIGITS)
      throw new UnusableRepresentation(`its addresses hold numbers of over ${MOST_DIGITS} digits`);
    if (name === "") return found === "$$" ? "$" : found;
    const value = Object.hasOwn(values, name) ? values[name as keyof typeof values] : undefined;
    // An address with an unknown name would lead to something else, or to nothing.
    if (value === undefined)
      throw new UnusableRepresentation(`its addresses name ${found}, which isn't known here`);
    return name === "RepresentationID" ? value : value.padStart(Number(width), "0");
  });
  if (address.length > LIMITS.text)
    throw new UnusableRepresentation(`its manifest names an address of over ${LIMITS.text} characters`);
  return address;
}

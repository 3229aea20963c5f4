/** The pieces of one Period of a DASH manifest: of what a file or a timeline holds, those that play in it. */
import { unreadable } from "../source/url-request.ts";
import { boxesIn } from "./boxes.ts";
import { type Fetching, fetchBytes, type Kept } from "./fetch-bytes.ts";
import { type ByteRange, isSamePlace, LIMITS, type Place } from "./playlist.ts";
import {
  clockOf,
  indexOf,
  makeSegments,
  type Segment,
  type SegmentSource,
  type Spend,
  UnusableRepresentation,
} from "./segments.ts";

export interface PeriodPieces {
  source: SegmentSource;
  segments: Segment[];
  /** Seconds of the Period that they fill, with the gaps that the manifest itself tells. */
  covered: number;
  /** True if there are others beside them, which play in no Period or in another one. */
  isCut: boolean;
}

export interface IndexReading {
  /** Indexes that several qualities have in common are fetched once. */
  indexes: Kept<IndexEntry[]>;
  spend: Spend;
  how: Fetching;
}

/** Seconds of a piece in a Period that count for nothing: a manifest rounds the times at which Periods begin and end. */
const LEAST = 0.01;

export async function piecesOfPeriod(source: SegmentSource, reading: IndexReading): Promise<PeriodPieces> {
  const { periodDuration = Number.POSITIVE_INFINITY } = source;
  const all =
    source.info.kind === "SegmentBase" ? await indexed(source, reading) : makeSegments(source, reading.spend);
  const segments = all.filter(({ start, duration }) => {
    if (start === undefined) return true;
    const least = Math.min(LEAST, duration / 2);
    return start + duration >= least && start <= periodDuration - least;
  });
  const [covered, listed] = [coveredBy(segments), coveredBy(all)];
  // Some manifests count from anywhere without saying so: what they list is as long as the Period all the same.
  const countsFromAnywhere =
    clockOf(source) === 0 &&
    !isAbout(covered, periodDuration, longestOf(segments)) &&
    isAbout(listed, periodDuration, longestOf(all));
  if (countsFromAnywhere) return { source, segments: all, covered: listed, isCut: false };
  return { source, segments, covered, isCut: segments.length < all.length };
}

async function indexed(source: SegmentSource, { indexes, spend, how }: IndexReading): Promise<Segment[]> {
  const place = indexOf(source);
  const { href, range } = place;
  const name = `${range.start} ${range.end} ${href}`;
  const entries = await indexes.get(name, how.signal, () => fetchIndex(place, how));
  spend(entries.length, 0);
  const clock = clockOf(source);
  return entries.map(({ time, ...entry }) => ({ href, ...entry, start: time - clock }));
}

/** Leaves out of each Period a first piece that is the last one of the Period before: both play a part of it. */
export function withoutShared(periods: readonly PeriodPieces[]): PeriodPieces[] {
  return periods.map((period, at) => {
    const { source, segments } = period;
    const [first] = segments;
    const before = periods[at - 1];
    const last = before?.segments.at(-1);
    if (before === undefined || first === undefined || last === undefined) return period;
    // An advertisement that is shown twice begins again, and goes on with nothing. No Period is left without pieces.
    const goesOn = clockOf(source) > clockOf(before.source);
    const isShared = goesOn && segments.length > 1 && isSamePlace(first, last);
    return isShared ? { ...period, segments: segments.slice(1) } : period;
  });
}

function coveredBy(segments: readonly Segment[]): number {
  let covered = 0;
  for (const [at, { start, duration }] of segments.entries()) {
    const next = segments[at + 1]?.start;
    covered += duration;
    if (start !== undefined && next !== undefined) covered += Math.max(0, next - start - duration);
  }
  return covered;
}

export function longestOf(segments: readonly Segment[]): number {
  return segments.reduce((most, { duration }) => Math.max(most, duration), 0);
}

/** Pieces may differ from the video that they make by about one of them, since sound and pictures end apart. */
function isAbout(covered: number, told: number, longest: number): boolean {
  return Math.abs(told - covered) <= Math.min(30, Math.max(2, 1.5 * longest));
}

/** Nothing may be lost or added without a word: pieces are to be as long as the manifest says that the video is. */
export function checkCoverage(covered: number, told: number | undefined, longest: number): void {
  if (told === undefined || isAbout(covered, told, longest)) return;
  const [have, of] = [covered, told].map((seconds) => Math.round(seconds * 10) / 10);
  throw new UnusableRepresentation(`its manifest lists pieces of ${have} sec for ${of} sec of video`);
}

/** A piece that the index of a file (ISO 14496-12, 8.16.3) names. */
export interface IndexEntry {
  range: ByteRange;
  /** Seconds at which it begins, by the clock of the file. */
  time: number;
  duration: number;
}

/** Bytes that an index which another one names is looked for in: some 1,300 pieces. */
const MOST_BYTES = 16 * 1024;
const MOST_INDEXES = 1_000;
/** The bit that tells an index from a piece. */
const FURTHER_INDEX = 2 ** 31;

/** Fetches an index, and those that it names in place of pieces. */
async function fetchIndex(place: Place & { range: ByteRange }, how: Fetching): Promise<IndexEntry[]> {
  const url = new URL(place.href);
  const entries: IndexEntry[] = [];
  let indexes = 0;
  /** @param known the bytes from there on, as far as another index came with them */
  const read = async (range: ByteRange, known: Uint8Array) => {
    indexes++;
    let [bytes, references] = [known, readIndex(known, range.start)];
    if (references === undefined) {
      ({ bytes } = await fetchBytes({ url, range, most: LIMITS.init }, how));
      references = readIndex(bytes, range.start);
    }
    if (references === undefined || indexes > MOST_INDEXES || entries.length > LIMITS.pieces)
      throw unreadable(url, "gives an index that can't be read");
    for (const { isIndex, ...entry } of references) {
      const { start, end } = entry.range;
      const further = { start, end: Math.min(end, start + MOST_BYTES) };
      if (isIndex) await read(further, bytes.subarray(start - range.start));
      else entries.push(entry);
    }
  };
  await read(place.range, new Uint8Array(0));
  return entries;
}

function readIndex(bytes: Uint8Array, start: number): (IndexEntry & { isIndex: boolean })[] | undefined {
  const box = [...boxesIn(bytes)].find(({ type }) => type === "sidx");
  if (box === undefined || box.end - box.content < 24) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const timescale = view.getUint32(box.content + 8);
  const isLong = view.getUint8(box.content) !== 0;
  const counted = box.content + (isLong ? 28 : 20);
  const count = counted + 4 <= box.end ? view.getUint16(counted + 2) : 0;
  if (timescale === 0 || count === 0 || counted + 4 + 12 * count > box.end) return undefined;
  const offset = isLong ? Number(view.getBigUint64(box.content + 20)) : view.getUint32(box.content + 16);
  let time = isLong ? Number(view.getBigUint64(box.content + 12)) : view.getUint32(box.content + 12);
  let at = start + box.end + offset;
  return Array.from({ length: count }, (_, entry) => {
    const place = counted + 4 + 12 * entry;
    const [size, length] = [view.getUint32(place), view.getUint32(place + 4)];
    const found = { time: time / timescale, duration: length / timescale };
    const start = at;
    at += size & ~FURTHER_INDEX;
    time += length;
    return { ...found, range: { start, end: at }, isIndex: (size & FURTHER_INDEX) !== 0 };
  });
}

/** MPEG-TS (ISO/IEC 13818-1): its packets, the tables that name its streams, and the bytes of each stream. */
import { joined } from "../content/digest.ts";
import { formatOf, type ProgramStream } from "./formats.ts";

export const TS_START = 0x47;
export const TS_PACKET = 188;
/** Ticks of a second, and those that a counter of 33 bits counts. */
export const TICKS = 90_000;
export const COUNTER: number = 2 ** 33;
/** Bytes before each PES packet's own header fields, the last of which counts those. */
const PES_HEADER = 9;
const UNIT_MARK = [0, 0, 1];
/** The stream of packets that hold nothing. */
const FILLING = 0x1fff;
/** Numbers of tables: of programs, and of the streams of one. */
const [ASSOCIATION, MAP] = [0, 2];

/** Bytes that may stand before the first packet: a picture, which some servers put there. */
const MOST_BEFORE = 1024;
/** Where packets must begin behind it: three such bytes stand in a list of sizes of MP4 as well. */
const SOUGHT = Array.from({ length: 10 }, (_, packet) => packet * TS_PACKET);

/** Where the first packet begins; `undefined` for what is no MPEG-TS. */
export function startOfTs(bytes: Uint8Array): number | undefined {
  const isPacket = (at: number) => (bytes[at] ?? TS_START) === TS_START;
  if (bytes[0] === TS_START && isPacket(TS_PACKET)) return 0;
  const last = Math.min(MOST_BEFORE, bytes.length - 3 * TS_PACKET);
  for (let at = 1; at <= last; at++) if (SOUGHT.every((offset) => isPacket(at + offset))) return at;
  return undefined;
}

/** The packets of a stream in a piece. All that hold something are counted, modulo 16. */
export interface StreamCounters {
  /** Counters of the first and the last one. */
  begin: number;
  end: number;
  /** True if one was counted behind another; and other differences between their counters. */
  isCounted: boolean;
  steps: Set<number>;
  /** True if the next one may have any counter. */
  isAnew: boolean;
  /** Where the packets stand, those that come a second time, and those in which a table or an access unit begins. */
  places: number[];
  repeated: Set<number>;
  beginnings: number[];
  /** Ticks at which access units are decoded, as far as they tell. */
  times: number[];
  /** Bytes that the last access unit lacks, where it tells its length, as those of sound do; and true if one before does. */
  lacking: number;
  areCut: boolean;
  /** True if the last packet is full, as the last one of an access unit hardly ever is. */
  isFull: boolean;
  /** True if access units begin as they should. */
  areUnits: boolean;
  isEncrypted: boolean;
}

export interface Scan {
  streams: ReadonlyMap<number, StreamCounters>;
  /** True if nothing but packets is in the piece. */
  isFilled: boolean;
}

export function scanPackets(piece: Uint8Array): Scan {
  const streams = new Map<number, StreamCounters>();
  let at = startOfTs(piece) ?? 0;
  for (; at + TS_PACKET <= piece.length && piece[at] === TS_START; at += TS_PACKET) {
    const number = streamAt(piece, at);
    const flags = piece[at + 3] ?? 0;
    if (number === FILLING) continue;
    const known = streams.get(number);
    const isAnew = (flags & 0x20) !== 0 && (piece[at + 4] ?? 0) > 0 && ((piece[at + 5] ?? 0) & 0x80) !== 0;
    if (known !== undefined) known.isAnew ||= isAnew;
    if ((flags & 0x10) === 0) continue;
    const count = flags & 0x0f;
    const facts = known ?? newFacts(count);
    if (known === undefined) streams.set(number, facts);
    else if (!known.isAnew) {
      const step = (count - known.end) & 0x0f;
      if (step === 0 && isEqual(payloadAt(piece, at), payloadAt(piece, known.places.at(-1) ?? at))) {
        known.repeated.add(at);
        known.places.push(at);
        continue;
      }
      if (step === 1) facts.isCounted = true;
      else facts.steps.add(step);
    }
    const content = contentAt(piece, at);
    if (isBeginningAt(piece, at)) {
      facts.beginnings.push(at);
      const header = payloadAt(piece, at);
      facts.areUnits &&= UNIT_MARK.every((byte, place) => (header[place] ?? byte) === byte);
      // A header that goes on in the next packet may tell its length there.
      const length = header.length < PES_HEADER ? 0 : numberAt(header, 4);
      facts.areCut ||= facts.lacking > 0;
      facts.lacking = length === 0 ? 0 : length + 6;
      const time = decodingTimeOf(header);
      if (time !== undefined) facts.times.push(time);
    }
    facts.lacking -= at + TS_PACKET - content;
    facts.isFull = isFullAt(piece, at, content);
    facts.isEncrypted ||= (flags & 0xc0) !== 0;
    facts.end = count;
    facts.places.push(at);
    facts.isAnew = false;
  }
  return { streams, isFilled: piece.length - at < TS_PACKET };
}

function newFacts(count: number): StreamCounters {
  const counters = { begin: count, end: count, isCounted: false, steps: new Set<number>(), isAnew: false };
  const places = { places: [], repeated: new Set<number>(), beginnings: [], times: [] };
  const units = { lacking: 0, areCut: false, isFull: false, areUnits: true };
  return { ...counters, ...places, ...units, isEncrypted: false };
}

export interface Tables {
  /** Streams of pictures and sound. */
  streams: ProgramStream[];
  /** Streams that only a later table of the piece names. */
  later: ProgramStream[];
}

/** The tables of a piece, wherever in it they are; `undefined` where it has none that are whole. */
export function tablesOf(
  piece: Uint8Array,
  { streams: facts }: Scan = scanPackets(piece),
): Tables | undefined {
  const sectionsOn = (stream: number, wanted: number) => sectionsIn(piece, facts.get(stream), wanted);
  const [association] = sectionsOn(0, ASSOCIATION);
  // Some packagers leave out the association, which players don't mind; of several programs they play the first one.
  const maps = [...new Set(association ? programsIn(association) : facts.keys())].map((stream) =>
    sectionsOn(stream, MAP),
  );
  const [map, ...others] = maps.find((sections) => sections.length > 0) ?? [];
  if (map === undefined) return undefined;
  const streams = streamsIn(map);
  const isNamed = ({ number, type }: ProgramStream) =>
    streams.some((stream) => stream.number === number && stream.type === type);
  return { streams, later: others.flatMap(streamsIn).filter((stream) => !isNamed(stream)) };
}

/** The tables with a number that a stream holds, but for those that don't apply yet. */
function sectionsIn(piece: Uint8Array, stream: StreamCounters | undefined, wanted: number): Uint8Array[] {
  const units: Uint8Array[][] = [];
  let next = 0;
  for (const place of stream?.places ?? []) {
    const payload = payloadAt(piece, place);
    if (place === stream?.beginnings[next]) {
      next++;
      units.push([]);
      // Units of pictures and sound are far longer, and no tables.
      if (payload[1 + (payload[0] ?? 0)] !== wanted) continue;
    } else if (!units.at(-1)?.length) continue;
    units.at(-1)?.push(payload);
  }
  return units.flatMap((unit) => {
    const section = sectionIn(joined(unit));
    return section?.[0] === wanted && ((section[5] ?? 0) & 1) === 1 ? [section] : [];
  });
}

/** The bytes of a stream of pictures or sound, and where the content of each PES packet begins in them. */
export interface Elementary {
  bytes: Uint8Array<ArrayBuffer>;
  begins: PesBegin[];
}

export interface PesBegin {
  at: number;
  /** Ticks at which the first frame or picture that begins in it is played. */
  time: number | undefined;
  /** True if its packet is marked as one to begin with. */
  isKey: boolean;
}

/** @param most PES packets after which the others are left out. @default all are taken */
export function elementaryOf(
  piece: Uint8Array,
  { streams }: Scan,
  number: number,
  most: number = Number.POSITIVE_INFINITY,
): Elementary | undefined {
  const facts = streams.get(number);
  if (facts === undefined) return undefined;
  const { beginnings, isCounted, repeated } = facts;
  const places = isCounted ? facts.places.filter((place) => !repeated.has(place)) : facts.places;
  const bytes = new Uint8Array(TS_PACKET * places.length);
  const begins: PesBegin[] = [];
  let [at, end, next, left] = [0, Number.POSITIVE_INFINITY, 0, 0];
  for (const [order, place] of places.entries()) {
    if (place === beginnings[next]) {
      if (next === most) break;
      next++;
      const header = headerAt(piece, places, order, beginnings[next]);
      const length = numberAt(header, 4);
      const time = (header[7] ?? 0) >> 7 === 1 ? ticksAt(header, PES_HEADER) : undefined;
      begins.push({ at, time, isKey: isMarkedAt(piece, place) });
      left = headerSize(header);
      // Bytes behind the length that a packet tells are none of its stream.
      end = length === 0 ? Number.POSITIVE_INFINITY : at + length + 6 - left;
    }
    const content = contentAt(piece, place);
    const skipped = Math.min(left, place + TS_PACKET - content);
    left -= skipped;
    const from = content + skipped;
    const run = piece.subarray(from, Math.min(place + TS_PACKET, from + Math.max(0, end - at)));
    bytes.set(run, at);
    at += run.length;
  }
  return { bytes: bytes.subarray(0, at), begins };
}

/**
 * What a packet in which a unit begins holds, and what the next ones do as long as the unit's header goes on in them.
 *
 * @param until the place at which the next unit begins
 */
function headerAt(piece: Uint8Array, places: readonly number[], order: number, until?: number): Uint8Array {
  let header = payloadAt(piece, places[order] ?? piece.length);
  for (let next = order + 1; header.length < headerSize(header); next++) {
    const place = places[next];
    if (place === undefined || place === until) break;
    header = joined([header, payloadAt(piece, place)]);
  }
  return header;
}

function headerSize(header: Uint8Array): number {
  return PES_HEADER + (header[PES_HEADER - 1] ?? 0);
}

/** A time of 33 bits (ISO/IEC 13818-1, 2.4.3.7). */
function ticksAt(piece: Uint8Array, at: number): number {
  const [first = 0, second = 0, third = 0, fourth = 0, fifth = 0] = piece.subarray(at, at + 5);
  const high = ((first >> 1) & 7) * 2 ** 30;
  return high + ((second << 22) | ((third >> 1) << 15) | (fourth << 7) | (fifth >> 1));
}

/** The time at which an access unit is decoded; where it tells none, that at which it is played. */
function decodingTimeOf(header: Uint8Array): number | undefined {
  const told = (header[7] ?? 0) >> 6;
  const at = told === 3 ? PES_HEADER + 5 : PES_HEADER;
  return told > 1 && at + 5 <= header.length ? ticksAt(header, at) : undefined;
}

export interface Pause {
  /** In usual ones: 1 where all are alike. */
  length: number;
  /** Seconds beyond a usual one, where no other of its stream is longer; else 0, since the stream has no rate. */
  seconds: number;
}

/** A pause between access units must be longer than usual ones by this to be looked at: films of 24 pictures pause by half. */
export const UNUSUAL = 1.6;

/** The longest pause between two access units of a stream in pieces that follow each other. */
export function longestPause(pieces: readonly (Scan | undefined)[], { streams }: Tables): Pause {
  const pauses = streams.map(({ number }): Pause => {
    const times = pieces.flatMap((scan) => scan?.streams.get(number)?.times ?? []);
    const steps = times.slice(1).map((time, at) => (time - (times[at] ?? 0) + COUNTER) % COUNTER);
    // A clock that goes back is another one.
    const forward = steps.filter((step) => step < COUNTER / 2).sort((a, b) => a - b);
    const usual = Math.max(1, forward[Math.floor(forward.length / 2)] ?? 1);
    const [other = 0, longest = usual] = forward.slice(-2);
    const isAlone = other <= UNUSUAL * usual;
    return { length: longest / usual, seconds: isAlone ? (longest - usual) / TICKS : 0 };
  });
  const long = pauses.filter(({ length }) => length > UNUSUAL);
  return {
    length: Math.max(1, ...pauses.map(({ length }) => length)),
    seconds: Math.max(0, ...long.map(({ seconds }) => seconds)),
  };
}

/** True for a packet that is filled with nothing, whose adaptation holds at most a clock. */
function isFullAt(piece: Uint8Array, at: number, content: number): boolean {
  const size = content - at - 5;
  return size < 0 || (size > 0 && size <= (((piece[at + 5] ?? 0) & 0x10) === 0 ? 1 : 7));
}

/** True for a packet whose adaptation says that decoding may begin with it. */
function isMarkedAt(piece: Uint8Array, at: number): boolean {
  const hasMore = ((piece[at + 3] ?? 0) & 0x20) !== 0 && (piece[at + 4] ?? 0) > 0;
  return hasMore && ((piece[at + 5] ?? 0) & 0x40) !== 0;
}

/** A stream of MPEG-TS of one program, for readers that need one: its table, and the packets of a stream of a piece. */
export function programOf(
  piece: Uint8Array,
  { streams }: Scan,
  { number, type }: ProgramStream,
): Uint8Array<ArrayBuffer> {
  const stream = [type, 0xe0 | (number >> 8), number & 0xff, 0xf0, 0];
  const map = [MAP, 0xb0, 13 + stream.length, 0, 1, 0xc1, 0, 0, stream[1], stream[2], 0xf0, 0, ...stream];
  const table = new Uint8Array(TS_PACKET).fill(0xff);
  table.set([TS_START, 0x5f, 0xfe, 0x10, 0, ...(map as number[]), 0, 0, 0, 0]);
  const places = streams.get(number)?.places ?? [];
  return joined([table, ...places.map((at) => piece.subarray(at, at + TS_PACKET))]);
}

/** The facts of the streams of a program, as far as a piece holds any. */
export function countersOf({ streams: facts }: Scan, { streams }: Tables): StreamCounters[] {
  return streams.flatMap(({ number }) => facts.get(number) ?? []);
}

/** True if no packet of a stream is missing within a piece; those of some encoders are never counted. */
export function isUnbroken({ isFilled }: Scan, facts: readonly StreamCounters[]): boolean {
  const lacksNone = ({ isCounted, steps }: StreamCounters) =>
    steps.size === 0 || (steps.size === 1 && steps.has(0) && !isCounted);
  return isFilled && facts.every((stream) => lacksNone(stream) && stream.areUnits);
}

/** True if counters go on in the next piece; `undefined` where each has its own, or the encoder began again between. */
export function goesOn(piece: Scan, next: Scan, { streams }: Tables, beginning?: Scan): boolean | undefined {
  const counters = streams.flatMap(({ number }) => {
    const [own, other] = [piece, next].map((scan) => scan.streams.get(number));
    return own === undefined || other === undefined ? [] : [{ ...own, after: other.begin }];
  });
  const areNext = counters.every(({ end, after }) => after === ((end + 1) & 0x0f));
  if (areNext && counters.length > 0) return true;
  // Counters of the tables begin again as well: all at once hardly do so by chance.
  const all = beginning && [...beginning.streams];
  const isAnew = all?.every(([number, { begin }]) => next.streams.get(number)?.begin === begin);
  return isAnew || counters.every(({ begin, after }) => begin === after) ? undefined : false;
}

/** The bytes that a stream begins with in a piece, behind the header of its first access unit. */
export function beginningOfStream(piece: Uint8Array, scan: Scan, number: number): Uint8Array {
  const { beginnings: [first, second] = [], places = [] } = scan.streams.get(number) ?? {};
  if (first === undefined) return new Uint8Array(0);
  const header = headerAt(piece, places, places.indexOf(first), second);
  return header.subarray(headerSize(header));
}

function streamAt(piece: Uint8Array, at: number): number {
  return numberAt(piece, at + 1) & 0x1fff;
}

/** True if a table or an access unit begins in a packet. */
function isBeginningAt(piece: Uint8Array, at: number): boolean {
  return ((piece[at + 1] ?? 0) & 0x40) !== 0;
}

function contentAt(piece: Uint8Array, at: number): number {
  const flags = piece[at + 3] ?? 0;
  const before = (flags & 0x10) === 0 ? TS_PACKET : (flags & 0x20) === 0 ? 4 : 5 + (piece[at + 4] ?? 0);
  return at + Math.min(before, TS_PACKET);
}

function payloadAt(piece: Uint8Array, at: number): Uint8Array {
  return piece.subarray(contentAt(piece, at), at + TS_PACKET);
}

function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

/** A table without its checksum; `undefined` where it goes on in another packet. */
function sectionIn(payload: Uint8Array): Uint8Array | undefined {
  const section = payload.subarray(1 + (payload[0] ?? 0));
  const length = numberAt(section, 1) & 0xfff;
  return section.length < 3 + length ? undefined : section.subarray(0, Math.max(0, length - 1));
}

function programsIn(section: Uint8Array): number[] {
  const programs: number[] = [];
  for (let at = 8; at + 4 <= section.length; at += 4)
    if (numberAt(section, at) !== 0) programs.push(numberAt(section, at + 2) & 0x1fff);
  return programs;
}

function streamsIn(section: Uint8Array): ProgramStream[] {
  const streams: ProgramStream[] = [];
  for (let at = 12 + (numberAt(section, 10) & 0xfff); at + 5 <= section.length; ) {
    const end = at + 5 + (numberAt(section, at + 3) & 0xfff);
    const descriptors: ProgramStream["descriptors"] = [];
    for (let tag = at + 5; tag + 2 <= end; tag += 2 + (section[tag + 1] ?? 0))
      descriptors.push({
        tag: section[tag] ?? 0,
        bytes: section.subarray(tag + 2, tag + 2 + (section[tag + 1] ?? 0)),
      });
    streams.push({ number: numberAt(section, at + 1) & 0x1fff, type: section[at] ?? 0, descriptors });
    at = end;
  }
  return streams.filter((stream) => formatOf(stream) !== undefined);
}

function numberAt(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
}

/** MPEG-TS (ISO/IEC 13818-1): packagers need not repeat tables, which players still know from before. */
import { joined } from "../content/digest.ts";
import { formatOf, type ProgramStream } from "./formats.ts";

export const TS_START = 0x47;
export const TS_PACKET = 188;
/** Bytes before each access unit, the last of which counts those that follow them. */
const PES_HEADER = 9;
/** The stream of packets that hold nothing. */
const FILLING = 0x1fff;
/** Numbers of tables: of programs, and of the streams of one. */
const [ASSOCIATION, MAP] = [0, 2];

export function isTs(bytes: Uint8Array): boolean {
  return bytes[0] === TS_START && (bytes[TS_PACKET] ?? TS_START) === TS_START;
}

/** The packets of a stream in a piece. All that hold something are counted, modulo 16. */
export interface StreamCounters {
  /** Counters of the first and the last one. */
  begin: number;
  end: number;
  /** True if one was counted behind another; and other differences between their counters. */
  isCounted: boolean;
  steps: Set<number>;
  /** Where packets stand that come a second time. */
  repeated: number[];
  /** True if the next one may have any counter. */
  isAnew: boolean;
  /** Where the first and the last packet stand, and those in which a table or an access unit begins. */
  first: number;
  last: number;
  beginnings: number[];
  /** Bytes that the last access unit lacks, where it tells its length, as those of sound do. */
  lacking: number;
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
  let at = 0;
  for (; at + TS_PACKET <= piece.length && piece[at] === TS_START; at += TS_PACKET) {
    const number = streamAt(piece, at);
    const flags = piece[at + 3] ?? 0;
    if (number === FILLING) continue;
    const known = streams.get(number);
    const isAnew = (flags & 0x20) !== 0 && (piece[at + 4] ?? 0) > 0 && ((piece[at + 5] ?? 0) & 0x80) !== 0;
    if (known !== undefined) known.isAnew ||= isAnew;
    if ((flags & 0x10) === 0) continue;
    const count = flags & 0x0f;
    const facts = known ?? newFacts(count, at);
    if (known === undefined) streams.set(number, facts);
    else if (!known.isAnew) {
      const step = (count - known.end) & 0x0f;
      if (step === 0 && isEqual(payloadAt(piece, at), payloadAt(piece, known.last))) {
        facts.repeated.push(at);
        continue;
      }
      if (step === 1) facts.isCounted = true;
      else facts.steps.add(step);
    }
    const content = contentAt(piece, at);
    if (isBeginningAt(piece, at)) {
      facts.beginnings.push(at);
      facts.areUnits &&= numberAt(piece, content) === 0 && piece[content + 2] === 1;
      const length = numberAt(piece, content + 4);
      facts.lacking = length === 0 ? 0 : length + 6;
    }
    facts.lacking -= at + TS_PACKET - content;
    facts.isEncrypted ||= (flags & 0xc0) !== 0;
    facts.end = count;
    facts.last = at;
    facts.isAnew = false;
  }
  return { streams, isFilled: piece.length - at < TS_PACKET };
}

function newFacts(count: number, at: number): StreamCounters {
  const counters = { begin: count, end: count, isCounted: false, steps: new Set<number>(), isAnew: false };
  const places = { first: at, last: at, beginnings: [], repeated: [] };
  return { ...counters, ...places, lacking: 0, areUnits: true, isEncrypted: false };
}

export interface Tables {
  packets: Uint8Array[];
  /** True if nothing that they tell of stands before them. */
  areFirst: boolean;
  /** Streams of pictures and sound. */
  streams: ProgramStream[];
  /** Streams that only a later table of the piece names. */
  later: ProgramStream[];
}

/** The tables of a piece, wherever in it they are; `undefined` where it has none that are whole. */
export function tablesOf(piece: Uint8Array, scan: Scan = scanPackets(piece)): Tables | undefined {
  const { streams: facts } = scan;
  const tablesOn = (stream: number, wanted: number) => tablesIn(piece, facts.get(stream), wanted);
  const [association] = tablesOn(0, ASSOCIATION);
  // Some packagers leave out the association, which players don't mind.
  const number = association
    ? programIn(association.section)
    : [...facts.keys()].find((stream) => tablesOn(stream, MAP).length > 0);
  const [map, ...others] = number === undefined ? [] : tablesOn(number, MAP);
  if (map === undefined) return undefined;
  const streams = streamsIn(map.section);
  const isNamed = ({ number, type }: ProgramStream) =>
    streams.some((stream) => stream.number === number && stream.type === type);
  return {
    packets: [...(association?.packets ?? []), ...map.packets],
    areFirst:
      association?.isFirst === true &&
      map.isFirst &&
      association.at < map.at &&
      streams.every(({ number }) => (facts.get(number)?.first ?? piece.length) > map.at),
    streams,
    later: others.flatMap(({ section }) => streamsIn(section)).filter((stream) => !isNamed(stream)),
  };
}

interface Table {
  section: Uint8Array;
  packets: Uint8Array[];
  at: number;
  /** True if it is in one packet, and that is the first of its stream. */
  isFirst: boolean;
}

/** The tables with a number that a stream holds, but for those that don't apply yet. */
function tablesIn(piece: Uint8Array, stream: StreamCounters | undefined, wanted: number): Table[] {
  return (stream?.beginnings ?? []).flatMap((at) => {
    const packets: Packet[] = [];
    for (const packet of packetsIn(piece, at)) {
      if (packet.stream !== (packets[0] ?? packet).stream) continue;
      if (packet.isBeginning && packets.length > 0) break;
      packets.push(packet);
      const section = sectionIn(joined(packets.map(({ payload }) => payload)));
      if (section === undefined) continue;
      const isFirst = at === stream?.first && packets.length === 1;
      const table = { section, packets: packets.map(({ bytes }) => bytes), at, isFirst };
      return section[0] === wanted && ((section[5] ?? 0) & 1) === 1 ? [table] : [];
    }
    return [];
  });
}

/** A piece with tables before anything else, each packet once, and what the next one begins with of its last access units. */
export function completed(
  piece: Uint8Array<ArrayBuffer>,
  before: readonly Uint8Array[],
  facts: readonly StreamCounters[],
  rest: readonly Uint8Array[],
): Uint8Array<ArrayBuffer> {
  const repeated = new Set(facts.flatMap(({ isCounted, repeated }) => (isCounted ? repeated : [])));
  if (before.length + repeated.size + rest.length === 0) return piece;
  if (repeated.size === 0) return joined([...before, piece, ...rest]);
  const once = [...packetsIn(piece)].filter(({ at }) => !repeated.has(at));
  return joined([...before, ...once.map(({ bytes }) => bytes), ...rest]);
}

/** The packets of a piece that go on with access units of the piece before. */
export function restIn(piece: Uint8Array, { streams }: Tables): Uint8Array[] {
  const waiting = new Set(streams.map(({ number }) => number));
  const rest: Uint8Array[] = [];
  for (const { stream, isBeginning, bytes } of packetsIn(piece)) {
    if (isBeginning) waiting.delete(stream);
    else if (waiting.has(stream)) rest.push(bytes);
    if (waiting.size === 0) break;
  }
  return rest;
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

/** The tables of a piece, and the first access unit of each stream. */
export function beginningOf(piece: Uint8Array, { packets, streams }: Tables): Uint8Array<ArrayBuffer> {
  const left = new Map(streams.map(({ number }) => [number, 2]));
  const taken = [...packets];
  for (const { stream, isBeginning, bytes } of packetsIn(piece)) {
    const beginnings = (left.get(stream) ?? 0) - (isBeginning ? 1 : 0);
    if (!left.has(stream)) continue;
    left.set(stream, beginnings);
    if (beginnings === 1) taken.push(bytes);
    if ([...left.values()].every((count) => count <= 0)) break;
  }
  return joined(taken);
}

/** The bytes that a stream begins with in a piece, behind the header of its first access unit. */
export function beginningOfStream(piece: Uint8Array, scan: Scan, number: number): Uint8Array {
  const [at] = scan.streams.get(number)?.beginnings ?? [];
  const payload = at === undefined ? new Uint8Array(0) : payloadAt(piece, at);
  return payload.subarray(PES_HEADER + (payload[PES_HEADER - 1] ?? 0));
}

interface Packet {
  at: number;
  stream: number;
  isBeginning: boolean;
  bytes: Uint8Array;
  payload: Uint8Array;
}

function* packetsIn(piece: Uint8Array, start = 0): Generator<Packet> {
  for (let at = start; at + TS_PACKET <= piece.length && piece[at] === TS_START; at += TS_PACKET)
    yield {
      at,
      stream: streamAt(piece, at),
      isBeginning: isBeginningAt(piece, at),
      bytes: piece.subarray(at, at + TS_PACKET),
      payload: payloadAt(piece, at),
    };
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

function programIn(section: Uint8Array): number | undefined {
  for (let at = 8; at + 4 <= section.length; at += 4)
    if (numberAt(section, at) !== 0) return numberAt(section, at + 2) & 0x1fff;
  return undefined;
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

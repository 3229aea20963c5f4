/**
 * MPEG-TS (ISO/IEC 13818-1), as far as it takes to read pieces whose tables or parameter sets don't come first: packagers
 * need not repeat them, and players still know them from before.
 */
import { joined } from "../digest.ts";
import { headTracks } from "./boxes.ts";

/** The first byte of each packet, and how long one is. */
export const TS_START = 0x47;
export const TS_PACKET = 188;
/** Bytes before each access unit, the last of which counts those that follow them. */
const PES_HEADER = 9;

export interface Tables {
  packets: Uint8Array[];
  /** True if no packet of a stream stands before them. */
  areFirst: boolean;
  streams: ProgramStream[];
}

export interface ProgramStream {
  number: number;
  /** Stream type, as ISO/IEC 13818-1 numbers them. */
  type: number;
  descriptors: { tag: number; bytes: Uint8Array }[];
}

interface Packet {
  stream: number;
  /** True if a table or an access unit begins in it. */
  isBeginning: boolean;
  bytes: Uint8Array;
  payload: Uint8Array;
}

/** The tables of a piece, wherever in it they are; `undefined` where it has none that are whole. */
export function tablesOf(piece: Uint8Array): Tables | undefined {
  const association = beginningIn(piece, 0);
  const number = association && programIn(association.payload);
  if (association === undefined || number === undefined) return undefined;
  const before = new Set<number>();
  let map: Packet[] = [];
  for (const packet of packetsIn(piece)) {
    if (packet.stream !== number) {
      before.add(packet.stream);
      continue;
    }
    if (packet.isBeginning) map = [];
    else if (map.length === 0) continue;
    map.push(packet);
    const streams = streamsIn(joined(map.map(({ payload }) => payload)));
    if (streams === undefined) continue;
    const areFirst = before.has(0) && !streams.some((stream) => before.has(stream.number));
    return { packets: [association, ...map].map(({ bytes }) => bytes), areFirst, streams };
  }
  return undefined;
}

function firstUnit(piece: Uint8Array, stream: number): Uint8Array {
  const { payload = new Uint8Array(0) } = beginningIn(piece, stream) ?? {};
  return payload.subarray(PES_HEADER + (payload[PES_HEADER - 1] ?? 0));
}

function beginningIn(piece: Uint8Array, stream: number): Packet | undefined {
  for (const packet of packetsIn(piece)) if (packet.stream === stream && packet.isBeginning) return packet;
  return undefined;
}

/** A piece with tables before anything else, and with what the next piece begins with of its last access units. */
export function completed(
  piece: Uint8Array<ArrayBuffer>,
  tables: Tables | undefined,
  rest: readonly Uint8Array[],
): Uint8Array<ArrayBuffer> {
  const packets = tables?.packets ?? [];
  return packets.length + rest.length === 0 ? piece : joined([...packets, piece, ...rest]);
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

/** True if no packet of a stream is missing within a piece: all are counted, modulo 16. */
export function isUnbroken(piece: Uint8Array, { streams }: Tables): boolean {
  const counted = new Map<number, number | undefined>(streams.map(({ number }) => [number, undefined]));
  let at = 0;
  for (; at + TS_PACKET <= piece.length && piece[at] === TS_START; at += TS_PACKET) {
    const stream = streamAt(piece, at);
    if (!counted.has(stream)) continue;
    const flags = piece[at + 3] ?? 0;
    const count = flags & 0x0f;
    const isAnew = flags & 0x20 && (piece[at + 4] ?? 0) > 0 && (piece[at + 5] ?? 0) & 0x80;
    const last = isAnew ? undefined : counted.get(stream);
    const isNext = (flags & 0x10) !== 0 && last !== undefined && count === ((last + 1) & 0x0f);
    // A packet may come twice, and one that holds nothing isn't counted.
    if (last !== undefined && count !== last && !isNext) return false;
    counted.set(stream, count);
  }
  return piece.length - at < TS_PACKET;
}

/**
 * True if the counters of a piece go on in the next one, as they do if nothing is missing in between; `undefined` where
 * each piece has counters of its own, or another run of the encoder begins: long videos are encoded in parts.
 *
 * @param piece the piece, or its first and last packets
 * @param beginning of the first piece
 */
export function goesOn(
  piece: Uint8Array,
  next: Uint8Array,
  { packets, streams }: Tables,
  beginning?: Uint8Array,
): boolean | undefined {
  const counters = streams.flatMap(({ number }) => {
    const [begin, end] = [counterOf(piece, number), counterOf(piece, number, true)];
    const after = counterOf(next, number);
    return begin === undefined || end === undefined || after === undefined ? [] : [{ begin, end, after }];
  });
  const areNext = counters.every(({ end, after }) => after === ((end + 1) & 0x0f));
  if (areNext && counters.length > 0) return true;
  // Those of the tables too: all of them at once are hardly so by chance.
  const all = [...packets.map((table) => streamAt(table, 0)), ...streams.map(({ number }) => number)];
  const isAnew = beginning && all.every((number) => counterOf(next, number) === counterOf(beginning, number));
  return isAnew || counters.every(({ begin, after }) => begin === after) ? undefined : false;
}

function counterOf(piece: Uint8Array, stream: number, isLast = false): number | undefined {
  const packet = packetOf(piece, stream, isLast);
  return packet && (packet[3] ?? 0) & 0x0f;
}

export function edgesOf(piece: Uint8Array, { streams }: Tables): Uint8Array {
  const edges = [false, true].flatMap((isLast) =>
    streams.flatMap(({ number }) => packetOf(piece, number, isLast) ?? []),
  );
  return joined(edges);
}

/** The first packet of a stream that holds something of it, or the last one. */
function packetOf(piece: Uint8Array, stream: number, isLast = false): Uint8Array | undefined {
  const count = Math.floor(piece.length / TS_PACKET);
  for (let packet = 0; packet < count; packet++) {
    const at = TS_PACKET * (isLast ? count - 1 - packet : packet);
    const holds = ((piece[at + 3] ?? 0) & 0x10) !== 0;
    if (holds && streamAt(piece, at) === stream) return piece.subarray(at, at + TS_PACKET);
  }
  return undefined;
}

/** True if a piece ends within an access unit that tells its length, as those of sound do. */
export function endsWithin(piece: Uint8Array, { streams }: Tables): boolean {
  const left = new Map(streams.map(({ number }) => [number, 0]));
  for (const { stream, isBeginning, payload } of packetsIn(piece)) {
    const before = left.get(stream);
    if (before === undefined) continue;
    const length = isBeginning ? numberAt(payload, 4) : 0;
    left.set(stream, (isBeginning ? (length === 0 ? 0 : length + 6) : before) - payload.length);
  }
  return [...left.values()].some((count) => count > 0);
}

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

function* packetsIn(piece: Uint8Array): Generator<Packet> {
  for (let at = 0; at + TS_PACKET <= piece.length && piece[at] === TS_START; at += TS_PACKET) {
    const bytes = piece.subarray(at, at + TS_PACKET);
    const [, high = 0, , flags = 0, adaptation = 0] = bytes;
    const payload = bytes.subarray((flags & 0x10) === 0 ? TS_PACKET : flags & 0x20 ? 5 + adaptation : 4);
    yield { stream: streamAt(piece, at), isBeginning: (high & 0x40) !== 0, bytes, payload };
  }
}

function programIn(payload: Uint8Array): number | undefined {
  const section = sectionIn(payload);
  for (let at = 8; section !== undefined && at + 4 <= section.length; at += 4)
    if (numberAt(section, at) !== 0) return numberAt(section, at + 2) & 0x1fff;
  return undefined;
}

/** The streams of a program; `undefined` where its table goes on in another packet. */
function streamsIn(payload: Uint8Array): ProgramStream[] | undefined {
  const section = sectionIn(payload);
  if (section === undefined) return undefined;
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
  return streams;
}

/** A table without its checksum; `undefined` where it goes on in another packet. */
function sectionIn(payload: Uint8Array): Uint8Array | undefined {
  const section = payload.subarray(1 + (payload[0] ?? 0));
  const length = numberAt(section, 1) & 0xfff;
  return section.length < 3 + length ? undefined : section.subarray(0, Math.max(0, length - 1));
}

function streamAt(piece: Uint8Array, at: number): number {
  return numberAt(piece, at + 1) & 0x1fff;
}

function numberAt(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
}

type Kind = "video" | "audio";

const ADTS = 0x0f;
const LATM = 0x11;

/** By their stream type (ISO/IEC 13818-1, and those registered for private use). */
const BY_TYPE: ReadonlyMap<number, readonly [Kind, string]> = new Map([
  [0x01, ["video", "MPEG-1"]],
  [0x02, ["video", "MPEG-2"]],
  [0x10, ["video", "MPEG-4 Visual"]],
  [LATM, ["audio", "AAC with LATM"]],
  [0x21, ["video", "JPEG 2000"]],
  [0x2d, ["audio", "MPEG-H"]],
  [0x2e, ["audio", "MPEG-H"]],
  [0x32, ["video", "JPEG XS"]],
  [0x33, ["video", "VVC"]],
  [0x42, ["video", "AVS"]],
  [0x83, ["audio", "Dolby TrueHD"]],
  [0xc1, ["audio", "encrypted AC-3"]],
  [0xc2, ["audio", "encrypted E-AC-3"]],
  [0xcf, ["audio", "encrypted AAC"]],
  [0xd1, ["video", "Dirac"]],
  [0xd2, ["video", "AVS2"]],
  [0xd4, ["video", "AVS3"]],
  [0xdb, ["video", "encrypted AVC"]],
  [0xea, ["video", "VC-1"]],
]);

/** Private data, by the format that its descriptor registers. */
const PRIVATE_DATA = 0x06;
const REGISTRATION = 0x05;
const BY_FORMAT: ReadonlyMap<string, readonly [Kind, string]> = new Map([
  ["AC-3", ["audio", "AC-3"]],
  ["AC-4", ["audio", "AC-4"]],
  ["AV01", ["video", "AV1"]],
  ["BSSD", ["audio", "SMPTE 302M"]],
  ["EAC3", ["audio", "E-AC-3"]],
  ["HEVC", ["video", "HEVC"]],
  ["Opus", ["audio", "Opus"]],
]);
/** Descriptors of private data that is read: AC-3, E-AC-3 and DTS. */
const READ = [0x6a, 0x7a, 0x7b, 0xcc];

/** Formats in MP4 that are read, by their four characters: pictures, sound, and sound that isn't compressed. */
const READ_IN_MP4 =
  /^(avc[13]|hvc1|hev1|vp0[89]|av01|mp4a|opus|flac|ac-3|ec-3|[iflp]pcm|twos|sowt|raw |in24|in32|fl32|fl64|[au]law)$/i;
/** Those that aren't, where their four characters don't tell much. */
const IN_MP4: ReadonlyMap<string, string> = new Map([
  ["ac-4", "AC-4"],
  ["dvh1", "Dolby Vision"],
  ["dvhe", "Dolby Vision"],
  ["mha1", "MPEG-H"],
  ["mhm1", "MPEG-H"],
  ["mlpa", "Dolby TrueHD"],
  ["mp4v", "MPEG-4 Visual"],
  ["vvc1", "VVC"],
  ["vvi1", "VVC"],
]);

/**
 * Names the first stream of MPEG-TS of the wanted kinds that players play and nobody reads here, since it must not get lost
 * without a word; `undefined` where all are read.
 */
export function unreadIn(
  piece: Uint8Array,
  tables: Tables | undefined,
  kinds: readonly Kind[],
): string | undefined {
  for (const stream of tables?.streams ?? []) {
    const isLatm = stream.type === ADTS && isLatmFrame(firstUnit(piece, stream.number));
    const [kind, name] = (isLatm ? BY_TYPE.get(LATM) : formatOf(stream)) ?? [];
    if (kind !== undefined && kinds.includes(kind)) return `${wordsOf(kind)} in ${name}`;
  }
  return undefined;
}

/** The same of the tracks that the head of an MP4 file names. */
export function unreadInHead(head: Uint8Array, kinds: readonly Kind[]): string | undefined {
  for (const { handler, formats } of headTracks(head)) {
    const kind = kinds.find((kind) => handler === (kind === "video" ? "vide" : "soun"));
    const unread = formats.find((format) => !READ_IN_MP4.test(format));
    if (kind !== undefined && unread !== undefined)
      return `${wordsOf(kind)} in ${IN_MP4.get(unread) ?? printable(unread)}`;
    if (kind !== undefined && formats.length > 1) return `${wordsOf(kind)} in ${formats.length} formats`;
  }
  return undefined;
}

/** Begins a sentence about the format of pictures, or of sound. */
export function wordsOf(kind: string): string {
  return kind === "video" ? "its pictures are" : "its sound is";
}

/** True for the 11 bits that LATM begins with (ISO/IEC 14496-3, 1.7.2): some tables call it ADTS. */
function isLatmFrame([first = 0, second = 0]: Uint8Array): boolean {
  return first === 0x56 && (second & 0xe0) === 0xe0;
}

/** A file may hold any text. */
function printable(format: string): string {
  return /^[\w. +-]{4}$/.test(format) ? format.trim() : "an unknown format";
}

function formatOf({ type, descriptors }: ProgramStream): readonly [Kind, string] | undefined {
  if (type !== PRIVATE_DATA) return BY_TYPE.get(type);
  if (descriptors.some(({ tag }) => READ.includes(tag))) return undefined;
  const registered = descriptors.find(({ tag }) => tag === REGISTRATION)?.bytes ?? [];
  return BY_FORMAT.get(String.fromCharCode(...registered.slice(0, 4)));
}

/** Writes an MP4 of fragments that depend on no other: an upload can go on with any, in another process too. */
import { joined } from "../content/digest.ts";
import { boxesIn, headTracks, removeDates } from "./boxes.ts";
import { mediabunny } from "./mediabunny.ts";
import { type PieceTrack, UnreadablePiece } from "./piece.ts";

export interface Fragment {
  tracks: { id: number; clock: TrackClock; track: PieceTrack }[];
  sequence: number;
  /** Seconds that are added to the times of its packets. */
  offset: number;
  /** The tick from which on a sample may be decoded, for each track by its place in the file. */
  earliest: readonly number[];
}

/** Ticks of a second of pictures, as MPEG-TS counts them: whole for every usual rate. */
const PICTURE_CLOCK = 90_000;

export function trackClockOf({ type, config, packets }: PieceTrack): TrackClock {
  if (type === "audio") return { timescale: config.sampleRate, delay: 0 };
  const times = packets.map(({ timestamp }) => Math.round(timestamp * PICTURE_CLOCK));
  return { timescale: PICTURE_CLOCK, delay: delayOf(times) };
}

/** The head of a file whose tracks begin as these do; the first one has the id 1. */
export async function muxHead(tracks: readonly PieceTrack[]): Promise<Uint8Array<ArrayBuffer>> {
  let [ftyp, moov] = [new Uint8Array(0), new Uint8Array(0)];
  const format = new mediabunny.Mp4OutputFormat({
    fastStart: "fragmented",
    onFtyp(data) {
      ftyp = data.slice();
    },
    onMoov(data) {
      moov = data.slice();
    },
  });
  const output = new mediabunny.Output({ format, target: new mediabunny.NullTarget() });
  const adds = tracks.map(({ packets: [first], ...track }) => {
    // The first packets tell what decoders need to know, where nothing else does.
    const { data = new Uint8Array(0), type = "key", duration = 0 } = first ?? {};
    const packet = new mediabunny.EncodedPacket(data, type, 0, duration);
    if (track.type === "video") {
      const source = new mediabunny.EncodedVideoPacketSource(track.codec);
      output.addVideoTrack(source, { frameRate: PICTURE_CLOCK });
      return () => source.add(packet, { decoderConfig: track.config });
    }
    const source = new mediabunny.EncodedAudioPacketSource(track.codec);
    output.addAudioTrack(source);
    return () => source.add(packet, { decoderConfig: track.config });
  });
  try {
    await output.start();
    for (const add of adds) await add();
    await output.finalize();
  } catch {
    await output.cancel().catch(() => {});
    throw new UnreadablePiece("it can't be written as MP4");
  }
  removeDates(moov);
  return joined([ftyp, completed(moov, tracks)]);
}

const BOX_HEADER = 8;
const MDAT = 0x6d646174;

/** A fragment of the file, in the memory that it is given for its size; and what the next one goes on from. */
export function muxFragment(
  { tracks, sequence, offset, earliest }: Fragment,
  allocate: (size: number) => Uint8Array<ArrayBuffer>,
): { value: Uint8Array<ArrayBuffer>; earliest: number[] } {
  const bytes: Uint8Array[] = [];
  const next = [...earliest];
  const listed = tracks.map(({ id, clock, track }) => {
    const ticks = (seconds: number) => Math.round(seconds * clock.timescale);
    // Sums of times end some billionths beside zero.
    const times = track.packets.map(({ timestamp }) => Math.max(0, ticks(timestamp + offset)));
    const order = decodingTimes(times, clock.delay, earliest[id - 1]);
    next[id - 1] = 1 + (order.at(-1) ?? -1);
    const samples = track.packets.map(({ data, runs = [data], duration, type }, at) => {
      for (const run of runs) bytes.push(run);
      const [time, decoded] = [times[at] ?? 0, order[at] ?? 0];
      return { size: sizeOf(runs), time, decoded, duration: ticks(duration), isKey: type === "key" };
    });
    return { id, samples, delay: clock.delay };
  });
  const header = numbers([BOX_HEADER + sizeOf(bytes), MDAT]);
  const value = joined([writeIndex(sequence, listed), header, ...bytes], allocate);
  return { value, earliest: Array.from(next, (tick) => tick ?? 0) };
}

function sizeOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}

/** A sample as a fragment lists it; times in ticks of its track. */
export interface Sample {
  size: number;
  time: number;
  decoded: number;
  duration: number;
  isKey: boolean;
}

export interface FragmentTrack {
  id: number;
  /** In the order in which they are decoded. */
  samples: readonly Sample[];
  /** Ticks by which the track is shown after it is decoded. */
  delay: number;
}

/** Ticks by which samples must be decoded before they are shown, wherever pieces are cut. */
export function delayOf(times: readonly number[]): number {
  let [latest, delay] = [Number.NEGATIVE_INFINITY, 0];
  for (const time of times) {
    latest = Math.max(latest + 1, time);
    delay = Math.max(delay, latest - time);
  }
  return delay;
}

/** Each sample is decoded in its place among the times, so early that none is late, and after all of the piece before. */
export function decodingTimes(times: readonly number[], delay: number, earliest = 0): number[] {
  let bound = Number.POSITIVE_INFINITY;
  const latest = times.map(() => 0);
  for (let at = times.length - 1; at >= 0; at--) {
    bound = Math.min(bound - 1, (times[at] ?? 0) + delay);
    latest[at] = bound;
  }
  let next = earliest;
  return times
    .toSorted((a, b) => a - b)
    .map((time, at) => {
      const decoded = Math.max(next, Math.min(time, latest[at] ?? 0));
      next = decoded + 1;
      return decoded;
    });
}

/** The index of a fragment whose bytes follow it, those of each track together. */
export function writeIndex(sequence: number, tracks: readonly FragmentTrack[]): Uint8Array<ArrayBuffer> {
  const size = (offsets: readonly number[]) =>
    box(
      "moof",
      box("mfhd", numbers([0, sequence])),
      ...tracks.map((track, at) => writeTrack(track, offsets[at] ?? 0)),
    );
  const { length } = size([]);
  let offset = length + 8;
  const offsets = tracks.map(({ samples }) => {
    const start = offset;
    for (const sample of samples) offset += sample.size;
    return start;
  });
  return size(offsets);
}

const BASE_IS_INDEX = 0x020000;
/** The place of the bytes, and of each sample its duration, size, flags and delay. */
const ALL_FIELDS = 0x000f01;
const KEY_FLAGS = 0x02000000;
const OTHER_FLAGS = 0x01010000;

function writeTrack({ id, samples, delay }: FragmentTrack, offset: number): Uint8Array {
  const end = samples.reduce((latest, { time, duration }) => Math.max(latest, time + duration), 0);
  const first = samples[0]?.decoded ?? 0;
  const fields = new Uint32Array(4 * samples.length);
  for (const [at, { size, time, decoded, isKey }] of samples.entries()) {
    const duration = Math.max(0, (samples[at + 1]?.decoded ?? end) - decoded);
    // The last one may be negative, which the same bits say.
    fields.set([duration, size, isKey ? KEY_FLAGS : OTHER_FLAGS, (time - decoded + delay) >>> 0], 4 * at);
  }
  return box(
    "traf",
    box("tfhd", numbers([BASE_IS_INDEX, id])),
    box("tfdt", numbers([0x01000000, Math.floor(first / 2 ** 32), first])),
    box("trun", numbers([0x01000000 | ALL_FIELDS, samples.length, offset]), numbers(fields)),
  );
}

/**
 * Samples are decoded before they are shown, by a delay that all fragments share. Readers that are given negative delays
 * in its place, as the format allows, put pictures too late against the sound.
 */
export interface TrackClock {
  timescale: number;
  delay: number;
}

/** A head whose delays are taken off what is shown, with what else players act on in the heads that its tracks come from. */
function completed(moov: Uint8Array, tracks: readonly PieceTrack[]): Uint8Array {
  let at = 0;
  return rebuilt(moov, ["trak"], (trak) => {
    const track = tracks[at++] as PieceTrack;
    return withDelay(track.trak ? withProperties(trak, track.trak) : trak, trackClockOf(track).delay);
  });
}

function withDelay(trak: Uint8Array, delay: number): Uint8Array {
  if (delay === 0) return trak;
  const edit = box("edts", box("elst", numbers([0, 1, 0, delay, 0x00010000])));
  const [first] = boxesIn(trak, BOX_HEADER);
  const end = first?.end ?? BOX_HEADER;
  return box("trak", trak.subarray(BOX_HEADER, end), edit, trak.subarray(end));
}

const ENTRY = ["mdia", "minf", "stbl", "stsd", ""];
/** Fields of the description of pictures and of sound, which stand before the boxes in it. */
const FIELDS: ReadonlyMap<string, number> = new Map([
  ["vide", 78],
  ["soun", 28],
]);
/** Boxes of a description that say nothing of what is shown or heard. */
const UNHEEDED = /^(btrt|free|skip|sinf|wave|chan|esds)$/;

/** Puts the place and the turn of the pictures of a track into another, and the boxes of its description that lacks them. */
function withProperties(trak: Uint8Array, source: Uint8Array): Uint8Array {
  const [{ handler, matrix, description } = { handler: "", matrix: undefined, description: undefined }] =
    headTracks(source);
  const fields = BOX_HEADER + (FIELDS.get(handler) ?? 0);
  const boxesOf = (entry: Uint8Array) =>
    [...boxesIn(entry, fields)].map((each) => ({ ...each, bytes: entry.subarray(each.start, each.end) }));
  const placed = rebuilt(trak, ["tkhd"], (header) => {
    const changed = header.slice();
    if (matrix !== undefined) changed.set(matrix, header.length - matrix.length);
    return changed;
  });
  if (description === undefined || fields === BOX_HEADER) return placed;
  return rebuilt(placed, ENTRY, (entry) => {
    const own = boxesOf(entry);
    const others = boxesOf(description).filter(
      ({ type, bytes }) => !UNHEEDED.test(type) && !isSquare(type, bytes),
    );
    // The package tells not from where all sound comes, and how wide pixels are about.
    const kept = own.map(
      ({ type, bytes }) =>
        (/^(dec3|pasp)$/.test(type) && others.find((other) => other.type === type)?.bytes) || bytes,
    );
    const more = others.filter(({ type }) => !own.some((each) => each.type === type));
    return box(textOf(entry), entry.subarray(BOX_HEADER, fields), ...kept, ...more.map(({ bytes }) => bytes));
  });
}

/** True for pixels as wide as they are high, which needn't be told. */
function isSquare(type: string, bytes: Uint8Array): boolean {
  return type === "pasp" && numberAt(bytes, 8) === numberAt(bytes, 12);
}

/** A box in which those that a path leads to are others; a step without a name leads to each. */
function rebuilt(
  bytes: Uint8Array,
  [name, ...path]: readonly string[],
  change: (box: Uint8Array) => Uint8Array,
): Uint8Array {
  const type = textOf(bytes);
  const start = type === "stsd" ? 2 * BOX_HEADER : BOX_HEADER;
  const parts = [...boxesIn(bytes, start)].map((each) => {
    const child = bytes.subarray(each.start, each.end);
    if (name !== "" && each.type !== name) return child;
    return path.length === 0 ? change(child) : rebuilt(child, path, change);
  });
  return box(type, bytes.subarray(BOX_HEADER, start), ...parts);
}

function textOf(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes.subarray(4, 8));
}

function numberAt(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(at);
}

function box(type: string, ...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = joined([new Uint8Array(8), ...parts]);
  new DataView(bytes.buffer).setUint32(0, bytes.length);
  new TextEncoder().encodeInto(type, bytes.subarray(4));
  return bytes;
}

function numbers(values: ArrayLike<number>): Uint8Array {
  const bytes = new Uint8Array(4 * values.length);
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < values.length; at++) view.setUint32(4 * at, (values[at] ?? 0) >>> 0);
  return bytes;
}

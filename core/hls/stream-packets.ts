/** Pictures and sound of a piece of MPEG-TS, and packed sound, at their times: each whole, also where the next piece ends it. */
import { joined } from "../content/digest.ts";
import { joinFields } from "./fields.ts";
import { FORMAT_CHANGES, type PictureCodec, type SoundCodec } from "./formats.ts";
import { picturesIn } from "./pictures.ts";
import {
  IncompletePiece,
  type Lead,
  type Packet,
  type PieceBytes,
  type PieceReading,
  type PieceTrack,
  scanOf,
  UnreadablePiece,
} from "./piece.ts";
import {
  type Frame,
  type Frames,
  framesIn,
  isAlike,
  isDependent,
  isIndex,
  longestFrame,
  MOST_FRAMES,
  timeOfTags,
} from "./sound-frames.ts";
import { COUNTER, type Elementary, elementaryOf, type PesBegin, TICKS } from "./transport-stream.ts";

interface StreamReading {
  number: number;
  content: Elementary;
  clock: (ticks: number) => number;
  how: PieceReading;
}

/** Times by a clock that starts again after 33 bits, as near to the first one as they can be. */
export function clockFrom(begins: readonly PesBegin[]): (ticks: number) => number {
  const first = begins.find(({ time }) => time !== undefined)?.time ?? 0;
  const begin = first >= COUNTER - 60 * TICKS ? first - COUNTER : first;
  return (ticks) => begin + ((ticks - first + 1.5 * COUNTER) % COUNTER) - COUNTER / 2;
}

export async function picturesOf(
  { number, content, clock, how }: StreamReading,
  codec: PictureCodec,
): Promise<Packet[]> {
  const { begins } = content;
  const leadIn = (piece: PieceBytes) => leadOfPictures(piece, number, codec);
  const rest = await how.rest?.(false, leadIn);
  const isCut = rest?.goesOn === true && rest.bytes.length > 0;
  const bytes = isCut ? joined([content.bytes, rest.bytes]) : content.bytes;
  let pictures = picturesIn(bytes, codec, begins[0]?.at ?? bytes.length);
  if (pictures.length === 0 && begins.length > 0) throw new IncompletePiece("its pictures can't be read");
  // A zero before the first mark of a packet may be in the packet before.
  const marksOf = () =>
    beginsOf(
      pictures.map(({ start }) => ({ start: start + 1 })),
      begins,
    );
  let marks = marksOf();
  const isTimed = marks.map((mark) => mark?.time !== undefined);
  if (codec === "avc" && isTimed.includes(false)) {
    pictures = joinFields(pictures, isTimed);
    marks = marksOf();
  }
  const isMarkedAtAll = begins[0]?.isKey === true;
  const times = pictureTimes(
    marks.map((mark) => (mark?.time === undefined ? undefined : clock(mark.time))),
    how.seconds,
  );
  const durations = pictureDurations(times, how.seconds);
  return pictures.map(({ start, end, runs, isKey }, at): Packet => {
    const isFirst = isMarkedAtAll ? marks[at]?.isKey : marks[at]?.isKey || isKey;
    const [timestamp, duration] = [(times[at] ?? 0) / TICKS, (durations[at] ?? 0) / TICKS];
    return { data: bytes.subarray(start, end), type: isFirst ? "key" : "delta", timestamp, duration, runs };
  });
}

/** The PES packet that each of some samples is the first one to begin in; `undefined` for those that follow in it. */
function beginsOf(
  samples: readonly { start: number }[],
  begins: readonly PesBegin[],
): (PesBegin | undefined)[] {
  let next = 0;
  return samples.map(({ start }) => {
    let found: PesBegin | undefined;
    for (let begin = begins[next]; begin !== undefined && begin.at <= start; begin = begins[++next])
      found = begin;
    return found;
  });
}

/** Ticks at which pictures are shown: between those that are told, where pictures are shown in the order of the file. */
function pictureTimes(told: readonly (number | undefined)[], seconds = 0): number[] {
  const known = [...told.entries()].filter((entry): entry is [number, number] => entry[1] !== undefined);
  const isOrdered = known.every(([, time], at) => time >= (known[at - 1]?.[1] ?? time));
  if (known.length < told.length && (!isOrdered || known.length === 0))
    throw new UnreadablePiece(
      "some of its pictures don't tell when they are shown (PTS), which players guess",
    );
  let later = 0;
  return told.map((time, at) => {
    if (time !== undefined) return time;
    while (later < known.length && (known[later]?.[0] ?? 0) < at) later++;
    const place = Math.max(0, Math.min(later, known.length - 1) - 1);
    const [one, other] = known.slice(place, place + 2);
    const [from, begin] = one ?? [0, 0];
    const each = other ? (other[1] - begin) / (other[0] - from) : (seconds * TICKS) / told.length;
    return Math.round(begin + (at - from) * each);
  });
}

/** Each picture is shown until the next one is, and the last one as long as the one before it. */
function pictureDurations(times: readonly number[], seconds = 0): number[] {
  const order = [...times.keys()].toSorted((a, b) => (times[a] ?? 0) - (times[b] ?? 0));
  const places = new Map(order.map((at, place) => [at, place]));
  let last = Math.round(seconds * TICKS);
  return times.map((time, at) => {
    const next = times[order[(places.get(at) ?? 0) + 1] ?? -1];
    last = next === undefined ? last : next - time;
    return last;
  });
}

/** PES packets in which the first picture of a piece mostly begins. */
const FEW = 2;

function leadOfPictures(piece: PieceBytes, number: number, codec: PictureCodec): Lead | undefined {
  for (const most of [FEW, undefined]) {
    const found = elementaryOf(piece.bytes, scanOf(piece), number, most);
    if (found === undefined) return undefined;
    const { bytes, begins } = found;
    const [first] = picturesIn(bytes, codec, begins[0]?.at ?? bytes.length);
    if (first !== undefined) return { bytes: bytes.subarray(0, first.start), isAll: false };
    if (most === undefined) return { bytes, isAll: true };
  }
  return undefined;
}

export async function soundOf(
  { number, content, clock, how }: StreamReading,
  codec: SoundCodec,
): Promise<Packet[]> {
  const leadIn = (piece: PieceBytes) => {
    const found = elementaryOf(piece.bytes, scanOf(piece), number);
    return found && leadOfSound(found.bytes, codec, found.begins[0]?.at ?? found.bytes.length);
  };
  const { begins } = content;
  const from = begins[0]?.at ?? content.bytes.length;
  const { frames, bytes } = await wholeFrames(content.bytes, codec, from, leadIn, how);
  let [time, last]: [number | undefined, number] = [undefined, 0];
  const times = beginsOf(frames, begins).map((begin, at) => {
    const before = frames[at - 1]?.header;
    const step = before ? Math.round((before.samples * TICKS) / before.config.sampleRate) : 0;
    if (begin?.time !== undefined) time = clock(begin.time);
    else if (time !== undefined) time += step;
    if (time === undefined) throw new UnreadablePiece("its sound doesn't tell when it is heard (PTS)");
    return time;
  });
  return frames.map((frame, at) => {
    const { samples, config } = frame.header;
    const next = times[at + 1];
    last = next === undefined ? last || (samples * TICKS) / config.sampleRate : next - (times[at] ?? 0);
    return soundPacket(bytes, frame, (times[at] ?? 0) / TICKS, last / TICKS);
  });
}

export async function packedTrack(
  bytes: Uint8Array,
  codec: SoundCodec,
  how: PieceReading,
): Promise<PieceTrack[]> {
  const leadIn = (piece: PieceBytes) => leadOfSound(piece.bytes, codec, 0);
  const found = await wholeFrames(bytes, codec, 0, leadIn, how);
  const time = timeOfTags(bytes);
  let at = time ?? 0;
  const heard = found.frames.filter((frame) => !isIndex(found.bytes, frame));
  const packets = heard.map((frame) => {
    const { samples, config } = frame.header;
    const duration = samples / config.sampleRate;
    at += duration;
    return soundPacket(found.bytes, frame, at - duration, duration);
  });
  const [first] = packets;
  if (first === undefined) return [];
  // A tag may mean the end of the frame that began in the piece before, or the first frame behind it.
  const isRelative = time === undefined || found.lead.length > 0;
  const config = first.config as AudioDecoderConfig;
  return [{ number: 1, type: "audio", codec, config, ...extentOf(packets), isRelative }];
}

function leadOfSound(bytes: Uint8Array, codec: SoundCodec, from: number): Lead {
  const { frames, lead } = framesIn(bytes, codec, from);
  return { bytes: lead, isAll: frames.length === 0 };
}

function soundPacket(
  bytes: Uint8Array,
  { start, end, header }: Frame,
  timestamp: number,
  duration: number,
): Packet {
  const { left, config } = header;
  return {
    data: bytes.subarray(start, end),
    type: "key",
    timestamp,
    duration: Math.max(0, duration),
    config,
    runs: [bytes.subarray(start + left, end)],
  };
}

/** Seconds of a frame, at most: a piece that is shorter may hold a part of one alone. */
const LONGEST_LEAD = 0.2;

/** The frames of a piece, the last of which may end in a later one. */
async function wholeFrames(
  own: Uint8Array,
  codec: SoundCodec,
  from: number,
  leadIn: (piece: PieceBytes) => Lead | undefined,
  { rest, isAgain = false, seconds = 1 }: PieceReading,
): Promise<Frames & { bytes: Uint8Array }> {
  let [bytes, found] = [own, framesIn(own, codec, from)];
  // How long a frame of DTS is, the next one tells; and a last byte of ones may fill, or begin a frame.
  const mayGoOn = !found.isWhole || codec === "dts" || own.at(-1) === 0xff;
  if (rest !== undefined && mayGoOn) {
    const further = await rest(!found.isWhole, leadIn);
    const longer = joined([own, further.bytes]);
    const more = framesIn(longer, codec, from);
    if (more.isWhole) [bytes, found] = [longer, more];
    // Where nothing goes on with it, as before an advertisement, no player plays a part of a frame.
    else if (!found.isWhole && (further.goesOn || !isAgain))
      throw new IncompletePiece("its sound ends within a frame");
  }
  const { isBroken, lead } = found;
  const frames = found.frames.filter(({ end }) => end <= bytes.length);
  const isShort = lead.length <= longestFrame(codec) && (frames.length > 0 || seconds < LONGEST_LEAD);
  if (isBroken || !isShort) throw new IncompletePiece("bytes of its sound are missing");
  if (frames.length > MOST_FRAMES) throw new UnreadablePiece(`it holds over ${MOST_FRAMES} frames of sound`);
  const [first] = frames;
  if (first !== undefined && !frames.every(({ header }) => isAlike(header, first.header)))
    throw new UnreadablePiece(FORMAT_CHANGES);
  if (codec === "eac3" && frames.some(({ start }) => isDependent(bytes, start)))
    throw new UnreadablePiece("its sound is in E-AC-3 of several substreams, which isn't read from MPEG-TS");
  return { ...found, frames, bytes };
}

/** When packets play, from the first to the last one. */
export function extentOf(packets: Packet[]): Pick<PieceTrack, "packets" | "first" | "end"> {
  const keys = packets.filter(({ type }) => type === "key");
  // A second run within a piece would be put among the first.
  if (keys.some(({ timestamp }, at) => timestamp < (keys[at - 1]?.timestamp ?? timestamp)))
    throw new IncompletePiece("its times run backwards");
  let [first, end] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { timestamp, duration } of packets) {
    first = Math.min(first, timestamp);
    end = Math.max(end, timestamp + duration);
  }
  return { packets, first, end };
}

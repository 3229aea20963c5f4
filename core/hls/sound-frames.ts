/** Frames of sound as MPEG-TS and packed sound (RFC 8216, 3.4) hold them: each begins with a header that tells its length. */

import type { SoundCodec } from "./formats.ts";
import { COUNTER, TICKS } from "./transport-stream.ts";

export interface FrameHeader {
  /** Bytes of the frame, and those at its beginning that MP4 leaves out. */
  size: number;
  left: number;
  samples: number;
  config: AudioDecoderConfig;
}

type ReadHeader = (bytes: Uint8Array, at: number) => FrameHeader | undefined;

const READERS: Record<SoundCodec, ReadHeader> = {
  aac: readAac,
  ac3: readAc3,
  dts: readDts,
  eac3: readEac3,
  mp3: readMp3,
};

export interface Frame {
  start: number;
  end: number;
  header: FrameHeader;
}

/** Bytes of a frame, at most, which 14 bits count; 20 bits count those of each substream of DTS. */
export function longestFrame(codec: SoundCodec): number {
  return 2 ** 14 + (codec === "dts" ? MOST_SUBSTREAMS * 2 ** 20 : 0);
}

export interface Frames {
  frames: Frame[];
  /** The bytes before the first frame: the end of one that began in the piece before. */
  lead: Uint8Array;
  /** True if the last frame ends with the bytes. */
  isWhole: boolean;
  /** True if there are bytes between frames that are none. */
  isBroken: boolean;
}

/** Frames of a piece: half an hour. One may be a few bytes, and takes much more in memory. */
export const MOST_FRAMES = 100_000;

/** @param from where the first frame may begin */
export function framesIn(bytes: Uint8Array, codec: SoundCodec, from = 0): Frames {
  const read = READERS[codec];
  const begin = endOfTags(bytes, 0);
  const first = nextFrame(bytes, Math.max(begin, from), read);
  const frames: Frame[] = [];
  let [at, end, isBroken] = [first, first, false];
  while (at < bytes.length && frames.length <= MOST_FRAMES) {
    const header = read(bytes, at);
    if (header !== undefined) {
      isBroken ||= !isFilling(bytes.subarray(end, at));
      end = at + header.size;
      frames.push({ start: at, end, header });
    } else end = endOfTags(bytes, at);
    at = header === undefined ? nextFrame(bytes, end, read) : end;
  }
  const isWhole = end <= bytes.length && isFilling(bytes.subarray(end));
  return { frames, lead: bytes.subarray(begin, first), isWhole, isBroken };
}

/** True for bytes that some programs put behind frames. */
function isFilling(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === bytes[0]) && (bytes[0] ?? 0) % 255 === 0;
}

/** Where a frame begins behind which another one does; else where one does that may be cut off; else the end. */
function nextFrame(bytes: Uint8Array, from: number, read: ReadHeader): number {
  let cut: number | undefined;
  for (let at = from; at < bytes.length; at++) {
    const header = read(bytes, at);
    if (header === undefined) continue;
    if (at + header.size >= bytes.length) cut ??= at;
    else if (isAlike(header, read(bytes, at + header.size))) return at;
  }
  return cut ?? bytes.length;
}

/** True if two frames are of one track. */
export function isAlike({ config }: FrameHeader, other: FrameHeader | undefined): boolean {
  return JSON.stringify(config) === JSON.stringify(other?.config);
}

const AAC_RATES = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
];
const AAC_CHANNELS = [undefined, 1, 2, 3, 4, 5, 6, 8];

/** A frame of AAC behind its header (ADTS), which is longer where it holds a checksum. */
function readAac(bytes: Uint8Array, at: number): FrameHeader | undefined {
  // Twelve bits of a mark, and two that tell it from MP3.
  if (bytes[at] !== 0xff || ((bytes[at + 1] ?? 0) & 0xf6) !== 0xf0) return undefined;
  const [second, third, fourth, fifth, sixth, seventh] = bytesAt(bytes, at + 1);
  const left = (second & 1) === 1 ? 7 : 9;
  const size = ((fourth & 3) << 11) | (fifth << 3) | (sixth >> 5);
  const sampleRate = AAC_RATES[(third >> 2) & 15];
  const numberOfChannels = AAC_CHANNELS[((third & 1) << 2) | (fourth >> 6)];
  // One frame is behind each header, which is all that is ever written.
  if (sampleRate === undefined || numberOfChannels === undefined || size <= left || (seventh & 3) !== 0)
    return undefined;
  // As the MP4 registry numbers it: 2 is AAC-LC.
  const codec = `mp4a.40.${(third >> 6) + 1}`;
  return { size, left, samples: 1024, config: { codec, numberOfChannels, sampleRate } };
}

/** Thousands of bits per second by layer (1 to 3) of MPEG-1, and of its halved rates. */
const MP3_RATES = [
  [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
];

function readMp3(bytes: Uint8Array, at: number): FrameHeader | undefined {
  if (bytes[at] !== 0xff || ((bytes[at + 1] ?? 0) & 0xe0) !== 0xe0) return undefined;
  const [second, third, fourth] = bytesAt(bytes, at + 1);
  // 3 is MPEG-1, 2 has half of its rates, and 0 a quarter.
  const [version, layer] = [(second >> 3) & 3, 4 - ((second >> 1) & 3)];
  const bits = 1000 * (MP3_RATES[layer - 1 + (version === 3 ? 0 : 3)]?.[third >> 4] ?? 0);
  const rate = [44_100, 48_000, 32_000][(third >> 2) & 3];
  if (version === 1 || layer === 4 || bits === 0 || rate === undefined) return undefined;
  const sampleRate = rate / (version === 3 ? 1 : version === 2 ? 2 : 4);
  const samples = layer === 1 ? 384 : layer === 3 && version !== 3 ? 576 : 1152;
  const slot = layer === 1 ? 4 : 1;
  const size = slot * (Math.floor((samples * bits) / 8 / slot / sampleRate) + ((third >> 1) & 1));
  const numberOfChannels = fourth >> 6 === 3 ? 1 : 2;
  return { size, left: 0, samples, config: { codec: "mp3", numberOfChannels, sampleRate } };
}

/** Bytes of a frame of MP3, by its version and channels, behind which a name may stand. */
const NAMED = [13, 21, 36];

/** True for a frame of MP3 that lists the others in place of sound, as programs write one at the beginning of each file. */
export function isIndex(bytes: Uint8Array, { start, header }: Frame): boolean {
  const nameAt = (place: number) => String.fromCharCode(...bytes.subarray(place, place + 4));
  return (
    header.config.codec === "mp3" && NAMED.some((place) => /^(Xing|Info|VBRI)$/.test(nameAt(start + place)))
  );
}

const DOLBY_RATES = [48_000, 44_100, 32_000];
const DOLBY_CHANNELS = [2, 1, 2, 3, 3, 4, 4, 5];
const AC3_BITS = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640];
/** The largest version of the bit stream that is AC-3, and no E-AC-3. */
const LAST_AC3 = 10;

function isDolby(bytes: Uint8Array, at: number, isEnhanced: boolean): boolean {
  return bytes[at] === 0x0b && bytes[at + 1] === 0x77 && (bytes[at + 5] ?? 0) >> 3 > LAST_AC3 === isEnhanced;
}

function readAc3(bytes: Uint8Array, at: number): FrameHeader | undefined {
  if (!isDolby(bytes, at, false)) return undefined;
  const [fifth, , seventh, eighth] = bytesAt(bytes, at + 4);
  const [sampleRate, bits] = [DOLBY_RATES[fifth >> 6], AC3_BITS[(fifth & 63) >> 1]];
  if (sampleRate === undefined || bits === undefined) return undefined;
  const words = Math.floor((bits * 96_000) / sampleRate) + (sampleRate === 44_100 ? fifth & 1 : 0);
  const mode = seventh >> 5;
  // Levels that only some modes have stand before the bit of the deep channel.
  const levels = Number((mode & 1) === 1 && mode > 1) + Number((mode & 4) !== 0) + Number(mode === 2);
  const deep = (((seventh << 8) | eighth) >> (12 - 2 * levels)) & 1;
  const numberOfChannels = (DOLBY_CHANNELS[mode] ?? 0) + deep;
  return { size: 2 * words, left: 0, samples: 1536, config: { codec: "ac-3", numberOfChannels, sampleRate } };
}

function readEac3(bytes: Uint8Array, at: number): FrameHeader | undefined {
  if (!isDolby(bytes, at, true)) return undefined;
  const [third, fourth, fifth] = bytesAt(bytes, at + 2);
  const size = 2 * ((((third & 7) << 8) | fourth) + 1);
  const isHalf = fifth >> 6 === 3;
  const rate = DOLBY_RATES[isHalf ? (fifth >> 4) & 3 : fifth >> 6];
  if (rate === undefined) return undefined;
  const samples = 256 * (isHalf ? 6 : ([1, 2, 3, 6][(fifth >> 4) & 3] ?? 6));
  const numberOfChannels = (DOLBY_CHANNELS[(fifth >> 1) & 7] ?? 0) + (fifth & 1);
  const sampleRate = isHalf ? rate / 2 : rate;
  return { size, left: 0, samples, config: { codec: "ec-3", numberOfChannels, sampleRate } };
}

/** True for a frame of E-AC-3 that is heard with the one before: MP4 holds both in one sample. */
export function isDependent(bytes: Uint8Array, at: number): boolean {
  const third = bytes[at + 2] ?? 0;
  return third >> 6 === 1 || ((third >> 3) & 7) > 0;
}

const DTS_RATES = [0, 8000, 16_000, 32_000, 0, 0, 11_025, 22_050, 44_100, 0, 0, 12_000, 24_000, 48_000];
const DTS_CHANNELS = [1, 2, 2, 2, 2, 3, 3, 4, 4, 5, 6, 6, 6, 7, 8, 8];
const DTS_MARK = [0x7f, 0xfe, 0x80, 0x01];
const DTS_SUBSTREAM = [0x64, 0x58, 0x20, 0x25];
const MOST_SUBSTREAMS = 4;

/** A core, and substreams behind it that only some decoders read (ETSI TS 102 114). */
function readDts(bytes: Uint8Array, at: number): FrameHeader | undefined {
  const isAt = (mark: readonly number[], place: number) =>
    mark.every((byte, offset) => bytes[place + offset] === byte);
  if (!isAt(DTS_MARK, at)) return undefined;
  const [fifth, sixth, seventh, eighth, ninth, , last] = bytesAt(bytes, at + 4);
  const sampleRate = DTS_RATES[(ninth >> 2) & 15];
  const channels = DTS_CHANNELS[((eighth & 15) << 2) | (ninth >> 6)];
  if (!sampleRate || channels === undefined) return undefined;
  const samples = 32 * ((((fifth & 1) << 6) | (sixth >> 2)) + 1);
  const core = (((sixth & 3) << 12) | (seventh << 4) | (eighth >> 4)) + 1;
  let end = at + core;
  for (let count = 0; count < MOST_SUBSTREAMS && isAt(DTS_SUBSTREAM, end); count++)
    end += substreamSize(bytes, end);
  const numberOfChannels = channels + Number((last & 6) !== 0);
  return { size: end - at, left: 0, samples, config: { codec: "dtsc", numberOfChannels, sampleRate } };
}

/** A bit tells whether 16 or 20 bits do. */
function substreamSize(bytes: Uint8Array, at: number): number {
  const [first, second, third, fourth, fifth] = bytesAt(bytes, at + 5);
  const isLong = ((first >> 5) & 1) === 1;
  const high = isLong ? ((second & 1) << 19) | (third << 11) : ((second & 31) << 11) | (third << 3);
  return 1 + (isLong ? high | (fourth << 3) | (fifth >> 5) : high | (fourth >> 5));
}

type Bytes = [number, number, number, number, number, number, number];

function bytesAt(bytes: Uint8Array, at: number): Bytes {
  return Array.from({ length: 7 }, (_, offset) => bytes[at + offset] ?? 0) as Bytes;
}

const PACKED: readonly SoundCodec[] = ["aac", "ac3", "eac3", "mp3"];

/**
 * The codec of a piece of sound without a container, as its first bytes tell: a tag, or a frame. A piece that begins with
 * the end of a frame tells nothing without a tag.
 */
export function packedCodecOf(bytes: Uint8Array): SoundCodec | undefined {
  const at = endOfTags(bytes, 0);
  const begins = PACKED.find((codec) => READERS[codec](bytes, at) !== undefined);
  if (begins !== undefined || at === 0) return begins;
  return PACKED.find((codec) => framesIn(bytes, codec).frames.length > 1);
}

const TAG_HEADER = 10;
const LAST_TAG = 128;

/** The end of tags: those that begin with "ID3", and the one of 128 bytes that begins with "TAG". */
function endOfTags(bytes: Uint8Array, start: number): number {
  let at = start;
  for (;;) {
    const name = String.fromCharCode(...bytes.subarray(at, at + 3));
    if (name === "TAG" && at + LAST_TAG === bytes.length) return bytes.length;
    if (name !== "ID3" || at + TAG_HEADER > bytes.length) return at;
    const sizes = [...bytes.subarray(at + 6, at + TAG_HEADER)];
    const hasFooter = ((bytes[at + 5] ?? 0) & 0x10) !== 0;
    // Seven bits of each byte count.
    const size = sizes.reduce((sum, byte) => (sum << 7) | (byte & 0x7f), 0);
    at += TAG_HEADER + size + (hasFooter ? TAG_HEADER : 0);
  }
}

const OWNER = "com.apple.streaming.transportStreamTimestamp\0";

/** Seconds at which the first frame is heard by the clock of MPEG-TS, where the tags before it tell. */
export function timeOfTags(bytes: Uint8Array): number | undefined {
  const tags = bytes.subarray(0, endOfTags(bytes, 0));
  const at = new TextDecoder("latin1").decode(tags).indexOf(OWNER);
  const end = at + OWNER.length;
  if (at < 0 || end + 8 > tags.length) return undefined;
  const ticks = new DataView(tags.buffer, tags.byteOffset + end, 8).getBigUint64(0);
  return Number(ticks % BigInt(COUNTER)) / TICKS;
}

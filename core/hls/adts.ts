/** Packed sound (RFC 8216, 3.4): frames of AAC, each behind a header (ADTS), after tags that tell when it is heard. */
import { FORMAT_CHANGES } from "./formats.ts";

export interface AdtsPiece {
  config: AudioDecoderConfig;
  /** The begin and end of each frame, its header included. */
  frames: [start: number, end: number][];
  /** Seconds of a frame. */
  duration: number;
  /** Set if it ends within a frame, or changes on the way. */
  problem: string | undefined;
}

/** Frames of a piece: half an hour. One may be a few bytes, and takes much more in memory. */
const MOST_FRAMES = 100_000;

const FRAME_SAMPLES = 1024;

const RATES = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
];
const CHANNELS = [undefined, 1, 2, 3, 4, 5, 6, 8];
const SHORT_HEADER = 7;

/** True for a piece of packed sound, as its first bytes tell: a tag, or the mark of a frame (of MP3 as well). */
export function isPackedSound(bytes: Uint8Array): boolean {
  const isFrame = bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xe0) === 0xe0;
  return isFrame || String.fromCharCode(...bytes.subarray(0, 3)) === "ID3";
}

export function isPackedAc3(bytes: Uint8Array): boolean {
  const at = endOfTags(bytes, 0);
  return bytes[at] === 0x0b && bytes[at + 1] === 0x77;
}

export function readAdts(bytes: Uint8Array): AdtsPiece | undefined {
  let at = endOfTags(bytes, 0);
  const first = readHeader(bytes, at);
  if (first === undefined) return undefined;
  const format = formatOfFrame(bytes, at);
  const frames: AdtsPiece["frames"] = [];
  const { config } = first;
  const duration = FRAME_SAMPLES / config.sampleRate;
  const withProblem = (problem?: string): AdtsPiece => ({ config, frames, duration, problem });
  while (at < bytes.length) {
    const header = readHeader(bytes, at);
    if (header === undefined) {
      const next = endOfTags(bytes, at);
      if (next === at) break;
      at = next;
      continue;
    }
    if (at + header.size > bytes.length) break;
    if (frames.length === MOST_FRAMES) return withProblem(`it holds over ${MOST_FRAMES} frames of sound`);
    if (formatOfFrame(bytes, at) !== format) return withProblem(FORMAT_CHANGES);
    frames.push([at, at + header.size]);
    at += header.size;
  }
  // Some programs fill the end.
  const isWhole = frames.length > 0 && bytes.subarray(at).every((byte) => byte === 0);
  return withProblem(isWhole ? undefined : "its sound ends within a frame");
}

/** Two frames of one track share these: the bits of the object type, the rate and the channels. */
export function formatOfFrame(bytes: Uint8Array, at = 0): number {
  return (((bytes[at + 2] ?? 0) & 0xfd) << 8) | ((bytes[at + 3] ?? 0) & 0xc0);
}

function readHeader(bytes: Uint8Array, at: number): { config: AudioDecoderConfig; size: number } | undefined {
  const [first = 0, second = 0, third = 0, fourth = 0, fifth = 0, sixth = 0, seventh = 0] = bytes.subarray(
    at,
    at + SHORT_HEADER,
  );
  const size = ((fourth & 3) << 11) | (fifth << 3) | (sixth >> 5);
  const sampleRate = RATES[(third >> 2) & 15];
  const numberOfChannels = CHANNELS[((third & 1) << 2) | (fourth >> 6)];
  // Twelve bits of a mark, and two that tell it from MP3; and one frame in each, which is all that is ever written.
  const isMarked = first === 0xff && (second & 0xf6) === 0xf0 && (seventh & 3) === 0;
  if (!isMarked || sampleRate === undefined || numberOfChannels === undefined || size <= SHORT_HEADER)
    return undefined;
  // As the MP4 registry numbers it: 2 is AAC-LC.
  const codec = `mp4a.40.${(third >> 6) + 1}`;
  return { config: { codec, sampleRate, numberOfChannels }, size };
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
/** Ticks of a second of MPEG-TS, whose counter has 33 bits. */
const TICKS = 90_000;
const COUNTER = 2n ** 33n;

/** Seconds at which the first frame is heard by the clock of MPEG-TS, where the tags before it tell. */
export function timeOfTags(bytes: Uint8Array): number | undefined {
  const tags = bytes.subarray(0, endOfTags(bytes, 0));
  const at = new TextDecoder("latin1").decode(tags).indexOf(OWNER);
  const end = at + OWNER.length;
  if (at < 0 || end + 8 > tags.length) return undefined;
  const ticks = new DataView(tags.buffer, tags.byteOffset + end, 8).getBigUint64(0);
  return Number(ticks % COUNTER) / TICKS;
}

/** The formats of pictures and sound: as playlists, MPEG-TS and MP4 name them, and whether they are read here. */
import { headTracks } from "./boxes.ts";

export type Kind = "video" | "audio";

/** Codecs that are read from MPEG-TS. */
export type PictureCodec = "avc" | "hevc";
export type SoundCodec = "aac" | "ac3" | "dts" | "eac3" | "mp3";

export const FORMAT_CHANGES = "its format changes on the way, which one file can't hold";

/** Codecs that MP4 holds and that are read here, as playlists name them. */
export const PICTURES: RegExp = /^(avc[13]|hvc1|hev1|vp0?[89]|av01)\b/i;
/** Codecs of sound that MP4 holds and that are read here. */
export const SOUND: RegExp = /^(mp4a|opus|flac|ac-3|ec-3|mp3)\b/i;
/** Pictures and sound that players play, and nobody reads here. */
export const OTHER_PICTURES: RegExp = /^(vvc1|vvi1|evc1|dvh[1e]|dva[1v]|dav1|mp4v|s263)\b/i;
export const OTHER_SOUND: RegExp = /^(ac-4|alac|dts[cehlxy]|iamf|mh[am][12]|mlpa|samr|sawb|vorbis)\b/i;
export const TEXTS: RegExp = /^(stpp|wvtt)\b/i;

export function strangeFormat(formats: readonly string[], known: readonly RegExp[]): string | undefined {
  const strange = formats.find((format) => !known.some((each) => each.test(format)));
  if (strange === undefined) return undefined;
  const shown = /^[\w./+-]{1,40}$/.test(strange) ? ` (${strange})` : "";
  return `it is in a format that isn't read here, or that MP4 doesn't hold${shown}`;
}

export interface ProgramStream {
  number: number;
  /** Stream type, as ISO/IEC 13818-1 numbers them. */
  type: number;
  descriptors: { tag: number; bytes: Uint8Array }[];
}

/** A kind, and a name unless it is read; else its codec. */
type Format = readonly [kind: Kind, name?: string | undefined, codec?: PictureCodec | SoundCodec];

const AC3: Format = ["audio", undefined, "ac3"];
const EAC3: Format = ["audio", undefined, "eac3"];
const DTS: Format = ["audio", undefined, "dts"];
const MP3: Format = ["audio", undefined, "mp3"];

const ADTS = 0x0f;
const LATM = 0x11;

/** Formats by their stream type (ISO/IEC 13818-1, and those registered for private use). */
const BY_TYPE: ReadonlyMap<number, Format> = new Map([
  [0x01, ["video", "MPEG-1"]],
  [0x02, ["video", "MPEG-2"]],
  [0x03, MP3],
  [0x04, MP3],
  [ADTS, ["audio", undefined, "aac"]],
  [0x10, ["video", "MPEG-4 Visual"]],
  [LATM, ["audio", "AAC with LATM"]],
  [0x1b, ["video", undefined, "avc"]],
  [0x1c, ["audio", "AAC without headers"]],
  [0x21, ["video", "JPEG 2000"]],
  [0x24, ["video", undefined, "hevc"]],
  [0x2d, ["audio", "MPEG-H"]],
  [0x2e, ["audio", "MPEG-H"]],
  [0x32, ["video", "JPEG XS"]],
  [0x33, ["video", "VVC"]],
  [0x35, ["video", "EVC"]],
  [0x42, ["video", "AVS"]],
  [0x81, AC3],
  [0x82, DTS],
  [0x83, ["audio", "Dolby TrueHD"]],
  [0x87, EAC3],
  [0x8a, DTS],
  [0xc1, ["audio", "encrypted AC-3"]],
  [0xc2, ["audio", "encrypted E-AC-3"]],
  [0xcf, ["audio", "encrypted AAC"]],
  [0xd1, ["video", "Dirac"]],
  [0xd2, ["video", "AVS2"]],
  [0xd4, ["video", "AVS3"]],
  [0xdb, ["video", "encrypted AVC"]],
  [0xea, ["video", "VC-1"]],
]);

/** Private data: by the format that its descriptor registers, or by descriptors of DVB. */
const PRIVATE_DATA = 0x06;
const REGISTRATION = 0x05;
const BY_FORMAT: ReadonlyMap<string, Format> = new Map([
  ["AC-3", AC3],
  ["AC-4", ["audio", "AC-4"]],
  ["AV01", ["video", "AV1"]],
  ["BSSD", ["audio", "SMPTE 302M"]],
  ["DTS1", DTS],
  ["DTS2", DTS],
  ["DTS3", DTS],
  ["EAC3", EAC3],
  ["HEVC", ["video", undefined, "hevc"]],
  ["Opus", ["audio", "Opus"]],
]);
/** Some descriptors hold a further number. */
const EXTENSION = 0x7f;
const BY_DESCRIPTOR: ReadonlyMap<number, Format> = new Map([
  [0x6a, AC3],
  [0x7a, EAC3],
  [0x7b, DTS],
  [0xcc, EAC3],
  [0x7c, ["audio", "AAC"]],
  [0x7f0e, ["audio", "DTS-HD"]],
  [0x7f15, ["audio", "AC-4"]],
  [0x7f21, ["audio", "DTS-UHD"]],
  [0x7f80, ["audio", "Opus"]],
]);

export function formatOf({ type, descriptors }: ProgramStream): Format | undefined {
  if (type !== PRIVATE_DATA) return BY_TYPE.get(type);
  const named = descriptors.flatMap(({ tag, bytes }) => {
    if (tag === REGISTRATION) return [BY_FORMAT.get(String.fromCharCode(...bytes.subarray(0, 4)))];
    return [BY_DESCRIPTOR.get(tag === EXTENSION ? (tag << 8) | (bytes[0] ?? 0) : tag)];
  });
  const formats = named.filter((format) => format !== undefined);
  return formats.find(([, name]) => name === undefined) ?? formats[0];
}

/** Names the first wanted stream that players play and nobody reads here: it must not get lost without a word. */
export function unreadIn(
  streams: readonly ProgramStream[],
  kinds: readonly Kind[],
  beginning: (stream: number) => Uint8Array,
): string | undefined {
  for (const stream of streams) {
    const isLatm = stream.type === ADTS && isLatmFrame(beginning(stream.number));
    const [kind, name] = (isLatm ? BY_TYPE.get(LATM) : formatOf(stream)) ?? [];
    if (kind !== undefined && name !== undefined && kinds.includes(kind))
      return `${wordsOf(kind)} in ${name}`;
  }
  return undefined;
}

/** True for the 11 bits that LATM begins with (ISO/IEC 14496-3, 1.7.2): some tables call it ADTS. */
function isLatmFrame([first = 0, second = 0]: Uint8Array): boolean {
  return first === 0x56 && (second & 0xe0) === 0xe0;
}

/** Formats in MP4 of sound that isn't compressed. */
const UNCOMPRESSED = /^([iflp]pcm|twos|sowt|raw |in24|in32|fl32|fl64|[au]law)$/i;
/** Names of formats that aren't read, where their four characters don't tell much. */
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

/** Names the first wanted track of the head of an MP4 file that isn't read here. */
export function unreadInHead(head: Uint8Array, kinds: readonly Kind[]): string | undefined {
  for (const { handler, formats } of headTracks(head)) {
    const kind = kinds.find((kind) => handler === (kind === "video" ? "vide" : "soun"));
    if (kind === undefined) continue;
    const unread = formats.find(
      (format) => ![PICTURES, SOUND, UNCOMPRESSED].some((each) => each.test(format)),
    );
    if (unread !== undefined) return `${wordsOf(kind)} in ${IN_MP4.get(unread) ?? printable(unread)}`;
    if (formats.length > 1) return `${wordsOf(kind)} in ${formats.length} formats`;
  }
  return undefined;
}

export function wordsOf(kind: string): string {
  return kind === "video" ? "its pictures are" : "its sound is";
}

/** A file may hold any text. */
function printable(format: string): string {
  return /^[\w. +-]{4}$/.test(format) ? format.trim() : "an unknown format";
}

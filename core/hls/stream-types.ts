/**
 * Formats in MPEG-TS and MP4 that players play and nobody reads here: they must not get lost without a word.
 *
 * @module
 */

import { headTracks } from "./boxes.ts";
import { firstUnit, type ProgramStream, type Tables } from "./transport-stream.ts";

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

/** Names the first stream of MPEG-TS of the wanted kinds that isn't read; `undefined` where all are. */
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

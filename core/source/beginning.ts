/** Files that begin as videos do, where their names leave that open: `main.ts` is mostly a program. */

/** Bytes that are looked at: some packets of the longest kind. */
export const BEGINNING_SIZE = 1024;

/** Endings of MPEG transport streams, which are also those of TypeScript sources and others. */
const TRANSPORT_STREAM = /\.(ts|mts|m2ts?)$/i;
const NO_ENDING = /^[^.]*$|^\.[^.]+$/;

/** Any name that leaves nothing open decides by itself. */
export async function isVideoByContent(
  name: string,
  read: (size: number) => Promise<Uint8Array>,
): Promise<boolean> {
  const isUnclear = TRANSPORT_STREAM.test(name) || NO_ENDING.test(name);
  return !isUnclear || beginsAsVideo(name, await read(BEGINNING_SIZE));
}

/** True if a beginning has no byte that no text has: containers have zeros within their first numbers. */
export function beginsAsText(bytes: Uint8Array): boolean {
  return (
    bytes.length > 0 && bytes.every((byte) => byte >= 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d)
  );
}

export function beginsAsVideo(name: string, bytes: Uint8Array): boolean {
  if (isTransportStream(bytes)) return true;
  const text = String.fromCharCode(...bytes.subarray(0, 16));
  return !TRANSPORT_STREAM.test(name) && SIGNATURES.some((signature) => signature.test(text));
}

/** Bytes of a packet: as broadcast, with a time before each (Blu-ray, AVCHD), and with a check after each. */
const PACKETS = [
  { size: 188, sync: 0 },
  { size: 192, sync: 4 },
  { size: 204, sync: 0 },
];
const SYNC = 0x47;
/** Packets without whose sync bytes a text could be one by chance. */
const LEAST_PACKETS = 2;

export function isTransportStream(bytes: Uint8Array): boolean {
  return PACKETS.some(({ size, sync }) => {
    const whole = Math.floor(bytes.length / size);
    if (whole < LEAST_PACKETS) return false;
    return Array.from({ length: whole }, (_, at) => bytes[at * size + sync]).every((byte) => byte === SYNC);
  });
}

/** How the containers of VIDEO_ENDINGS begin. */
const SIGNATURES = [
  // MP4, QuickTime, 3GPP, Motion JPEG 2000: the first box.
  /^.{4}(ftyp|moov|mdat|wide|free|skip|pnot|jP {2})/s,
  // Matroska, WebM.
  /^\x1aE\xdf\xa3/,
  /^RIFF.{4}AVI /s,
  // ASF, Windows Media.
  /^0&\xb2u\x8ef\xcf\x11/,
  /^FLV\x01/,
  // MPEG program and elementary streams, H.264 and H.265.
  /^\x00{2,3}\x01[\xb3\xba\x09\x27\x40\x42\x46\x67]/,
  /^OggS/,
  // MXF.
  /^\x06\x0e\x2b\x34/,
  /^DKIF/,
  /^YUV4MPEG2/,
];

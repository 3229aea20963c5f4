/**
 * Samples as MP4 holds them. MPEG-TS marks where the units of a picture begin, where MP4 tells how long each is; and it
 * has a header before each frame of AAC, which MP4 has none of.
 *
 * @module
 */

import { type PieceTrack, UnreadablePiece } from "./demux.ts";

/** A sample before it is written: how long it becomes, and the runs of its bytes that are kept. */
export interface SampleBytes {
  size: number;
  data: Uint8Array;
  /** Where each run begins and ends. */
  runs: readonly [number, number][];
  /** Whether each run is preceded by its length. */
  hasLengths: boolean;
}

const LENGTH_SIZE = 4;

/** How the packets of a track become samples. */
export function sampleReader({ type, codec, config }: PieceTrack): (data: Uint8Array) => SampleBytes {
  // Where their decoder isn't told how to read them, they say so themselves.
  const isMarked = config.description === undefined;
  if (isMarked && type === "video" && (codec === "avc" || codec === "hevc")) return readPicture;
  if (isMarked && type === "audio" && codec === "aac") return readFrame;
  return (data) => ({ size: data.length, data, runs: [[0, data.length]], hasLengths: false });
}

/** Writes a sample and gives the position behind it. */
export function writeSample(
  { data, runs, hasLengths }: SampleBytes,
  target: Uint8Array,
  position: number,
): number {
  let at = position;
  for (const [start, end] of runs) {
    if (hasLengths) {
      new DataView(target.buffer, target.byteOffset).setUint32(at, end - start);
      at += LENGTH_SIZE;
    }
    target.set(data.subarray(start, end), at);
    at += end - start;
  }
  return at;
}

/** The units of a picture, each of which begins behind the bytes 0, 0, 1 (Annex B of H.264 and H.265). */
function readPicture(data: Uint8Array): SampleBytes {
  const runs: [number, number][] = [];
  let start = -1;
  const close = (end: number) => {
    let last = end;
    // No unit ends with zero: such bytes belong to the mark behind it, or fill.
    while (last > start && data[last - 1] === 0) last--;
    if (start >= 0 && last > start) runs.push([start, last]);
  };
  for (let at = 0; at + 2 < data.length; ) {
    const third = data[at + 2] ?? 0;
    if (third === 0) at++;
    else {
      if (third === 1 && data[at] === 0 && data[at + 1] === 0) {
        close(at);
        start = at + 3;
      }
      at += 3;
    }
  }
  close(data.length);
  if (runs.length === 0) throw new UnreadablePiece("a picture in it can't be read");
  const size = runs.reduce((sum, [from, end]) => sum + LENGTH_SIZE + end - from, 0);
  return { size, data, runs, hasLengths: true };
}

/** A frame of AAC behind its header (ADTS), which is longer where it holds a checksum. */
function readFrame(data: Uint8Array): SampleBytes {
  const [first = 0, second = 0] = data;
  const header = (second & 1) === 1 ? 7 : 9;
  if (first !== 0xff || second >> 4 !== 0xf || data.length <= header)
    throw new UnreadablePiece("a frame of sound in it can't be read");
  return { size: data.length - header, data, runs: [[header, data.length]], hasLengths: false };
}

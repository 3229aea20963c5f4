/**
 * The index of a fragment, and how a head announces what it can't say itself: samples are decoded in another order than
 * they are shown in, by a delay that each fragment of a file must share. Readers that are given negative delays, as the
 * format allows, put pictures too late against the sound.
 *
 * @module
 */

import { boxesIn, findBoxes, joined } from "./boxes.ts";

/** A sample as a fragment lists it; times in ticks of its track. */
export interface Sample {
  size: number;
  /** When it is shown or heard. */
  time: number;
  decoded: number;
  duration: number;
  isKey: boolean;
}

/** A track of a fragment. */
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

/**
 * Containers tell when a sample is shown: it is decoded in its place among those times, so early that none is late, and
 * after all samples of the piece before, some of which may be shown later.
 */
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
      box("mfhd", numbers(0, sequence)),
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
/** Where the bytes begin, and of each sample its duration, size, flags and delay. */
const ALL_FIELDS = 0x000f01;
const KEY_FLAGS = 0x02000000;
const OTHER_FLAGS = 0x01010000;

function writeTrack({ id, samples, delay }: FragmentTrack, offset: number): Uint8Array {
  const end = samples.reduce((latest, { time, duration }) => Math.max(latest, time + duration), 0);
  const fields = new Uint32Array(4 * samples.length);
  for (const [at, { size, time, decoded, isKey }] of samples.entries()) {
    const duration = Math.max(0, (samples[at + 1]?.decoded ?? end) - decoded);
    // The last one may be negative, which the same bits say.
    fields.set([duration, size, isKey ? KEY_FLAGS : OTHER_FLAGS, (time - decoded + delay) >>> 0], 4 * at);
  }
  return box(
    "traf",
    box("tfhd", numbers(BASE_IS_INDEX, id)),
    box("tfdt", numbers(0x01000000, ...long(samples[0]?.decoded ?? 0))),
    box("trun", numbers(0x01000000 | ALL_FIELDS, samples.length, offset, ...fields)),
  );
}

/** Ticks of a second, and the delay of each track of a head. */
export interface TrackClock {
  timescale: number;
  delay: number;
}

/** Sets the clocks of a head, and has its delays taken off what is shown. */
export function withClocks(moov: Uint8Array, clocks: readonly TrackClock[]): Uint8Array<ArrayBuffer> {
  let at = 0;
  const parts = [...boxesIn(moov)].flatMap(({ content, end }) =>
    [...boxesIn(moov, content, end)].map(({ type, start, end: stop }) => {
      const bytes = moov.slice(start, stop);
      return type === "trak" ? withClock(bytes, clocks[at++]) : bytes;
    }),
  );
  return box("moov", ...parts);
}

function withClock(trak: Uint8Array, clock: TrackClock | undefined): Uint8Array {
  if (clock === undefined) return trak;
  const view = new DataView(trak.buffer, trak.byteOffset, trak.byteLength);
  for (const { content } of findBoxes(trak, ["trak", "mdia", "mdhd"]))
    view.setUint32(content + (trak[content] === 1 ? 20 : 12), clock.timescale);
  if (clock.delay === 0) return trak;
  const edit = box("edts", box("elst", numbers(0, 1, 0, clock.delay, 0x00010000)));
  const [first, ...others] = [...boxesIn(trak, 8)].map(({ start, end }) => trak.slice(start, end));
  return box("trak", first ?? new Uint8Array(0), edit, ...others);
}

function box(type: string, ...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = joined([new Uint8Array(8), ...parts]);
  new DataView(bytes.buffer).setUint32(0, bytes.length);
  new TextEncoder().encodeInto(type, bytes.subarray(4));
  return bytes;
}

function numbers(...values: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(4 * values.length);
  const view = new DataView(bytes.buffer);
  for (const [at, value] of values.entries()) view.setUint32(4 * at, value >>> 0);
  return bytes;
}

function long(value: number): [number, number] {
  return [Math.floor(value / 2 ** 32), value >>> 0];
}

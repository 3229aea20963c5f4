/**
 * Writes an MP4 of fragments: a head, and a fragment for each piece that depends on no other. So an upload can begin
 * with the first piece, and go on with any, in another process too.
 *
 * @module
 */

import { joined, removeDates } from "./boxes.ts";
import { type PieceTrack, UnreadablePiece } from "./demux.ts";
import { decodingTimes, delayOf, type TrackClock, withClocks, writeIndex } from "./fragment.ts";
import type { Mediabunny } from "./mediabunny.ts";
import { type SampleBytes, sampleReader, writeSample } from "./samples.ts";

/** The tracks of a piece, as they go into a fragment. */
export interface Fragment {
  tracks: { id: number; clock: TrackClock; track: PieceTrack }[];
  /** Its number in the file, from 1. */
  sequence: number;
  /** Seconds that are added to the times of its packets. */
  offset: number;
  /** The tick from which on a sample may be decoded, for each track by its place in the file. */
  earliest: readonly number[];
}

/** Ticks of a second of pictures, as MPEG-TS counts them: whole for every usual rate. */
const PICTURE_CLOCK = 90_000;

/** The clocks of tracks that begin with these pieces. */
export function clocksOf(tracks: readonly PieceTrack[]): TrackClock[] {
  return tracks.map(({ type, config, packets }) => {
    const isSound = type === "audio";
    const timescale = isSound ? config.sampleRate : PICTURE_CLOCK;
    const times = packets.map(({ timestamp }) => Math.round(timestamp * timescale));
    return { timescale, delay: isSound ? 0 : delayOf(times) };
  });
}

/** The head of a file whose tracks begin as these do; the first one has the id 1. */
export async function muxHead(
  bunny: Mediabunny,
  tracks: readonly PieceTrack[],
  clocks: readonly TrackClock[],
): Promise<Uint8Array<ArrayBuffer>> {
  let [ftyp, moov] = [new Uint8Array(0), new Uint8Array(0)];
  const { EncodedAudioPacketSource, EncodedVideoPacketSource, Mp4OutputFormat, NullTarget, Output } = bunny;
  const format = new Mp4OutputFormat({
    fastStart: "fragmented",
    onFtyp(data) {
      ftyp = data.slice();
    },
    onMoov(data) {
      moov = data.slice();
    },
  });
  const output = new Output({ format, target: new NullTarget() });
  const adds = tracks.map(({ packets: [first], ...track }) => {
    // What their decoders need to know is made of the first packets, where pieces don't tell it.
    const packet = first?.clone({ timestamp: 0 });
    if (packet === undefined) throw new UnreadablePiece("it has a track without anything in it");
    if (track.type === "video") {
      const source = new EncodedVideoPacketSource(track.codec);
      output.addVideoTrack(source);
      return () => source.add(packet, { decoderConfig: track.config });
    }
    const source = new EncodedAudioPacketSource(track.codec);
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
  return joined([ftyp, withClocks(moov, clocks)]);
}

const BOX_HEADER = 8;

/** A fragment of the file, in the memory that it is given for its size; and what the next one goes on from. */
export function muxFragment(
  { tracks, sequence, offset, earliest }: Fragment,
  allocate: (size: number) => Uint8Array<ArrayBuffer>,
): { value: Uint8Array<ArrayBuffer>; earliest: number[] } {
  const bodies: SampleBytes[] = [];
  const next = [...earliest];
  const listed = tracks.map(({ id, clock, track }) => {
    const ticks = (seconds: number) => Math.round(seconds * clock.timescale);
    const read = sampleReader(track);
    // Sums of times end some billionths beside zero.
    const times = track.packets.map(({ timestamp }) => Math.max(0, ticks(timestamp + offset)));
    const order = decodingTimes(times, clock.delay, earliest[id - 1]);
    next[id - 1] = 1 + (order.at(-1) ?? -1);
    const samples = track.packets.map(({ data, duration, type }, at) => {
      const body = read(data);
      bodies.push(body);
      const [time, decoded] = [times[at] ?? 0, order[at] ?? 0];
      return { size: body.size, time, decoded, duration: ticks(duration), isKey: type === "key" };
    });
    return { id, samples, delay: clock.delay };
  });
  const index = writeIndex(sequence, listed);
  const size = bodies.reduce((sum, body) => sum + body.size, BOX_HEADER);
  const fragment = allocate(index.length + size);
  fragment.set(index);
  new DataView(fragment.buffer, fragment.byteOffset).setUint32(index.length, size);
  new TextEncoder().encodeInto("mdat", fragment.subarray(index.length + 4));
  let at = index.length + BOX_HEADER;
  for (const body of bodies) at = writeSample(body, fragment, at);
  return { value: fragment, earliest: Array.from(next, (tick) => tick ?? 0) };
}

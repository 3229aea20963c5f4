/** The packets of a file, compared with those of the video that the samples were made of. */
import { createHash } from "node:crypto";
import { BufferSource, EncodedPacketSink, Input, MP4 } from "mediabunny";
import { expect } from "vitest";
import type { Source } from "../core/mod.ts";
import { PART_SIZE } from "../core/source/parts.ts";
import type { ReadableSource } from "../core/source/source.ts";
import { sample } from "./hls-server.ts";

export interface Track {
  type: string;
  /** Seconds. */
  first: number;
  end: number;
  packets: { time: number; data: string; isKey: boolean }[];
}

/** Reads all packets of a file. */
export async function readTracks(bytes: Uint8Array): Promise<Track[]> {
  const input = new Input({ source: new BufferSource(bytes), formats: [MP4] });
  const tracks: Track[] = [];
  for (const track of await input.getTracks()) {
    const sink = new EncodedPacketSink(track);
    const packets: Track["packets"] = [];
    for (let packet = await sink.getFirstPacket(); packet !== null; packet = await sink.getNextPacket(packet))
      packets.push({
        time: packet.timestamp,
        data: Buffer.from(packet.data).toString("base64"),
        isKey: packet.type === "key",
      });
    const [first, end] = [await track.getFirstTimestamp(), await track.computeDuration()];
    tracks.push({ type: track.type, first, end, packets });
  }
  return tracks;
}

/** The units of a picture without those that an encoder of MPEG-TS adds: delimiters and repeated parameters. */
function pictureOf(data: string): string {
  const bytes = Buffer.from(data, "base64");
  const units: string[] = [];
  for (let start = 0; start + 4 < bytes.length; ) {
    const size = bytes.readUInt32BE(start);
    const kind = (bytes[start + 4] ?? 0) & 31;
    if (kind !== 7 && kind !== 8 && kind !== 9)
      units.push(bytes.toString("base64", start + 4, start + 4 + size));
    start += 4 + size;
  }
  return units.join(" ");
}

/** Seconds of a picture of the original. */
export const FRAME = 1 / 30;

/** Whether a file holds the packets of the original, as often as told, each at its time and without a gap. */
export async function expectOriginal(bytes: Uint8Array, times = 1): Promise<void> {
  const [tracks, original] = [await readTracks(bytes), await readTracks(sample("original.mp4"))];
  expect(tracks.map(({ type }) => type)).toEqual(["video", "audio"]);
  for (const [place, track] of tracks.entries()) {
    const { first = 0, packets = [], end = 0 } = original[place] ?? {};
    const repeated = Array.from({ length: times }, () => packets).flat();
    expect(track.packets.length).toBe(repeated.length);
    const content = track.type === "video" ? pictureOf : (data: string) => data;
    expect(track.packets.map(({ data }) => content(data))).toEqual(repeated.map(({ data }) => content(data)));
    expect(track.packets.map(({ isKey }) => isKey)).toEqual(repeated.map(({ isKey }) => isKey));
    if (times > 1) continue;
    // All of it begins a moment later, since sound begins before the pictures and nothing begins before zero.
    const shift = track.first - first;
    expect(shift).toBeCloseTo((tracks[1]?.first ?? 0) - (original[1]?.first ?? 0), 3);
    for (const [number, { time }] of packets.entries())
      expect(track.packets[number]?.time).toBeCloseTo(time + shift, 3);
    expect(Math.abs(track.end - shift - end)).toBeLessThan(FRAME);
  }
}

/** The hash of all that a source gives. */
export async function hashOf(source: Source): Promise<string> {
  const readable = source as ReadableSource;
  const hash = createHash("sha256");
  for (let position = 0, isOver = false; !isOver; ) {
    const slice = await readable.slice(position, position + PART_SIZE);
    const pieces = slice.pieces();
    for (let next = await pieces.next(); !next.done; next = await pieces.next()) hash.update(next.value);
    position += slice.size;
    isOver = slice.last;
  }
  await source.close();
  return hash.digest("hex");
}

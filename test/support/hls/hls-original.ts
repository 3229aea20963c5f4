/** The packets of a file, compared with those of the video that the samples were made of. */
import { createHash } from "node:crypto";
import { BufferSource, EncodedPacketSink, Input, MP4 } from "mediabunny";
import { expect } from "vitest";
import { boxesIn, findBoxes } from "../../../core/hls/boxes.ts";
import type { Source } from "../../../core/mod.ts";
import { PART_SIZE } from "../../../core/source/parts.ts";
import type { ReadableSource } from "../../../core/source/source.ts";
import { sample } from "./hls-server.ts";

export interface Track {
  type: string;
  /** Seconds. */
  first: number;
  end: number;
  packets: { time: number; data: string; isKey: boolean }[];
}

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

/** The ticks at which the samples of a track are decoded, in the order of the file. */
export function decodingTimesOf(bytes: Uint8Array, id: number): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return findBoxes(bytes, ["moof", "traf"]).flatMap(({ content, end }) => {
    const [header, begin, samples] = [...boxesIn(bytes, content, end)].map((box) => box.content);
    if (header === undefined || begin === undefined || samples === undefined) throw new Error("no index");
    if (view.getUint32(header + 4) !== id) return [];
    let next = Number(view.getBigUint64(begin + 4));
    return Array.from({ length: view.getUint32(samples + 4) }, (_, at) => {
      const decoded = next;
      // Behind the place of the bytes each sample has four fields, of which its duration is the first.
      next += view.getUint32(samples + 12 + 16 * at);
      return decoded;
    });
  });
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

export type Expected = Pick<Track, "type" | "end" | "packets">;

/** The tracks of the video that the samples were made of. */
export async function readOriginal(): Promise<Track[]> {
  return await readTracks(sample("original.mp4"));
}

/**
 * Whether a file holds the packets of the original, each at its time and without a gap.
 *
 * @param times how often, each time behind the one before. @default 1
 */
export async function expectOriginal(bytes: Uint8Array, times = 1): Promise<void> {
  const [tracks, original] = [await readTracks(bytes), await readOriginal()];
  let over: number | undefined;
  for (let run = 0; run < times; run++) {
    const part = tracks.map((track) => {
      const count = track.packets.length / times;
      return { ...track, packets: track.packets.slice(run * count, (run + 1) * count) };
    });
    const shift = expectPackets(part, original);
    const ends = original.map(({ end }) => end + shift);
    // Sound begins before the pictures.
    const begins = Math.min(...original.map(({ first }) => first)) + shift;
    if (over !== undefined) expect(Math.abs(begins - over)).toBeLessThan(FRAME);
    over = Math.max(...ends);
    if (run === times - 1)
      for (const [place, { end }] of tracks.entries())
        expect(Math.abs(end - (ends[place] ?? 0))).toBeLessThan(FRAME);
  }
}

/** Whether tracks hold such packets, all of them a moment later; gives the seconds of that moment. */
export function expectPackets(tracks: readonly Track[], expected: readonly Expected[]): number {
  expect(tracks.map(({ type }) => type)).toEqual(expected.map(({ type }) => type));
  // All of it begins a moment later, since sound begins before the pictures and nothing begins before zero.
  const shift = (tracks[0]?.packets[0]?.time ?? 0) - (expected[0]?.packets[0]?.time ?? 0);
  for (const [place, { type, packets }] of expected.entries()) {
    const found = tracks[place]?.packets ?? [];
    expect(found.length).toBe(packets.length);
    const content = type === "video" ? pictureOf : (data: string) => data;
    const isSame = (one: string, other: string) => one === other || content(one) === content(other);
    // One by one and without a matcher, since there are hundreds of thousands.
    const wrong = packets.findIndex(({ time, data, isKey }, at) => {
      const other = found[at];
      const late = (other?.time ?? 0) - shift - time;
      return !(Math.abs(late) < 0.0005 && other?.isKey === isKey && isSame(other.data, data));
    });
    const at =
      wrong < 0 ? "" : `${type} packet ${wrong} at ${found[wrong]?.time} for ${packets[wrong]?.time}`;
    expect(at).toBe("");
  }
  return shift;
}

export async function hashOf(source: Source): Promise<string> {
  const hash = createHash("sha256");
  for await (const piece of piecesOf(source)) hash.update(piece);
  return hash.digest("hex");
}

export async function bytesOf(source: Source): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  // What is given may be overwritten by what comes next.
  for await (const piece of piecesOf(source)) pieces.push(piece.slice());
  return Buffer.concat(pieces);
}

async function* piecesOf(source: Source): AsyncGenerator<Uint8Array> {
  const readable = source as ReadableSource;
  for (let position = 0, isOver = false; !isOver; ) {
    const slice = await readable.slice(position, position + PART_SIZE);
    const pieces = slice.pieces();
    for (let next = await pieces.next(); !next.done; next = await pieces.next()) yield next.value;
    position += slice.size;
    isOver = slice.last;
  }
  await source.close();
}

/** Two hours in pieces of four seconds: the fragments of the samples again and again, at times that go on. */
import { expect } from "vitest";
import { boxesIn, findBoxes } from "../../core/hls/boxes.ts";
import { type Expected, expectPackets, FRAME, readOriginal, readTracks } from "../hls-original.ts";
import { mediaPlaylist, pieceLines, sample } from "../hls-server.ts";

export const PIECES = 1800;
const PIECE_SECONDS = 4;
const SECONDS = PIECES * PIECE_SECONDS;

/** Fragments of each kind that the samples have, and how long each is in ticks of its track. */
const FRAGMENTS = 3;
const KINDS = [
  { kind: "video", id: 1, ticks: 2 * 15_360, timescale: 15_360 },
  // Of 94 frames.
  { kind: "audio", id: 2, ticks: 94 * 1024, timescale: 48_000 },
] as const;

type TrackTimes = Pick<(typeof KINDS)[number], "ticks" | "timescale">;

/** Packets of the original's sound that make the fragments; what is left of it is shorter than a frame. */
const SOUND_PACKETS = FRAGMENTS * 94;

/** The playlist and its pieces, which are made when they are asked for. */
export function twoHours(folder: string): Map<string, Uint8Array | string | (() => Uint8Array)> {
  const files = new Map<string, Uint8Array | string | (() => Uint8Array)>();
  const names = Array.from({ length: PIECES }, (_, at) => `${at}.m4s`);
  const lines = ['#EXT-X-MAP:URI="init.mp4"', ...pieceLines(names, PIECE_SECONDS)];
  files.set(
    `${folder}/index.m3u8`,
    mediaPlaylist(lines).replace("TARGETDURATION:3", `TARGETDURATION:${PIECE_SECONDS}`),
  );
  files.set(`${folder}/init.mp4`, sample("fmp4-init.mp4"));
  for (const [at, name] of names.entries()) files.set(`${folder}/${name}`, () => makePiece(at));
  return files;
}

/** The fragments that begin within a piece. */
function makePiece(piece: number): Uint8Array {
  const fragments = KINDS.flatMap((track) => {
    const from = fragmentsBefore(piece * PIECE_SECONDS, track);
    const count = fragmentsBefore((piece + 1) * PIECE_SECONDS, track) - from;
    return Array.from({ length: count }, (_, at) => makeFragment(from + at, track));
  });
  return new Uint8Array(Buffer.concat(fragments));
}

/** Fragments that begin before a time; of the last ones, those that end with the video. */
function fragmentsBefore(time: number, { ticks, timescale }: TrackTimes): number {
  return Math.min(Math.ceil((time * timescale) / ticks), Math.floor((SECONDS * timescale) / ticks));
}

/** A fragment of a sample, as another track and at another time. */
function makeFragment(number: number, { kind, id, ticks }: (typeof KINDS)[number]): Uint8Array {
  const source = sample(`${kind}-${number % FRAGMENTS}.m4s`);
  const parts = [...boxesIn(source)].filter(({ type }) => type === "moof" || type === "mdat");
  const fragment = Buffer.concat(parts.map(({ start, end }) => source.slice(start, end)));
  const set = (path: string[], write: (content: number) => void) => {
    for (const { content } of findBoxes(fragment, path)) write(content);
  };
  set(["moof", "mfhd"], (content) => fragment.writeUInt32BE(number + 1, content + 4));
  set(["moof", "traf", "tfhd"], (content) => fragment.writeUInt32BE(id, content + 4));
  set(["moof", "traf", "tfdt"], (content) => fragment.writeBigUInt64BE(BigInt(number * ticks), content + 4));
  return fragment;
}

/** Whether a file holds all of it, each packet at its time, and ends within a frame of when it has to. */
export async function expectTwoHours(bytes: Uint8Array): Promise<void> {
  const [pictures, sound] = await readOriginal();
  if (pictures === undefined || sound === undefined) throw new Error("the original has a track less");
  const lanes = [
    { ...pictures, ...KINDS[0] },
    { ...sound, ...KINDS[1], packets: sound.packets.slice(0, SOUND_PACKETS) },
  ];
  const expected = lanes.map(({ type, first, packets, ...times }): Expected => {
    const length = times.ticks / times.timescale;
    const fragments = fragmentsBefore(SECONDS, times);
    const all = repeat(packets, (fragments * packets.length) / FRAGMENTS, FRAGMENTS * length);
    return { type, packets: all, end: first + fragments * length };
  });
  const tracks = await readTracks(bytes);
  const shift = expectPackets(tracks, expected);
  for (const [place, { end }] of tracks.entries())
    expect(Math.abs(end - shift - (expected[place]?.end ?? 0))).toBeLessThan(FRAME);
}

/** So many packets, the same ones every so many seconds. */
function repeat(packets: Expected["packets"], count: number, every: number): Expected["packets"] {
  return Array.from({ length: count }, (_, at) => {
    const packet = packets[at % packets.length] as Expected["packets"][number];
    return { ...packet, time: packet.time + every * Math.floor(at / packets.length) };
  });
}

/**
 * A video in pieces as a source: read in order, and from a checkpoint where it is wanted again.
 *
 * @module
 */

import { digest } from "../digest.ts";
import { originOf } from "../redaction/redaction.ts";
import { PART_SIZE } from "../source/parts.ts";
import type { ReadableSource } from "../source/source.ts";
import { StreamWindow } from "../source/window.ts";
import { kindOfTrack, UnreadablePiece } from "./demux.ts";
import type { Fetching } from "./fetch-bytes.ts";
import { beginLane, type Unread } from "./first-piece.ts";
import { type Lanes, refusal } from "./load.ts";
import { clocksOf, muxHead, type TrackClock } from "./mux.ts";
import type { HlsOptions } from "./options.ts";
import { type LoadedPiece, loadUnit, pieceLoader } from "./pieces.ts";
import { type Checkpoint, changed, Remuxer, type Remuxing, readCheckpoint } from "./remuxer.ts";
import { beginTimeline, firstInRun, planUnits } from "./timeline.ts";

/** Makes a source of pieces that are put into one MP4 while they are fetched. */
export async function remuxedSource(
  lanes: Lanes,
  name: string,
  { live = false, onProgress }: HlsOptions,
  how: Fetching,
): Promise<ReadableSource> {
  const { main, audio } = lanes;
  const { url } = main;
  const units = planUnits(main, audio);
  const loader = pieceLoader(how);
  const place = originOf(url);
  const pieceAt = (at: number, signal: AbortSignal) => loadUnit(loader, units, at, { name: place, signal });
  const unread: Unread = {
    url,
    units,
    hasOwnSound: audio !== undefined,
    piece: (at) => pieceAt(at, how.signal),
    init: (init) => loader.init(init, how.signal),
  };
  const begun = [await beginLane(0, unread)];
  if (audio !== undefined) begun.push(await beginLane(1, unread));
  const firsts = new Map(begun.flatMap(({ loaded }) => [...loaded]));
  const clocks = begun.map(({ tracks }) => clocksOf(tracks));
  const video: Remuxing = {
    units,
    head: await muxHead(
      begun.flatMap(({ tracks }) => tracks),
      clocks.flat(),
    ).catch((error: unknown) => {
      if (!(error instanceof UnreadablePiece)) throw error;
      throw refusal({ code: "unsupported-video", words: error.message }, url);
    }),
    lanes: begun.map(({ tracks }, lane) =>
      tracks.map((track, at) => ({
        type: track.type,
        kind: kindOfTrack(track),
        clock: clocks[lane]?.[at] as TrackClock,
      })),
    ),
    start: beginTimeline(units[0]?.run ?? 0, [
      firstInRun(begun[0]?.tracks ?? [], main.pieces[0] ?? {}),
      firstInRun(begun[1]?.tracks ?? [], audio?.pieces[0] ?? {}),
    ]),
    firstPieces: begun.map(({ first }) => first),
    name: place,
    onProgress,
    async load(at, signal) {
      const first = firsts.get(at);
      // Held until they are wanted, which they mostly are at once.
      firsts.delete(at);
      return first ?? (await pieceAt(at, signal));
    },
  };
  return piecesSource(video, name, await identityOf(lanes, firsts, video, live));
}

/**
 * Names the video, whatever its address, by its language, the lengths and order of its pieces, and the bytes of
 * the first ones. Of a stream that isn't over the lengths are left out, since it goes on.
 */
async function identityOf(
  lanes: Lanes,
  firsts: ReadonlyMap<number, LoadedPiece>,
  { head }: Remuxing,
  live: boolean,
): Promise<string> {
  const isWhole = lanes.main.ended && lanes.audio?.ended !== false;
  const parts: (string | Uint8Array)[] = ["hls 3", head];
  // Two may begin with the same silence.
  if (lanes.language !== undefined) parts.push(lanes.language);
  for (const { bytes, init } of firsts.values()) parts.push(init ?? "", bytes);
  if (isWhole || !live)
    for (const lane of [lanes.main, lanes.audio])
      for (const { duration, run, range, clock } of lane?.pieces ?? []) {
        const size = range === undefined ? "" : range.end - range.start;
        parts.push(`${duration} ${run} ${size}${clock ? ` ${clock}` : ""}`);
      }
  return await digest(parts);
}

function piecesSource(video: Remuxing, name: string, identity: string): ReadableSource {
  let known: string[] = [];
  let count = video.units.length;
  let window: StreamWindow | undefined;

  /** The last checkpoint from which a position can be reached. */
  const checkpointFor = (position: number): Checkpoint | undefined => {
    for (let part = Math.floor(position / PART_SIZE) - 1; part >= 0; part--) {
      const checkpoint = readCheckpoint(known[part]);
      if (checkpoint !== undefined && checkpoint.unit < count) return checkpoint;
    }
    return undefined;
  };

  return {
    name,
    type: "video/mp4",
    size: undefined,
    rereadable: false,
    identity: async () => identity,
    async slice(start, end) {
      if (!window?.reaches(start)) {
        window?.cancel();
        const from = checkpointFor(start);
        window = new StreamWindow(new Remuxer(video, from, count, known), undefined, from?.at ?? 0);
      }
      return await window.read(start, end);
    },
    parts: () => known,
    expect(parts) {
      if (known.some((part, at) => parts[at] !== undefined && parts[at] !== part)) throw changed(video.name);
      known = [...parts, ...known.slice(parts.length)];
      window?.cancel();
      window = undefined;
      const last = readCheckpoint(parts.at(-1));
      // A stream that went on since is taken as far as it was when its upload began.
      if (last !== undefined) count = Math.min(video.units.length, last.count);
    },
    async close() {
      window?.cancel();
      window = undefined;
    },
  };
}

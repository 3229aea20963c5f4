/**
 * A video in pieces as a source: read in order, and from a checkpoint where it is wanted again.
 *
 * @module
 */

import { PART_SIZE } from "../source/parts.ts";
import type { ReadableSource } from "../source/source.ts";
import { StreamWindow } from "../source/window.ts";
import { type Checkpoint, readCheckpoint } from "./checkpoint.ts";
import { changed, Remuxer, type Remuxing } from "./remuxer.ts";

/** What `upload()` is told of a video. */
export interface PiecesFacts {
  name: string;
  identity: string;
}

/** Makes a source of a video in pieces. */
export function piecesSource(video: Remuxing, { name, identity }: PiecesFacts): ReadableSource {
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

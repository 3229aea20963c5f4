/**
 * What workers note of a video beside the journal: the asset that was made for it, that it is whole, and assets that nobody
 * will finish. The journal forgets an upload that is done; a worker that is killed then has not told the queue yet.
 *
 * Each note is a command of its own, since a worker that stood still may have the same job as another one.
 *
 * @module
 */

import type { Redis } from "ioredis";
import { NOTES_PREFIX } from "./settings.ts";

/** An asset that may exist besides the one of a video. */
export interface Doubt {
  /** Line of the video in the list. */
  line: number;
  /** Its id, or "unknown" where no answer came. */
  asset: string;
}

const DOUBTS = `${NOTES_PREFIX}doubts`;

/** The notes of one video. */
export interface VideoNotes {
  /** The asset that was made last, and its bytes once the service has said that it has every one of them. */
  read(): Promise<{ asset?: string; whole?: number }>;
  made(asset: string): Promise<void>;
  isWhole(asset: string, size: number): Promise<void>;
  /** Notes that the asset that was made last may be one too many, and forgets it. */
  doubt(line: number): Promise<void>;
  forget(): Promise<void>;
}

export function notesOf(redis: Redis, jobId: string): VideoNotes {
  const key = `${NOTES_PREFIX}video:${jobId}`;
  const read = async () => {
    const { asset, whole } = await redis.hgetall(key);
    return { ...(asset !== undefined && { asset }), ...(whole !== undefined && { whole: Number(whole) }) };
  };
  return {
    read,
    async made(asset) {
      await redis.multi().del(key).hset(key, { asset }).exec();
    },
    async isWhole(asset, size) {
      await redis.hset(key, { asset, whole: size });
    },
    async doubt(line) {
      const { asset = "unknown" } = await read();
      const doubt: Doubt = { line, asset };
      await redis.multi().rpush(DOUBTS, JSON.stringify(doubt)).del(key).exec();
    },
    async forget() {
      await redis.del(key);
    },
  };
}

/** All assets that may exist besides. */
export async function readDoubts(redis: Redis): Promise<Doubt[]> {
  return (await redis.lrange(DOUBTS, 0, -1)).map((doubt) => JSON.parse(doubt) as Doubt);
}

/**
 * The workers' notes of a video beside the journal: each time that they asked for an asset, and which one came back. What was
 * asked for and isn't the asset of the video in the end may exist besides.
 *
 * A request is noted before it is made, so that a worker may be killed at any moment; and each note may be written twice, as a lost
 * connection makes it.
 */
import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { NOTES_PREFIX } from "./settings.ts";

export interface Asked {
  made(asset: string): Promise<void>;
  /** Notes that no asset was made. */
  refused(): Promise<void>;
}

export interface VideoNotes {
  /** Notes that an asset will be asked for. */
  ask(): Promise<Asked>;
  /**
   * Assets that may exist besides: their ids, or "unknown" where no answer came.
   *
   * @param asset that of the video; without one, the last that was made is still to become it
   */
  doubts(asset?: string): Promise<string[]>;
  forget(): Promise<void>;
}

export function notesOf(redis: Redis, jobId: string): VideoNotes {
  const key = `${NOTES_PREFIX}asked:${jobId}`;
  return {
    async ask() {
      const at = `${Date.now()} ${randomUUID()}`;
      await redis.hset(key, at, "unknown");
      return {
        made: async (asset) => void (await redis.hset(key, at, asset)),
        refused: async () => void (await redis.hdel(key, at)),
      };
    },
    async doubts(asset) {
      const asked = Object.entries(await redis.hgetall(key)).sort(([one], [other]) => (one < other ? -1 : 1));
      const own = asset ?? asked.at(-1)?.[1];
      return asked.flatMap(([, made]) => (made === own && made !== "unknown" ? [] : [made]));
    },
    forget: async () => void (await redis.del(key)),
  };
}

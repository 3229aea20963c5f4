/** Settings of producer, workers and report: the queue, the fields of a job, and the place of Redis. */
import process from "node:process";
import { Queue } from "bullmq";
import { Redis } from "ioredis";

export interface Video {
  /** Where the video is read from. It may be signed: nothing prints it. */
  address: string;
  /** Number of the line that names the video in the list. */
  line: number;
}

export interface Outcome {
  assetId: string;
  size: number;
  /** True if another worker had begun it. */
  resumed: boolean;
  /** Assets that may exist besides: their ids, or "unknown" where no answer came. */
  doubtful?: string[];
}

export type VideoQueue = Queue<Video, Outcome>;

/** Names of the queue's and the journal's keys begin so. */
const NAMESPACE = process.env.UPCUT_FLEET ?? "upcut";
export const QUEUE_NAME = "videos";
export const QUEUE_PREFIX = `${NAMESPACE}-queue`;
export const JOURNAL_PREFIX = `${NAMESPACE}:`;
export const NOTES_PREFIX = `${NAMESPACE}-notes:`;

/** Milliseconds without a sign of life after which another worker takes over, from 5000. */
export const LEASE_TIMEOUT = wholeNumber("UPCUT_LEASE", 30_000, 5_000);

/** A connection of its own; it comes back by itself whenever Redis does. */
export function connectRedis(): Redis {
  const redis = new Redis(process.env.REDIS_URL ?? "redis://127.0.0.1:6379", { maxRetriesPerRequest: null });
  let wasAway = false;
  redis.on("error", () => {
    if (!wasAway) console.error("Redis can't be reached; trying again");
    wasAway = true;
  });
  redis.on("ready", () => {
    wasAway = false;
  });
  return redis;
}

export function openQueue(connection: Redis): VideoQueue {
  const queue = new Queue<Video, Outcome>(QUEUE_NAME, { connection, prefix: QUEUE_PREFIX });
  // The connection says when Redis is away. With no listener BullMQ prints the stack of each try.
  queue.on("error", () => {});
  return queue;
}

/** A setting that is a number, from `least` on. */
export function wholeNumber(name: string, usual: number, least: number): number {
  const value = Number(process.env[name] || usual);
  if (Number.isInteger(value) && value >= least) return value;
  console.error(`${name} must be a whole number, at least ${least}`);
  process.exit(2);
}

/** A setting without which nothing works. */
export function setting(name: string): string {
  const value = process.env[name] ?? "";
  if (value !== "") return value;
  console.error(`${name} must be set`);
  process.exit(2);
}

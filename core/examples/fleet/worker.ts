/**
 * Uploads the videos of the queue. Start as many as you like, on any machine, in Node, Bun or Deno: what one leaves when it is
 * killed, another one resumes as the same asset.
 *
 *   UPCUT_URL=https://video.example UPCUT_TOKEN=<API_KEY> REDIS_URL=redis://127.0.0.1:6379 tsx worker.ts
 */
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "bullmq";
import { redisJournal } from "../../journals/redis.ts";
import { createClient } from "../../mod.ts";
import { notesOf } from "./notes.ts";
import {
  connectRedis,
  JOURNAL_PREFIX,
  LEASE_TIMEOUT,
  type Outcome,
  openQueue,
  QUEUE_NAME,
  QUEUE_PREFIX,
  setting,
  type Video,
  wholeNumber,
} from "./settings.ts";
import { uploadVideo } from "./upload-video.ts";

const client = createClient({ baseUrl: setting("UPCUT_URL"), token: setting("UPCUT_TOKEN") });
const redis = connectRedis();
const queue = openQueue(redis);
// Entries outlive their jobs, which may wait for long.
const YEAR = 365 * 24 * 60 * 60 * 1000;
const journal = redisJournal(redis, {
  prefix: JOURNAL_PREFIX,
  leaseTimeout: LEASE_TIMEOUT,
  maxAge: YEAR,
});
const stopping = new AbortController();
/** Milliseconds for putting back what runs, for which BullMQ would wait as long as Redis is away: below the grace of compose.yaml. */
const STOP_TIMEOUT = 20_000;

const worker = new Worker<Video, Outcome>(
  QUEUE_NAME,
  // BullMQ gives the signal to functions that name it.
  (job, token, signal) => {
    const notes = notesOf(redis, job.id ?? "");
    return uploadVideo({ job, token, signal, client, journal, notes, queue, stopping: stopping.signal });
  },
  {
    connection: connectRedis(),
    prefix: QUEUE_PREFIX,
    concurrency: wholeNumber("UPCUT_CONCURRENCY", 4, 1),
    lockDuration: LEASE_TIMEOUT,
    stalledInterval: LEASE_TIMEOUT / 2,
    // A video that ends its worker each time, by its memory for example, is set aside in the end.
    maxStalledCount: 20,
  },
);
// Another worker has the job by now, as the journal's lease would tell a moment later.
worker.on("lockRenewalFailed", (ids) => {
  for (const id of ids) worker.cancelJob(id);
});
worker.on("error", (error) => {
  // While Redis is away every try is an error, and its connection has said so once.
  if (redis.status === "ready") console.error(`Queue: ${error.name}`);
});
worker.on("completed", ({ id, data }, { assetId, resumed }) => {
  console.log(`Line ${data.line}: ${resumed ? "resumed" : "uploaded"} as asset ${assetId}`);
  void notesOf(redis, id ?? "").forget();
});
worker.on("failed", (job, error) => console.error(`Line ${job?.data.line}: ${error.message}`));

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, async () => {
    console.log("Stopping; what runs goes back into the queue");
    stopping.abort();
    worker.cancelAllJobs();
    const isClosed = worker.close().then(() => true);
    if (!(await Promise.race([isClosed, delay(STOP_TIMEOUT, false)])))
      console.error(
        "Not all could be put back in time. Another worker takes over what runs, once its lease has ended",
      );
    process.exit(0);
  });
}
console.log(`Working, ${worker.concurrency} videos at a time`);

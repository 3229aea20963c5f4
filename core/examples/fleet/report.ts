/**
 * Tells what became of the list: how many are done and waiting, which were set aside and why, and which assets may exist
 * twice. `--json` gives a line of JSON for each video instead; `--retry` puts those that were set aside back into the queue.
 *
 *   REDIS_URL=redis://127.0.0.1:6379 tsx report.ts
 */
import process from "node:process";
import type { Job } from "bullmq";
import { notesOf } from "./notes.ts";
import { connectRedis, type Outcome, openQueue, type Video } from "./settings.ts";

/** The line about a video. */
interface VideoReport extends Partial<Outcome>, Pick<Video, "line"> {
  /** Why it was set aside. */
  failed?: string;
  /** How often a worker took it. */
  started: number;
  /** How often its worker was gone. */
  stalled: number;
}

const PAGE = 1_000;
const asked = new Set(process.argv.slice(2));
const redis = connectRedis();
const queue = openQueue(redis);

if (asked.has("--retry")) await queue.retryJobs({ state: "failed" });
else if (asked.has("--json"))
  for await (const job of jobs("completed", "failed")) console.log(JSON.stringify(await lineOf(job)));
else await summarize();
await queue.close();
redis.disconnect();

async function summarize(): Promise<void> {
  const { completed = 0, failed = 0, active = 0, wait = 0, delayed = 0 } = await queue.getJobCounts();
  console.log(`${completed} uploaded, ${active} under way, ${wait + delayed} waiting, ${failed} set aside`);
  for await (const job of jobs("failed", "completed")) {
    const { line, failed: reason, doubtful = [] } = await lineOf(job);
    if (reason !== undefined) console.log(`Line ${line}: ${reason}`);
    for (const id of doubtful)
      console.log(`Line ${line}: an asset may exist besides (${id}). Look into the account`);
  }
}

async function* jobs(...states: ("completed" | "failed")[]): AsyncGenerator<Job<Video, Outcome>> {
  for (const state of states)
    for (let start = 0; ; start += PAGE) {
      const page = await queue.getJobs([state], start, start + PAGE - 1, true);
      yield* page;
      if (page.length < PAGE) break;
    }
}

/** Nothing of it is a secret: the address is left out. */
async function lineOf(job: Job<Video, Outcome>): Promise<VideoReport> {
  const { id = "", data, returnvalue, failedReason, attemptsStarted, stalledCounter } = job;
  const { line } = data;
  const counts = { started: attemptsStarted, stalled: stalledCounter };
  if (failedReason === undefined || failedReason === "") return { line, ...returnvalue, ...counts };
  const doubtful = await notesOf(redis, id).doubts();
  return { line, failed: failedReason, ...(doubtful.length > 0 && { doubtful }), ...counts };
}

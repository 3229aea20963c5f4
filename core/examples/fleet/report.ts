/**
 * Tells what became of the list: how many are done and waiting, which were set aside and why, and which assets may exist
 * twice. `--json` gives a line of JSON for each video instead; `--retry` puts those that were set aside back into the queue.
 *
 *   REDIS_URL=redis://127.0.0.1:6379 tsx report.ts
 */
import process from "node:process";
import type { Job } from "bullmq";
import { readDoubts } from "./notes.ts";
import { connectRedis, type Outcome, openQueue, type Video } from "./settings.ts";

/** What is told of a video. */
interface VideoReport extends Partial<Outcome>, Pick<Video, "line"> {
  /** Why it was set aside. */
  failed?: string;
  /** Assets that may exist besides: their ids, or "unknown" where no answer came. */
  doubtful?: string[];
  /** How often a worker took it. */
  started: number;
  /** How often its worker was gone. */
  stalled: number;
}

const PAGE = 1_000;
const asked = new Set(process.argv.slice(2));
const redis = connectRedis();
const queue = openQueue(redis);
const doubts = new Map<number, string[]>();
for (const { line, asset } of await readDoubts(redis)) doubts.set(line, [...(doubts.get(line) ?? []), asset]);

if (asked.has("--retry")) await queue.retryJobs({ state: "failed" });
else if (asked.has("--json"))
  for await (const job of jobs("completed", "failed")) console.log(JSON.stringify(lineOf(job)));
else await summarize();
await queue.close();
redis.disconnect();

async function summarize(): Promise<void> {
  const { completed = 0, failed = 0, active = 0, wait = 0, delayed = 0 } = await queue.getJobCounts();
  console.log(`${completed} uploaded, ${active} under way, ${wait + delayed} waiting, ${failed} set aside`);
  for await (const job of jobs("failed")) {
    const { line, failed: reason } = lineOf(job);
    if (reason !== undefined) console.log(`Line ${line}: ${reason}`);
  }
  for (const [line, ids] of doubts)
    for (const id of ids)
      console.log(`Line ${line}: an asset may exist besides (${id}). Look into the account`);
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
function lineOf({
  data,
  returnvalue,
  failedReason,
  attemptsStarted,
  stalledCounter,
}: Job<Video, Outcome>): VideoReport {
  const doubtful = doubts.get(data.line);
  return {
    line: data.line,
    ...(failedReason === undefined || failedReason === "" ? returnvalue : { failed: failedReason }),
    ...(doubtful && { doubtful }),
    started: attemptsStarted,
    stalled: stalledCounter,
  };
}

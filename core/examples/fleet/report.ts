/**
 * Tells what became of the list: how many are done and waiting, which were set aside and why, and which assets may exist
 * twice. `--json` gives a line of JSON for each video instead; `--retry` puts those that were set aside back into the queue.
 *
 *   REDIS_URL=redis://127.0.0.1:6379 tsx report.ts
 *
 * With UPCUT_ASSET_PATH, the service's path that reads an asset, and UPCUT_URL and UPCUT_TOKEN as workers have them, it also
 * tells the state of each such asset, and of the video's own.
 */
import process from "node:process";
import type { Job } from "bullmq";
import { createClient } from "../../mod.ts";
import { type AssetState, stateOf } from "./asset-state.ts";
import { notesOf } from "./notes.ts";
import { connectRedis, type Outcome, openQueue, setting, type Video } from "./settings.ts";

interface VideoReport extends Partial<Outcome>, Pick<Video, "line"> {
  /** Why it was set aside. */
  failed?: string;
  /** The state of those in `doubtful` that have an id, and of its own asset, where the service can be asked. */
  states?: (AssetState & { assetId: string })[];
  /** How often a worker took it. */
  started: number;
  /** How often its worker was gone. */
  stalled: number;
}

const PAGE = 1_000;
const asked = new Set(process.argv.slice(2));
const asset = process.env.UPCUT_ASSET_PATH;
const client =
  asset && createClient({ baseUrl: setting("UPCUT_URL"), token: setting("UPCUT_TOKEN"), paths: { asset } });
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
    const { line, assetId, failed: reason, doubtful = [], states = [] } = await lineOf(job);
    if (reason !== undefined) console.log(`Line ${line}: ${reason}`);
    const stateFor = (id?: string) => states.find((state) => state.assetId === id);
    for (const id of doubtful) {
      const words = stateFor(id)?.words;
      const facts = words === undefined ? id : `${id}: ${words}`;
      console.log(`Line ${line}: an asset may exist besides (${facts}). Look into the account`);
    }
    const own = stateFor(assetId);
    if (own === undefined || (own.isWhole && !own.hasFailed)) continue;
    const state = own.hasFailed ? "could not be processed" : "isn't whole";
    console.log(`Line ${line}: delete none of them, since its own asset ${assetId} ${state}: ${own.words}`);
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

/** Tells of a job without a secret: the address is left out. */
async function lineOf(job: Job<Video, Outcome>): Promise<VideoReport> {
  const { id = "", data, returnvalue, failedReason, attemptsStarted, stalledCounter } = job;
  const { line } = data;
  const counts = { started: attemptsStarted, stalled: stalledCounter };
  if (failedReason === undefined || failedReason === "") {
    const { assetId, doubtful } = returnvalue;
    return { line, ...returnvalue, ...counts, ...(await statesOf(doubtful, assetId)) };
  }
  const doubtful = await notesOf(redis, id).doubts();
  const found = doubtful.length > 0 && { doubtful, ...(await statesOf(doubtful)) };
  return { line, failed: failedReason, ...found, ...counts };
}

async function statesOf(doubtful: string[] = [], own?: string): Promise<Pick<VideoReport, "states">> {
  if (!client || doubtful.length === 0) return {};
  const states: VideoReport["states"] = [];
  for (const assetId of [...doubtful, ...(own === undefined ? [] : [own])])
    if (assetId !== "unknown") states.push({ assetId, ...(await stateOf(client, assetId)) });
  return { states };
}

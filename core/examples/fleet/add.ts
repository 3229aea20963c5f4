/**
 * Puts a list of addresses into the queue, one per line, from a file or the standard input. What is in the queue already, or
 * was uploaded, is not added again: run it as often as the list grows, or is signed again.
 *
 *   REDIS_URL=redis://127.0.0.1:6379 tsx add.ts list.txt
 *
 * A video that failed for a reason that may pass is tried six times (`--attempts 6`), 10 s, 20 s, … later.
 */
import { parseArgs } from "node:util";
import { addressesIn, type Listed } from "./list.ts";
import { connectRedis, openQueue } from "./settings.ts";

const BATCH = 500;
const RETRY_DELAY = 10_000;

const redis = connectRedis();
const queue = openQueue(redis);
const before = await queue.count();
const {
  values: { attempts },
  positionals: [path],
} = parseArgs({ allowPositionals: true, options: { attempts: { type: "string", default: "6" } } });

let read = 0;
let wrong = 0;
let batch: Parameters<typeof queue.addBulk>[0] = [];
for await (const listed of addressesIn(path)) {
  const { address, line } = listed;
  read++;
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) {
    wrong++;
    console.error(`Line ${line} is no http or https address`);
    continue;
  }
  batch.push(jobOf(listed));
  if (batch.length === BATCH) await flush();
}
await flush();
const more = (await queue.count()) - before;
console.log(`Read ${read} addresses, ${wrong} of them wrong. ${more} more are waiting`);
await queue.close();
redis.disconnect();

/** The same address is the same job, however it is signed. */
function jobOf({ address, line, id }: Listed): (typeof batch)[number] {
  const backoff = { type: "exponential", delay: RETRY_DELAY, jitter: 0.5 };
  const opts = { jobId: `v-${id}`, attempts: Number(attempts), backoff };
  return { name: "video", data: { address, line }, opts };
}

async function flush(): Promise<void> {
  const jobs = batch;
  batch = [];
  await Promise.all(jobs.map(renew));
  await queue.addBulk(jobs);
}

/** A job that is there already gets the address as it is signed now: the former signature may have expired. */
async function renew({ data, opts }: (typeof batch)[number]): Promise<void> {
  const job = await queue.getJob(opts?.jobId ?? "");
  if (job !== undefined && job.data.address !== data.address)
    await job.updateData({ ...job.data, address: data.address });
}

/**
 * A list on one machine, with neither Redis nor a queue: a few uploads at a time, and a journal in a folder. Stop it
 * or kill it, and run it again, several at a time if you like: what is unfinished is resumed, what was done before is told again,
 * and what failed is tried again.
 *
 *   UPCUT_URL=https://video.example UPCUT_TOKEN=<API_KEY> tsx local.ts list.txt
 */
import process from "node:process";
import { fileJournal } from "../../file.ts";
import { createClient, isUpcutError, type UploadItem, uploadAll } from "../../mod.ts";
import { addressesIn } from "./list.ts";

const [list] = process.argv.slice(2);
const { UPCUT_URL, UPCUT_TOKEN, UPCUT_JOURNAL = ".upcut/fleet", UPCUT_CONCURRENCY = "4" } = process.env;
if (list === undefined || UPCUT_URL === undefined || UPCUT_TOKEN === undefined) {
  console.error("Usage: UPCUT_URL=… UPCUT_TOKEN=… local.ts LIST, a file with one address per line");
  process.exit(2);
}
const stop = new AbortController();
process.once("SIGINT", () => stop.abort());

/** Each video of the list once. */
async function* videos(path: string): AsyncGenerator<UploadItem> {
  const seen = new Set<string>();
  for await (const { line, address, id } of addressesIn(path)) {
    if (!seen.has(id)) yield { source: () => new URL(address), data: line };
    seen.add(id);
  }
}

let failed = 0;
try {
  const client = createClient({ baseUrl: UPCUT_URL, token: UPCUT_TOKEN });
  const options = {
    concurrency: Number(UPCUT_CONCURRENCY),
    signal: stop.signal,
    journal: fileJournal(UPCUT_JOURNAL),
    once: true,
    // The next run tries again, and meanwhile another video has the place.
    retry: 6,
  };
  /** Uploaded once more although an asset may exist, since an earlier run was killed while it asked for one. */
  let again: UploadItem[] = [];
  /** Sources that were tried again, each once: a service whose answers are lost would make one asset after another. */
  const retried = new Set<UploadItem>();
  do {
    const items = retried.size === 0 ? videos(list) : again;
    again = [];
    for await (const { source, result, error } of uploadAll(client, items, options)) {
      if (error?.code === "asset-unknown" && !retried.has(source)) {
        retried.add(source);
        again.push(source);
      } else if (error !== undefined) failed++;
      const before = result?.uploadedBefore ? ", uploaded before" : "";
      console.log(`Line ${source.data}: ${error?.message ?? `asset ${result?.asset.id}${before}`}`);
    }
  } while (again.length > 0);
} catch (error) {
  if (stop.signal.aborted) console.error("Stopped. Run the same command again to resume");
  else if (isUpcutError(error)) console.error(error.message);
  else throw error;
  process.exitCode = stop.signal.aborted ? 130 : 2;
}
if (failed > 0) process.exitCode ??= 1;

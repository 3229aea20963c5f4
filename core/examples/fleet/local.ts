/**
 * The same on one machine, with neither Redis nor a queue: the list, a few uploads at a time, and a journal in a folder. Stop it
 * or kill it, and run it again, several at a time if you like: what is unfinished is resumed, what was done before is told again,
 * and what failed is tried again.
 *
 *   UPCUT_URL=https://video.example UPCUT_TOKEN=<API_KEY> tsx local.ts list.txt
 */
import { createReadStream } from "node:fs";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileJournal } from "../../file.ts";
import { createClient, type UploadItem, uploadAll } from "../../mod.ts";
import { idOf } from "./video-id.ts";

const [list] = process.argv.slice(2);
const { UPCUT_URL, UPCUT_TOKEN, UPCUT_JOURNAL = ".upcut/fleet", UPCUT_CONCURRENCY = "4" } = process.env;
if (list === undefined || UPCUT_URL === undefined || UPCUT_TOKEN === undefined) {
  console.error("Usage: UPCUT_URL=… UPCUT_TOKEN=… local.ts LIST, a file with one address per line");
  process.exit(2);
}
const stop = new AbortController();
process.once("SIGINT", () => stop.abort());
const client = createClient({ baseUrl: UPCUT_URL, token: UPCUT_TOKEN });
const journal = fileJournal(UPCUT_JOURNAL);

/** The videos of the list, each once; or those of some lines. */
async function* videos(path: string, lines?: ReadonlySet<number>): AsyncGenerator<UploadItem> {
  const seen = new Set<string>();
  let line = 0;
  for await (const text of createInterface({ input: createReadStream(path) })) {
    line++;
    const address = text.trim();
    const id = idOf(address);
    if (address === "" || address.startsWith("#") || seen.has(id)) continue;
    seen.add(id);
    if (lines?.has(line) !== false) yield { source: () => new URL(address), data: line };
  }
}

let failed = 0;
/** Lines to be uploaded although an asset may exist, since an earlier run was killed while it asked for one. */
let again: Set<number> | undefined;
/** Each of them once: a service whose answers are lost would make one asset after another. */
const retried = new Set<number>();
try {
  do {
    const items = videos(list, again);
    again = new Set();
    for await (const { source, result, error } of uploadAll(client, items, {
      concurrency: Number(UPCUT_CONCURRENCY),
      signal: stop.signal,
      journal,
      once: true,
      // The next run tries again, and meanwhile another video has the place.
      retry: { attempts: 6 },
    })) {
      const line = Number(source.data);
      const isDoubtful = error?.code === "asset-unknown";
      if (isDoubtful && !retried.has(line)) {
        retried.add(line);
        again.add(line);
      } else if (error !== undefined) failed++;
      const before = result?.uploadedBefore ? ", uploaded before" : "";
      console.log(`Line ${line}: ${error?.message ?? `asset ${result?.asset.id}${before}`}`);
    }
  } while (again.size > 0);
} catch (error) {
  if (!stop.signal.aborted) throw error;
  console.error("Stopped. Run the same command again to resume");
  process.exitCode = 130;
}
if (failed > 0) process.exitCode ??= 1;

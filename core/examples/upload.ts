/**
 * Uploads a video from the disk or an address, with a progress bar. Stop it with Ctrl-C and run it again: it
 * continues the same asset.
 *
 *   UPCUT_URL=https://video.example UPCUT_TOKEN=<API_KEY> deno run -A core/examples/upload.ts video.mp4
 */
import { homedir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { fileJournal, openFile } from "../file.ts";
import { createClient, isUpcutError, type Progress, upload } from "../mod.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    name: { type: "string" },
    direct: { type: "boolean", default: false },
    mp4: { type: "boolean", default: false },
    fresh: { type: "boolean", default: false },
  },
});
const [place] = positionals;
const { UPCUT_URL, UPCUT_TOKEN, UPCUT_JOURNAL = join(homedir(), ".upcut") } = process.env;
if (place === undefined || UPCUT_URL === undefined || UPCUT_TOKEN === undefined) {
  console.error("Usage: upload.ts FILE_OR_ADDRESS [--name NAME] [--mp4] [--direct] [--fresh]");
  console.error("UPCUT_URL is the service's address, UPCUT_TOKEN the account's token");
  process.exit(2);
}

const stop = new AbortController();
process.once("SIGINT", () => stop.abort());
const started = Date.now();
let lastStage = "";

try {
  const client = createClient({ baseUrl: UPCUT_URL, token: UPCUT_TOKEN });
  const source = /^https?:/.test(place) ? new URL(place) : await openFile(place);
  const { asset, task, size, resent, continued, duration } = await upload(client, source, {
    ...(values.name !== undefined && { name: values.name }),
    ...(values.mp4 && { staticMp4: true }),
    method: values.direct ? "direct" : "auto",
    fresh: values.fresh,
    journal: fileJournal(UPCUT_JOURNAL),
    signal: stop.signal,
    onProgress: show,
  });
  const again = resent > 0 ? `, ${megabytes(resent)} of them twice` : "";
  console.log(
    `\n${continued ? "Continued" : "Uploaded"} ${megabytes(size)} in ${(duration / 1000).toFixed(1)} s${again}`,
  );
  console.log(`Asset ${asset.id}${task?.id === undefined ? "" : `, task ${task.id}`}`);
} catch (error) {
  if (stop.signal.aborted) {
    console.error("\nStopped. Run the same command again to continue");
    process.exit(130);
  }
  if (!isUpcutError(error)) throw error;
  console.error(`\n${error.message}`);
  if (error.kept?.continues) {
    console.error(
      `Kept: asset ${error.kept.assetId} with ${megabytes(error.kept.bytes)}. Run the same command again to continue`,
    );
  }
  process.exit(1);
}

function show({ state, sent, total, fraction = 0, waiting }: Progress): void {
  const filled = Math.round(fraction * 30);
  const bar = "█".repeat(filled) + "░".repeat(30 - filled);
  const speed = sent / Math.max(1, Date.now() - started) / 1000;
  const amount = total === undefined ? megabytes(sent) : `${Math.floor(fraction * 100)} %`;
  const words = waiting === undefined ? `${state} · ${speed.toFixed(1)} MB/s` : `waiting: ${waiting.reason}`;
  if (process.stdout.isTTY) process.stdout.write(`\r${bar} ${amount} ${words}\u001b[K`);
  else if (isNews(`${state} ${Math.floor(fraction * 10)}`)) console.log(`${amount} ${words}`);
}

/** Without a terminal, each tenth is a line of its own. */
function isNews(stage: string): boolean {
  const news = stage !== lastStage;
  lastStage = stage;
  return news;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

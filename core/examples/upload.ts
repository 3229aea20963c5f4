/**
 * Uploads a video from the disk or an address, with a progress bar. Stop it with Ctrl-C and run it again: it
 * resumes the same asset.
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
    "new": { type: "boolean", default: false },
  },
});
const [video] = positionals;
const { UPCUT_URL, UPCUT_TOKEN, UPCUT_JOURNAL = join(homedir(), ".upcut") } = process.env;
if (video === undefined || UPCUT_URL === undefined || UPCUT_TOKEN === undefined) {
  console.error("Usage: upload.ts FILE_OR_ADDRESS [--name NAME] [--mp4] [--direct] [--new]");
  console.error("UPCUT_URL is the service's address, UPCUT_TOKEN the account's token");
  process.exit(2);
}

const stop = new AbortController();
process.once("SIGINT", () => stop.abort());
let lastStage = "";

try {
  const client = createClient({ baseUrl: UPCUT_URL, token: UPCUT_TOKEN });
  const source = /^https?:/.test(video) ? new URL(video) : await openFile(video);
  const { asset, task, size, resent, resumed, duration } = await upload(client, source, {
    ...(values.name !== undefined && { name: values.name }),
    ...(values.mp4 && { staticMp4: true }),
    method: values.direct ? "direct" : "auto",
    resume: !values.new,
    journal: fileJournal(UPCUT_JOURNAL),
    signal: stop.signal,
    onProgress: showProgress,
  });
  const again = resent > 0 ? `, ${megabytes(resent)} of them twice` : "";
  console.log(
    `\n${resumed ? "Resumed" : "Uploaded"} ${megabytes(size)} in ${(duration / 1000).toFixed(1)} s${again}`,
  );
  console.log(`Asset ${asset.id}${task?.id === undefined ? "" : `, task ${task.id}`}`);
} catch (error) {
  if (stop.signal.aborted) {
    console.error("\nStopped. Run the same command again to resume");
    process.exit(130);
  }
  if (!isUpcutError(error)) throw error;
  console.error(`\n${error.message}`);
  const { resume } = error;
  if (resume?.possible) {
    const what = `asset ${resume.assetId} with ${megabytes(resume.offset)}`;
    console.error(`Uploaded so far: ${what}. Run the same command again to resume`);
  }
  process.exit(1);
}

function showProgress({ state, sent, total, fraction = 0, speed, waiting }: Progress): void {
  const filled = Math.round(fraction * 30);
  const bar = "█".repeat(filled) + "░".repeat(30 - filled);
  const amount = total === undefined ? megabytes(sent) : `${Math.floor(fraction * 100)} %`;
  const pace = speed === undefined ? "" : ` · ${megabytes(speed)}/s`;
  const words = waiting === undefined ? `${state}${pace}` : `waiting: ${waiting.reason}`;
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

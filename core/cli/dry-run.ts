/**
 * The command `upload` with `--dry-run`: what it would upload. Files are looked at, and no server is asked.
 *
 * @module
 */

import { isUpcutError } from "../errors.ts";
import { runtimeFetch } from "../http/fetch.ts";
import { openSource } from "../source/open.ts";
import type { Arguments } from "./arguments.ts";
import { bytes, jsonLine, plain } from "./format.ts";
import { print, tell } from "./output.ts";
import { failureOf } from "./screen.ts";
import type { NamedVideo } from "./sources.ts";
import { NONE_FOUND, rulesOf, videosOf } from "./videos.ts";

/** Shows the videos, and returns the exit code. */
export async function runDryRun(given: Arguments, signal: AbortSignal): Promise<number> {
  const { json, quiet } = given;
  const count = { videos: 0, bytes: 0, failed: 0 };
  for await (const video of videosOf(given.operands, rulesOf(given))) {
    signal.throwIfAborted();
    const { label: source, size } = video;
    try {
      await look(video, signal);
      count.videos++;
      count.bytes += size ?? 0;
      const sentence = `Would upload ${source}${size === undefined ? "" : ` (${bytes(size)})`}`;
      if (json) print(jsonLine({ event: "would-upload", source, size }));
      else if (!quiet) print(`${plain(sentence)}\n`);
    } catch (error) {
      if (!isUpcutError(error)) throw error;
      count.failed++;
      if (json) print(jsonLine({ event: "failed", source, error: error.toJSON() }));
      else tell(`${plain(failureOf(source, error.message))}\n`);
    }
  }
  const found = count.videos + count.failed > 0;
  const failed = count.failed > 0 ? `; ${count.failed} would fail` : "";
  const videos = count.videos === 1 ? "1 video" : `${count.videos} videos`;
  const sentence = `${videos}, ${bytes(count.bytes)}${failed}. Those that are there already will be left out`;
  if (json) print(jsonLine({ event: "summary", ...count }));
  else if (!found) tell(`${NONE_FOUND}\n`);
  else if (!quiet) tell(`${sentence}\n`);
  return found && count.failed === 0 ? 0 : 1;
}

/** Fails where the upload would before anything is sent. */
async function look({ isLocal, filename, open }: NamedVideo, signal: AbortSignal): Promise<void> {
  if (!isLocal) return;
  const named = filename === undefined ? {} : { filename };
  await (await openSource(await open(), named, { fetch: runtimeFetch, signal })).close();
}

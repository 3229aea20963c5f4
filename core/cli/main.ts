#!/usr/bin/env node
/**
 * The command line of this module, one program for Node, Bun and Deno: uploads videos, and ends live streams.
 *
 *   npx @upcut/core upload video.mp4
 *   bunx @upcut/core upload video.mp4
 *   deno run -A jsr:@upcut/core/cli upload video.mp4
 *
 * @module
 */

import process from "node:process";
import { isUpcutError, type UpcutError } from "../errors.ts";
import { openAccount } from "./account.ts";
import { type Arguments, readArguments, UsageError } from "./arguments.ts";
import { jsonLine, plain } from "./format.ts";
import { HELP } from "./help.ts";
import { inOwnOptions } from "./own-options.ts";
import { exitCodeOf, Stopped, stopSignal } from "./stop.ts";
import { runTerminate } from "./terminate.ts";
import { runDiscard, runList } from "./unfinished.ts";
import { runUpload } from "./upload.ts";
import { VERSION } from "./version.ts";

// Whoever reads the output may stop doing so: what goes on is the upload.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

process.exitCode = await main(process.argv.slice(2));
await Promise.all([process.stdout, process.stderr].map(flushed));
// A list that is still open, or a connection that is kept, keeps nobody waiting.
process.exit();

async function main(words: string[]): Promise<number> {
  let json = false;
  try {
    const given = readArguments(words);
    json = given.json;
    return await run(given);
  } catch (error) {
    if (error instanceof UsageError) {
      process.stderr.write(`upcut: ${plain(error.message)}. See upcut --help\n`);
      return 2;
    }
    if (error instanceof Stopped) return exitCodeOf(error);
    if (!isUpcutError(error)) throw error;
    tell(error, json);
    return error.code === "invalid-option" ? 2 : 1;
  }
}

async function run(given: Arguments): Promise<number> {
  const { command } = given;
  if (command === "help" || command === "version") {
    process.stdout.write(command === "help" ? HELP : `${VERSION}\n`);
    return 0;
  }
  if (command === "list") return await runList(given);
  const account = await openAccount(given);
  const signal = stopSignal();
  if (command === "upload") return await runUpload(account, given, signal);
  if (command === "discard") return await runDiscard(account, given, signal);
  return await runTerminate(account, given, signal);
}

function tell(error: UpcutError, json: boolean): void {
  if (json) process.stdout.write(jsonLine({ event: "failed", error: error.toJSON() }));
  else process.stderr.write(`${plain(inOwnOptions(error.message))}\n`);
}

/** Waits until what was printed has left, since the process ends at once after that. */
function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write("", () => resolve());
  });
}

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
import { commandWords } from "../disk/system.ts";
import { endStream } from "../end-stream.ts";
import { isUpcutError } from "../errors/errors.ts";
import { keepEndPath, openClient } from "./account.ts";
import { type Arguments, readArguments } from "./arguments.ts";
import type { Command, SHELLS } from "./commands.ts";
import { completionFor } from "./completion.ts";
import { runDryRun } from "./dry-run.ts";
import { plain } from "./format.ts";
import { helpOf } from "./help.ts";
import { runLogin, runLogout, runWhoami } from "./login.ts";
import { flushOutput, logTo, print, printFailure, printNote, printResult, stopWithOutput } from "./output.ts";
import { inOwnOptions } from "./own-options.ts";
import { checkAssetPath, runStatus } from "./status.ts";
import { exitCodeOf, Stopped, stopAfter, stopOnSignals } from "./stop.ts";
import { runDiscard, runList } from "./unfinished.ts";
import { runUpload } from "./upload.ts";
import { UsageError } from "./usage-error.ts";
import { verboseHooks } from "./verbose.ts";
import { VERSION } from "./version.ts";

const stopper = new AbortController();
const leaveOutput = stopWithOutput(stopper);
const code = await main(commandWords());
await flushOutput(stopper);
leaveOutput();
const { reason } = stopper.signal;
// A result that is lost is a failure, though its work was done.
process.exitCode = code === 0 && reason instanceof Stopped ? exitCodeOf(reason) : code;
// A list that is still open, or a connection that is kept, keeps nobody waiting.
process.exit();

async function main(words: string[]): Promise<number> {
  let json = false;
  try {
    const given = readArguments(words);
    json = given.json;
    return await run(given, stopper.signal);
  } catch (error) {
    if (error instanceof UsageError) {
      const { message } = error;
      const advice = `upcut: ${plain(message)}${message.endsWith("?") ? "" : "."} See upcut --help\n`;
      printNote(words.length === 0 ? helpOf() : advice);
      return 2;
    }
    if (error instanceof Stopped) return exitCodeOf(error);
    if (!isUpcutError(error)) throw error;
    printFailure(json, error, inOwnOptions(error.message));
    return error.code === "invalid-option" ? 2 : 1;
  }
}

async function run(given: Arguments, signal: AbortSignal): Promise<number> {
  const { command, operands, dryRun, maxDuration, logFile } = given;
  if (logFile !== undefined) logTo(logFile);
  if (command === "help") return printed(helpOf(operands[0] as Command | undefined));
  if (command === "version") return printed(`${VERSION}\n`);
  if (command === "completion") return printed(completionFor(operands[0] as (typeof SHELLS)[number]));
  if (command === "list") return await runList(given);
  if (command === "login") return await runLogin(given, signal);
  if (command === "logout") return await runLogout(given);
  if (command === "whoami") return await runWhoami(given, signal);
  if (dryRun) return await runDryRun(given, signal);
  const [reading] = (["verify", "move", "wait"] as const).filter((name) => given[name]);
  const hooks = given.verbose ? verboseHooks() : undefined;
  const account = await openClient(given, hooks);
  if (reading !== undefined || command === "status")
    checkAssetPath(account, reading ? `--${reading}` : command);
  stopOnSignals(stopper);
  if (maxDuration !== undefined) stopAfter(stopper, maxDuration);
  if (command === "upload") return await runUpload(account, given, stopper, hooks);
  if (command === "status") return await runStatus(account, given, signal);
  if (command === "discard") return await runDiscard(account, given, signal);
  command satisfies "terminate";
  const [id = ""] = operands;
  await endStream(account, id, (terminate) => keepEndPath(given, terminate), { signal });
  const sentence = `Ended ${id}, if it was live. The streamer can start again at once`;
  printResult(given.json, { event: "terminated", id }, sentence);
  return 0;
}

function printed(text: string): number {
  print(text);
  return 0;
}

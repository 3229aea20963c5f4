/** The two outputs, and the end of a command whose results can't be written. */
import { openSync, writeSync } from "node:fs";
import process from "node:process";
import { setImmediate } from "node:timers";
import { stripVTControlCharacters } from "node:util";
import type { UpcutError } from "../errors/errors.ts";
import { codeOf } from "../errors/unexpected-failure.ts";
import { dateNow } from "../time/clock.ts";
import { jsonLine, plain } from "./format.ts";
import { Stopped } from "./stop.ts";
import { UsageError } from "./usage-error.ts";

/** The file of `--log-file`. */
let log: number | undefined;
/** True while lines are for that file alone. */
let isMuted = false;

/** @throws {UsageError} where it can't be written */
export function logTo(file: string): void {
  try {
    log = openSync(file, "a", 0o600);
  } catch (error) {
    throw new UsageError(`the --log-file can't be written (${codeOf(error) ?? "unknown reason"})`);
  }
}

/** Does work whose lines are for the file of `--log-file` alone. */
export function onlyLogged(work: () => void): void {
  if (log === undefined) return;
  isMuted = true;
  try {
    work();
  } finally {
    isMuted = false;
  }
}

export function print(text: string): void {
  tell(process.stdout, text);
}

export function printNote(text: string): void {
  tell(process.stderr, text);
}

function tell(stream: NodeJS.WriteStream, text: string): void {
  if (!isMuted) write(stream, text);
  if (log === undefined) return;
  const at = new Date(dateNow()).toISOString();
  const lines = stripVTControlCharacters(text).replace(/^(?=.)/gm, `${at} `);
  try {
    writeSync(log, lines);
  } catch (error) {
    log = undefined;
    printNote(`Cannot write the --log-file any more (${codeOf(error) ?? "unknown reason"})\n`);
  }
}

/** Writes text that is drawn anew in a moment. */
export function drawOnScreen(text: string): void {
  write(process.stderr, text);
}

export function printResult(json: boolean, record: object, sentence: string): void {
  print(json ? jsonLine(record) : `${plain(sentence)}\n`);
}

export function printFailure(json: boolean, error: UpcutError, sentence: string, facts?: object): void {
  if (json) print(jsonLine({ event: "failed", ...facts, error: error.toJSON() }));
  else printNote(`${plain(sentence)}\n`);
}

/** Deno throws at once what other runtimes tell as an event. */
function write(stream: NodeJS.WriteStream, text: string): void {
  try {
    stream.write(text);
  } catch (error) {
    stream.emit("error", error);
  }
}

/** Stops the work as soon as a result can't be written: nobody would learn of those that follow. */
export function stopWithOutput(stopper: AbortController): () => void {
  const fail = (error: unknown) => {
    const code = codeOf(error);
    // The reader has what it wanted, as `head` does.
    if (code === "EPIPE") return stopper.abort(new Stopped("SIGPIPE"));
    if (stopper.signal.aborted) return;
    const reason = code === "ENOSPC" ? "the disk is full" : "writing failed";
    printNote(`Cannot write the output: ${reason}${code === undefined ? "" : ` (${code})`}\n`);
    stopper.abort(new Stopped("output"));
  };
  // Nobody can be told that the standard error fails.
  const ignore = () => {};
  process.stdout.on("error", fail);
  process.stderr.on("error", ignore);
  return () => {
    process.stdout.off("error", fail);
    process.stderr.off("error", ignore);
  };
}

/** Waits until both outputs are written; in some runtimes, a stream that couldn't be written tells no end. */
export async function flushOutput({ signal }: AbortController): Promise<void> {
  const { reason } = signal;
  const hasFailed = reason instanceof Stopped && (reason.by === "SIGPIPE" || reason.by === "output");
  await Promise.all([...(hasFailed ? [] : [process.stdout]), process.stderr].map(flushed));
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      stream.off("error", end);
      resolve();
    };
    stream.on("error", end);
    // Bun tells a failure after it has called back.
    stream.write("", () => void setImmediate(end));
  });
}

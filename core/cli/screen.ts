/**
 * What an upload shows while it runs: rows that are redrawn on a terminal, plain lines elsewhere, or JSON lines.
 *
 * @module
 */

import process from "node:process";
import type { UpcutError } from "../errors.ts";
import type { UploadAllProgress } from "../many/total-progress.ts";
import type { Progress } from "../progress/progress.ts";
import { excerpt } from "../redaction/redaction.ts";
import type { UploadResult } from "../upload.ts";
import { bytes, jsonLine, plain, reasonOf, time } from "./format.ts";
import { inOwnOptions } from "./own-options.ts";
import { terminalRows } from "./terminal.ts";

/** An upload on the screen. */
export interface ShownUpload {
  /** What the person calls it; others may have the same. */
  label: string;
  /** Its place in the list, from 1. */
  number: number;
}

/** What is told of uploads. */
export interface Screen {
  progress(upload: ShownUpload, progress: Progress): void;
  total(progress: UploadAllProgress): void;
  uploaded(upload: ShownUpload, result: UploadResult): void;
  failed(upload: ShownUpload, error: UpcutError): void;
  /** It was uploaded before. */
  leftOut(upload: ShownUpload, assetId: string): void;
  /** A sentence for the person. */
  say(event: string, sentence: string): void;
  close(): void;
}

/**
 * Chooses by where the output goes.
 *
 * @param secrets what the service was sent, and may have put into the ids that it chose
 */
export function openScreen(json: boolean, secrets: () => string[]): Screen {
  const shown = (id: string) => excerpt(id, secrets());
  if (json) return withIds(jsonScreen(shown), shown);
  return withIds(process.stderr.isTTY === true ? terminalScreen() : lineScreen(), shown);
}

function withIds(screen: Screen, shown: (id: string) => string): Screen {
  return {
    ...screen,
    uploaded(upload, { asset, task, ...result }) {
      const taskId = typeof task?.id === "string" && { id: shown(task.id) };
      const ids = { asset: { ...asset, id: shown(asset.id) }, task: task && { ...task, ...taskId } };
      screen.uploaded(upload, { ...result, ...ids });
    },
    leftOut: (upload, assetId) => screen.leftOut(upload, shown(assetId)),
  };
}

/** Milliseconds between two JSON reports of the same upload. */
const JSON_INTERVAL = 1_000;

function jsonScreen(shown: (id: string) => string): Screen {
  const told = new Map<number, { at: number; state: string }>();
  const print = (event: string, fields: object) => void process.stdout.write(jsonLine({ event, ...fields }));
  const isDue = (what: number, state: string) => {
    const last = told.get(what);
    const at = performance.now();
    if (last !== undefined && last.state === state && at - last.at < JSON_INTERVAL) return false;
    told.set(what, { at, state });
    return true;
  };
  return {
    progress({ label: source, number }, { state, asset, ...rest }) {
      if (!isDue(number, state)) return;
      print("progress", { source, number, state, assetId: asset && shown(asset.id), ...rest });
    },
    total(progress) {
      if (isDue(0, `${progress.uploaded + progress.failed}`)) print("total", progress);
    },
    uploaded({ label: source, number }, { asset, task, size, resumed, duration }) {
      told.delete(number);
      print("uploaded", { source, number, assetId: asset.id, taskId: task?.id, size, resumed, duration });
    },
    failed({ label: source, number }, error) {
      told.delete(number);
      print("failed", { source, number, error: error.toJSON() });
    },
    leftOut: ({ label: source, number }, assetId) => print("left-out", { source, number, assetId }),
    say: (event, message) => print(event, { message }),
    close() {},
  };
}

/** Results on the standard output, which may be a file, and the rest where a person looks. */
const results = {
  uploaded({ label }: ShownUpload, { asset, size, resumed, duration }: UploadResult): string {
    const how = resumed ? "Resumed" : "Uploaded";
    return plain(`${how} ${label}: asset ${asset.id} (${bytes(size)} in ${time(duration)})`);
  },
  leftOut({ label }: ShownUpload, assetId: string): string {
    return plain(`Uploaded before ${label}: asset ${assetId}`);
  },
  failed({ label }: ShownUpload, { message, resume }: UpcutError): string {
    const kept = resume?.possible
      ? `. ${bytes(resume.offset)} are uploaded: the same command resumes from there`
      : "";
    return plain(`Failed ${label}: ${inOwnOptions(message)}${kept}`);
  },
};

function terminalScreen(): Screen {
  const rows = terminalRows();
  return {
    progress: (upload, progress) => rows.update(upload, progress),
    total: (progress) => rows.total(progress),
    uploaded(upload, result) {
      rows.remove(upload);
      rows.above(() => process.stdout.write(`${results.uploaded(upload, result)}\n`));
    },
    failed(upload, error) {
      rows.remove(upload);
      rows.above(() => process.stderr.write(`${rows.red(results.failed(upload, error))}\n`));
    },
    leftOut(upload, assetId) {
      rows.remove(upload);
      rows.above(() => process.stdout.write(`${results.leftOut(upload, assetId)}\n`));
    },
    say: (_, sentence) => rows.above(() => process.stderr.write(`${sentence}\n`)),
    close: () => rows.close(),
  };
}

/** Milliseconds between two lines about all uploads. */
const LINE_INTERVAL = 10_000;

function lineScreen(): Screen {
  let told = performance.now();
  const waiting = new Map<number, string>();
  const tell = (line: string) => void process.stderr.write(`${plain(line)}\n`);
  return {
    progress({ label, number }, { waiting: now }) {
      const reason = now?.reason;
      // Settling is a matter of a second.
      if (reason !== undefined && reason !== "settling" && waiting.get(number) !== reason)
        tell(`${label} waits: ${reasonOf(reason)}`);
      if (reason === undefined) waiting.delete(number);
      else waiting.set(number, reason);
    },
    total({ uploaded, failed, sources, sent, speed, timeLeft }) {
      if (performance.now() - told < LINE_INTERVAL) return;
      told = performance.now();
      const count = `${uploaded + failed} of ${sources ?? "?"}`;
      const pace = speed === undefined ? "" : `, ${bytes(speed)}/s`;
      tell(`${count} done, ${bytes(sent)}${pace}${timeLeft === undefined ? "" : `, ${time(timeLeft)} left`}`);
    },
    uploaded(upload, result) {
      waiting.delete(upload.number);
      process.stdout.write(`${results.uploaded(upload, result)}\n`);
    },
    failed(upload, error) {
      waiting.delete(upload.number);
      tell(results.failed(upload, error));
    },
    leftOut: (upload, assetId) => void process.stdout.write(`${results.leftOut(upload, assetId)}\n`),
    say: (_, sentence) => tell(sentence),
    close() {},
  };
}

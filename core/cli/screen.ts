/** The screen of running uploads: rows that are redrawn on a terminal, plain lines elsewhere, or JSON lines. */
import process from "node:process";
import type { UpcutError } from "../errors.ts";
import type { Progress } from "../progress/progress.ts";
import { excerpt } from "../redaction/redaction.ts";
import type { UploadResult } from "../upload.ts";
import { bytes, jsonLine, plain, time } from "./format.ts";
import { print, tell } from "./output.ts";
import { inOwnOptions } from "./own-options.ts";
import { Standstill } from "./standstill.ts";
import { outcomeOf, paceOf, type Totals } from "./tally.ts";
import { terminalRows } from "./terminal.ts";

/** An upload on the screen. */
export interface ShownUpload {
  /** The person's word for it; others may have the same. */
  label: string;
  /** Its place in the list, from 1. */
  number: number;
}

/** Reports of uploads. */
export interface Screen {
  progress(upload: ShownUpload, progress: Progress): void;
  total(totals: Totals): void;
  uploaded(upload: ShownUpload, result: UploadResult): void;
  failed(upload: ShownUpload, error: UpcutError): void;
  /** It was uploaded before. */
  alreadyThere(upload: ShownUpload, result: UploadResult): void;
  /** A sentence for the person, and for programs the facts in it. */
  say(event: string, sentence: string, facts?: object): void;
  /** One that belongs to a failure. */
  warn(event: string, sentence: string, facts?: object): void;
  close(): void;
}

/**
 * Chooses by where the output goes.
 *
 * @param secrets what the service was sent, and may have put into the ids that it chose
 */
export function openScreen(
  { json, quiet }: { json: boolean; quiet: boolean },
  secrets: () => string[],
): Screen {
  const shown = (id: string) => excerpt(id, secrets());
  const rows = quiet || process.stderr.isTTY !== true ? lineScreen() : terminalScreen();
  const screen = withIds(json ? jsonScreen(shown) : rows, shown);
  if (!quiet) return screen;
  const nothing = () => {};
  const unverified = (print: Screen["uploaded"]): Screen["uploaded"] => {
    return (upload, result) => (result.verified === false ? print(upload, result) : undefined);
  };
  const { uploaded, alreadyThere } = screen;
  const results = json ? {} : { uploaded: unverified(uploaded), alreadyThere: unverified(alreadyThere) };
  return { ...screen, progress: nothing, total: nothing, say: nothing, ...results };
}

function withIds(screen: Screen, shown: (id: string) => string): Screen {
  const withShown = ({ asset, task, ...result }: UploadResult): UploadResult => {
    const taskId = typeof task?.id === "string" && { id: shown(task.id) };
    return { ...result, asset: { ...asset, id: shown(asset.id) }, task: task && { ...task, ...taskId } };
  };
  return {
    ...screen,
    uploaded: (upload, result) => screen.uploaded(upload, withShown(result)),
    alreadyThere: (upload, result) => screen.alreadyThere(upload, withShown(result)),
  };
}

/** Milliseconds between two JSON reports of the same upload. */
const JSON_INTERVAL = 1_000;

function jsonScreen(shown: (id: string) => string): Screen {
  const told = new Map<number, { at: number; state: string }>();
  const printEvent = (event: string, fields: object) => print(jsonLine({ event, ...fields }));
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
      printEvent("progress", { source, number, state, assetId: asset && shown(asset.id), ...rest });
    },
    total(totals) {
      if (isDue(0, outcomeOf(totals))) printEvent("total", totals);
    },
    uploaded({ label: source, number }, { asset, task, size, resumed, duration, verified, notVerified }) {
      told.delete(number);
      const facts = { size, resumed, duration, verified, notVerified };
      printEvent("uploaded", { source, number, assetId: asset.id, taskId: task?.id, ...facts });
    },
    failed({ label: source, number }, error) {
      told.delete(number);
      printEvent("failed", { source, number, error: error.toJSON() });
    },
    alreadyThere({ label: source, number }, { asset, verified, notVerified }) {
      told.delete(number);
      printEvent("already-there", { source, number, assetId: asset.id, verified, notVerified });
    },
    say: (event, message, facts) => printEvent(event, { message, ...facts }),
    warn: (event, message, facts) => printEvent(event, { message, ...facts }),
    close() {},
  };
}

/** Results on the standard output, which may be a file, and the rest where a person looks. */
const results = {
  uploaded({ label }: ShownUpload, { asset, size, resumed, duration, ...result }: UploadResult): string {
    const how = resumed ? "Resumed" : "Uploaded";
    const amount = `${bytes(size)} in ${time(duration)}`;
    return plain(`${how} ${label}: asset ${asset.id} (${amount})${verdictOf(result)}`);
  },
  alreadyThere({ label }: ShownUpload, { asset, ...result }: UploadResult): string {
    return plain(`Already there ${label}: asset ${asset.id}${verdictOf(result)}`);
  },
  failed({ label }: ShownUpload, { message, resume }: UpcutError): string {
    const kept = resume?.possible
      ? `. ${bytes(resume.offset)} are uploaded: the same command resumes from there`
      : "";
    return plain(`Failed ${failureOf(label, message)}${kept}`);
  },
};

/** How what is stored was compared, where that was asked for. */
function verdictOf({ verified, notVerified = "" }: Pick<UploadResult, "verified" | "notVerified">): string {
  if (verified === undefined) return "";
  if (verified === false) return `, not verified: ${inOwnOptions(notVerified)}`;
  return verified === "size" ? ", verified by its size alone" : `, verified by ${verified}`;
}

/** A failure by the path that was named, in place of the name in the module's own sentence. */
export function failureOf(label: string, message: string): string {
  const reason = message.replace(/^Cannot (discard|open|read|upload)( "(?:[^"\\]|\\.)*")?: /, "");
  return `${label}: ${inOwnOptions(reason)}`;
}

function terminalScreen(): Screen {
  const rows = terminalRows();
  const say = (sentence: string) => rows.above(() => tell(`${plain(sentence)}\n`));
  return {
    progress: (upload, progress) => rows.update(upload, progress),
    total: (totals) => rows.total(totals),
    uploaded(upload, result) {
      rows.remove(upload);
      rows.above(() => print(`${results.uploaded(upload, result)}\n`));
    },
    failed(upload, error) {
      rows.remove(upload);
      rows.above(() => tell(`${rows.red(results.failed(upload, error))}\n`));
    },
    alreadyThere(upload, result) {
      rows.remove(upload);
      rows.above(() => print(`${results.alreadyThere(upload, result)}\n`));
    },
    say: (_, sentence) => say(sentence),
    warn: (_, sentence) => say(sentence),
    close: () => rows.close(),
  };
}

/** Milliseconds between two lines about all uploads. */
const LINE_INTERVAL = 60_000;

function lineScreen(): Screen {
  let told = performance.now();
  const standstill = new Standstill();
  const say = (line: string) => tell(`${plain(line)}\n`);
  return {
    progress({ label, number }, progress) {
      const words = standstill.note(number, progress, performance.now());
      if (words !== undefined) say(`${label} ${words}`);
    },
    total(totals) {
      if (performance.now() - told < LINE_INTERVAL) return;
      told = performance.now();
      say(`${outcomeOf(totals, totals.sources ?? "?")}: ${paceOf(totals)}`);
    },
    uploaded(upload, result) {
      standstill.end(upload.number);
      print(`${results.uploaded(upload, result)}\n`);
    },
    failed(upload, error) {
      standstill.end(upload.number);
      tell(`${results.failed(upload, error)}\n`);
    },
    alreadyThere(upload, result) {
      standstill.end(upload.number);
      print(`${results.alreadyThere(upload, result)}\n`);
    },
    say: (_, sentence) => say(sentence),
    warn: (_, sentence) => say(sentence),
    close() {},
  };
}

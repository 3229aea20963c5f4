/** The screen of running uploads: rows that are redrawn on a terminal, plain lines elsewhere, or JSON lines. */
import type { UpcutError } from "../errors/errors.ts";
import type { Totals } from "../many/total-progress.ts";
import type { Progress } from "../progress/progress.ts";
import { excerpt } from "../redaction/redaction.ts";
import { steadyNow } from "../time/clock.ts";
import type { UploadResult } from "../upload.ts";
import { bytes, jsonLine, plain, time } from "./format.ts";
import { plainLines } from "./lines.ts";
import { onlyLogged, print, printFailure, printNote } from "./output.ts";
import { inOwnOptions } from "./own-options.ts";
import { outcomeOf } from "./tally.ts";
import { canRedraw, type Rows, type ShownUpload, terminalRows } from "./terminal.ts";

export interface Screen {
  progress(upload: ShownUpload, progress: Progress): void;
  total(totals: Totals): void;
  uploaded(upload: ShownUpload, result: UploadResult): void;
  failed(upload: ShownUpload, error: UpcutError): void;
  alreadyThere(upload: ShownUpload, result: UploadResult): void;
  say(event: string, sentence: string, facts?: object): void;
  warn(event: string, sentence: string, facts?: object): void;
  close(): void;
}

/** An id that the service chose, without what it was sent. */
type ShowId = (id: string) => string;

/** @param secrets what the service was sent, and may have put into the ids that it chose */
export function openScreen(
  { json, quiet }: { json: boolean; quiet: boolean },
  secrets: () => string[],
): Screen {
  const shown: ShowId = (id) => excerpt(id, secrets());
  const rows = quiet || !canRedraw() ? plainLines() : terminalRows();
  const screen = json ? jsonScreen(shown) : textScreen(rows, shown);
  if (!quiet) return screen;
  const logged =
    <Facts extends unknown[]>(print: (...facts: Facts) => void) =>
    (...facts: Facts) =>
      onlyLogged(() => print(...facts));
  const doubtful = (print: Screen["uploaded"]): Screen["uploaded"] => {
    const isDoubtful = ({ verified, remembered }: UploadResult) => verified === false || remembered === false;
    return (upload, result) => (isDoubtful(result) ? print : logged(print))(upload, result);
  };
  const { progress, total, say, uploaded, alreadyThere } = screen;
  const results = { uploaded: doubtful(uploaded), alreadyThere: doubtful(alreadyThere) };
  return { ...screen, progress: logged(progress), total: logged(total), say: logged(say), ...results };
}

/** Milliseconds between two JSON reports of the same upload. */
const JSON_INTERVAL = 1_000;

function jsonScreen(shown: ShowId): Screen {
  const told = new Map<number, { at: number; state: string }>();
  const printEvent = (event: string, fields: object) => print(jsonLine({ event, ...fields }));
  const isDue = (what: number, state: string) => {
    const last = told.get(what);
    const at = steadyNow();
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
    uploaded({ label: source, number }, result) {
      told.delete(number);
      const { asset, task, size, resumed, duration, verified, notVerified, remembered } = result;
      const ids = { assetId: shown(asset.id), taskId: task?.id && shown(`${task.id}`) };
      const facts = { size, resumed, duration, verified, notVerified, remembered };
      printEvent("uploaded", { source, number, ...ids, ...facts });
    },
    failed({ label: source, number }, error) {
      told.delete(number);
      printFailure(true, error, "", { source, number });
    },
    alreadyThere({ label: source, number }, { asset, verified, notVerified }) {
      told.delete(number);
      printEvent("already-there", { source, number, assetId: shown(asset.id), verified, notVerified });
    },
    say: (event, message, facts) => printEvent(event, { message, ...facts }),
    warn: (event, message, facts) => printEvent(event, { message, ...facts }),
    close() {},
  };
}

/** Results go to the standard output, which may be a file, and the rest where a person looks. */
function textScreen(rows: Rows, shown: ShowId): Screen {
  const say: Screen["say"] = (_, sentence) => rows.above(() => printNote(`${plain(sentence)}\n`));
  const end = (upload: ShownUpload, write: () => void) => {
    rows.remove(upload);
    rows.above(write);
  };
  const printResult = (upload: ShownUpload, sentence: string, result: UploadResult) =>
    end(upload, () => print(`${plain(`${sentence}${verdictOf(result)}`)}\n`));
  return {
    progress: (upload, progress) => rows.update(upload, progress),
    total: (totals) => rows.total(totals),
    uploaded(upload, result) {
      const { asset, size, resumed, duration } = result;
      const what = `${resumed ? "Resumed" : "Uploaded"} ${upload.label}: asset ${shown(asset.id)}`;
      printResult(upload, `${what} (${bytes(size)} in ${time(duration)})`, result);
    },
    failed(upload, { message, resume }) {
      const kept = resume?.possible
        ? `. ${bytes(resume.offset)} are uploaded: the same command resumes from there`
        : "";
      const sentence = plain(`Failed ${failureOf(upload.label, message)}${kept}`);
      end(upload, () => printNote(`${rows.red(sentence)}\n`));
    },
    alreadyThere(upload, result) {
      printResult(upload, `Already there ${upload.label}: asset ${shown(result.asset.id)}`, result);
    },
    say,
    warn: say,
    close: () => rows.close(),
  };
}

/** How what is stored was compared, where that was asked for, and a journal that couldn't be written. */
function verdictOf({ verified, notVerified = "", remembered }: UploadResult): string {
  const forgotten =
    remembered === false ? ". The journal can't be written: the same command would upload it again" : "";
  if (verified === undefined) return forgotten;
  if (verified === false) return `, not verified: ${inOwnOptions(notVerified)}${forgotten}`;
  return `, verified by ${verified === "size" ? "its size alone" : verified}${forgotten}`;
}

/** A failure by the path that was named, in place of the name in the module's own sentence. */
export function failureOf(label: string, message: string): string {
  const reason = message.replace(/^Cannot (discard|open|read|upload)( "(?:[^"\\]|\\.)*")?: /, "");
  return `${label}: ${inOwnOptions(reason)}`;
}

/** Rows at the bottom of a terminal that are redrawn a few times a second, with other lines above them. */
import process from "node:process";
import { styleText } from "node:util";
import { variable } from "../disk/system.ts";
import type { Totals } from "../many/total-progress.ts";
import type { Progress } from "../progress/progress.ts";
import { bytes, plain, reasonOf, short, time } from "./format.ts";
import { printNote } from "./output.ts";
import { outcomeOf, paceOf } from "./tally.ts";

/** Milliseconds between two drawings. */
const DRAW_INTERVAL = 100;
const BAR_WIDTH = 20;
const LONGEST_LABEL = 30;

export interface ShownUpload {
  /** The person's word for it; others may have the same. */
  label: string;
  number: number;
}

/** The rows of uploads under way, and one of all of them. Rows of one label are told apart by the object. */
export interface Rows {
  update(upload: ShownUpload, progress: Progress): void;
  remove(upload: ShownUpload): void;
  total(totals: Totals): void;
  above(print: () => void): void;
  red(text: string): string;
  close(): void;
}

/** Draws on the standard error, which is a terminal. */
export function terminalRows(): Rows {
  const { stderr } = process;
  const uploads = new Map<ShownUpload, Progress>();
  const hasColours = !variable("NO_COLOR") && variable("TERM") !== "dumb";
  // Node would judge by the standard output, which may be a file, and by the variable CI.
  const style = (format: "red" | "dim" | "green", text: string) =>
    hasColours ? styleText(format, text, { validateStream: false }) : text;
  let all: Totals | undefined;
  let drawn = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const erase = () => {
    // The cursor goes to the first row, and everything from there on is cleared.
    if (drawn > 0) printNote(`\u001b[${drawn}A\r\u001b[J`);
    drawn = 0;
  };
  const draw = () => {
    timer = undefined;
    const most = Math.max(1, (stderr.rows ?? 24) - 2);
    const sorted = [...uploads].sort(([a], [b]) => a.number - b.number);
    const rows = sorted.slice(0, most).map(([{ label }, progress]) => uploadRow(label, progress));
    // The row of all would say the same again of a single video.
    if (all !== undefined && all.sources !== 1)
      rows.push(row(outcomeOf(all, all.sources ?? "?"), all, paceOf(all)));
    erase();
    // A row that is longer than the terminal is wide must stay one row.
    printNote(`\u001b[?7l${rows.map((row) => `${row}\n`).join("")}\u001b[?7h`);
    drawn = rows.length;
  };
  const soon = () => {
    timer ??= setTimeout(draw, DRAW_INTERVAL);
  };

  const row = (name: string, { fraction, sent }: Pick<Progress, "fraction" | "sent">, words: string) => {
    const filled = Math.round((fraction ?? 0) * BAR_WIDTH);
    const bar = style("green", "█".repeat(filled)) + style("dim", "░".repeat(BAR_WIDTH - filled));
    const amount = fraction === undefined ? bytes(sent) : `${Math.floor(fraction * 100)} %`;
    return `${name.padEnd(LONGEST_LABEL)} ${bar} ${amount.padStart(8)}  ${style("dim", words)}`;
  };
  const uploadRow = (label: string, progress: Progress) => {
    const { state, waiting, speed, timeLeft } = progress;
    const pace = speed === undefined || state !== "sending" ? "" : ` ${bytes(speed)}/s`;
    const left = timeLeft === undefined || state === "done" ? "" : `, ${time(timeLeft)} left`;
    const words = waiting === undefined ? `${state}${pace}${left}` : `waiting: ${reasonOf(waiting)}`;
    return row(short(plain(label), LONGEST_LABEL), progress, words);
  };

  return {
    update(upload, progress) {
      uploads.set(upload, progress);
      soon();
    },
    remove: (upload) => void uploads.delete(upload),
    total(totals) {
      all = totals;
      soon();
    },
    above(print) {
      erase();
      print();
      soon();
    },
    red: (text) => style("red", text),
    close() {
      clearTimeout(timer);
      erase();
    },
  };
}

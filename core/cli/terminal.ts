/** Rows at the bottom of a terminal that are redrawn a few times a second, with other lines above them. */
import process from "node:process";
import { styleText } from "node:util";
import stringWidth from "string-width";
import { variable } from "../disk/system.ts";
import type { Totals } from "../many/total-progress.ts";
import type { Progress } from "../progress/progress.ts";
import { beginning, bytes, plain, reasonOf, short, time } from "./format.ts";
import { drawOnScreen } from "./output.ts";
import { outcomeOf, paceOf } from "./tally.ts";

/** Milliseconds between two drawings. */
const DRAW_INTERVAL = 100;
const BAR_WIDTH = 20;
const AMOUNT_WIDTH = 8;
const LONGEST_LABEL = 30;
/** Columns below which there is room for the label and the amount alone. */
const LEAST_WITH_BAR = 72;

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

/** True if the standard error is a terminal that can draw a row anew. */
export function canRedraw(): boolean {
  return process.stderr.isTTY === true && variable("TERM") !== "dumb";
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
  /** Columns of each row that is drawn. */
  let drawn: number[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  /** Some terminals tell none. */
  const columns = () => stderr.columns || 80;
  const erase = () => {
    // Where the terminal became narrower, a row takes several lines by now.
    const lines = drawn.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns())), 0);
    // The cursor goes to the first row, and everything from there on is cleared.
    if (lines > 0) drawOnScreen(`\u001b[${lines}A\r\u001b[J`);
    drawn = [];
  };
  const draw = () => {
    timer = undefined;
    const most = Math.max(1, (stderr.rows || 24) - 2);
    const sorted = [...uploads].sort(([a], [b]) => a.number - b.number);
    const rows = sorted.slice(0, most).map(([{ label }, progress]) => uploadRow(label, progress));
    // The row of all would say the same again of a single video.
    if (all !== undefined && all.sources !== 1)
      rows.push(row(outcomeOf(all, all.sources ?? "?"), all, paceOf(all)));
    erase();
    drawOnScreen(rows.map((row) => `${row}\n`).join(""));
    drawn = rows.map((row) => stringWidth(row));
  };
  const soon = () => {
    timer ??= setTimeout(draw, DRAW_INTERVAL);
  };
  stderr.on("resize", soon);

  const row = (name: string, { fraction, sent }: Pick<Progress, "fraction" | "sent">, words: string) => {
    const filled = Math.round((fraction ?? 0) * BAR_WIDTH);
    const bar = style("green", "█".repeat(filled)) + style("dim", "░".repeat(BAR_WIDTH - filled));
    const amount = fraction === undefined ? bytes(sent) : `${Math.floor(fraction * 100)} %`;
    // The last column stays free: some terminals begin a new line there.
    const room = columns() - 1 - AMOUNT_WIDTH - 1;
    const isWide = columns() >= LEAST_WITH_BAR;
    const most = Math.max(1, isWide ? room - BAR_WIDTH - 1 : room);
    const label = short(name, most);
    const begin = label + " ".repeat(Math.max(0, Math.min(LONGEST_LABEL, most) - stringWidth(label)));
    const left = most - stringWidth(begin) - 2;
    const rest = left > 0 ? `  ${style("dim", beginning(words, left))}` : "";
    return `${begin} ${isWide ? `${bar} ` : ""}${amount.padStart(AMOUNT_WIDTH)}${rest}`;
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
      stderr.off("resize", soon);
      erase();
    },
  };
}

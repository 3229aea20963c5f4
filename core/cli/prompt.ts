/** Asks on the terminal, whichever outputs lead elsewhere; what is typed of a secret isn't shown. */
import fs from "node:fs";
import { platform } from "node:os";
import process from "node:process";
import { ReadStream } from "node:tty";
import stringWidth from "string-width";
import { charactersOf } from "./format.ts";
import { Stopped } from "./stop.ts";

/** The text that is typed so far, before and behind the cursor. */
export interface Line {
  before: string;
  after: string;
}

/** A sequence that a key sends, or a character. */
const KEYS = /\x1b(?:\[[\d;]*[@-~]|O[A-Z])|./gsu;
/** The beginning of a sequence, whose rest may come later. */
const BEGUN = /\x1b(?:\[[\d;]*|O)?$/;
const ENTER = new Set(["\r", "\n"]);
const CTRL_C = "\x03";
const CTRL_D = "\x04";

const first = (text: string) => charactersOf(text)[0] ?? "";
const last = (text: string) => charactersOf(text).at(-1) ?? "";
const less = (text: string, end: string) => text.slice(0, text.length - end.length);

/** A line after a key, as shells edit one. */
export function edited({ before, after }: Line, key: string): Line {
  switch (key) {
    case "\x7f":
    case "\b":
      return { before: less(before, last(before)), after };
    case "\x1b[3~":
    case CTRL_D:
      return { before, after: after.slice(first(after).length) };
    case "\x15":
      return { before: "", after };
    case "\x0b":
      return { before, after: "" };
    case "\x17":
      return { before: before.replace(/\S*\s*$/, ""), after };
    case "\x1b[D":
    case "\x1bOD":
    case "\x02":
      return { before: less(before, last(before)), after: last(before) + after };
    case "\x1b[C":
    case "\x1bOC":
    case "\x06":
      return { before: before + first(after), after: after.slice(first(after).length) };
    case "\x1b[H":
    case "\x1bOH":
    case "\x1b[1~":
    case "\x01":
      return { before: "", after: before + after };
    case "\x1b[F":
    case "\x1bOF":
    case "\x1b[4~":
    case "\x05":
      return { before: before + after, after: "" };
    default:
      // Other sequences command nothing here, among them those around a pasted text.
      return {
        before: key < " " || (key.length > 1 && key.startsWith("\x1b")) ? before : before + key,
        after,
      };
  }
}

interface Terminal {
  input: NodeJS.ReadStream;
  print(text: string): void;
}

let opened: Terminal | undefined;

/** The terminal, if there is one: that of the standard input and error, or else the one that the program was started from. */
function openTerminal(): Terminal | undefined {
  const { stdin, stderr } = process;
  const isWindows = platform() === "win32";
  const open = (path: string) => fs.openSync(isWindows ? path : "/dev/tty", "r+");
  try {
    const output = stderr.isTTY ? undefined : open("\\\\.\\CONOUT$");
    return {
      input: stdin.isTTY ? stdin : new ReadStream(open("\\\\.\\CONIN$")),
      print: (text) => void (output === undefined ? stderr.write(text) : fs.writeSync(output, text)),
    };
  } catch {
    return undefined;
  }
}

/** Typed ahead: whoever pastes two lines answers two questions. */
let ahead = "";

/**
 * Gives what was typed up to Enter, without blanks around it.
 *
 * @returns `undefined` where there is no terminal to ask on
 * @throws {Stopped} at Ctrl-C, or where the terminal is gone.
 */
export async function ask(question: string, shows: "secret" | "shown"): Promise<string | undefined> {
  // Bun reads nothing of a terminal that was closed and opened again.
  opened ??= openTerminal();
  if (opened === undefined) return undefined;
  const { input, print } = opened;
  // The mode is set first, since whoever pastes may be faster than this process.
  input.setRawMode(true);
  print(question);
  // A command that reads the standard input afterwards wants its bytes.
  const decoder = new TextDecoder();
  let heard: [string, (bytes: Uint8Array) => void][] = [];
  try {
    return await new Promise((resolve, reject) => {
      let line: Line = { before: "", after: "" };
      const draw = (now: Line) => {
        if (shows === "secret") return;
        const width = ({ before, after }: Line) => stringWidth(before) + stringWidth(after);
        const gone = Math.max(0, width(line) - width(now));
        // A step back is the one command that all terminals have.
        const back = (columns: number) => "\b".repeat(columns);
        const text = now.before + now.after + " ".repeat(gone);
        print(back(stringWidth(line.before)) + text + back(gone + stringWidth(now.after)));
      };
      const read = (text: string) => {
        const typed = ahead + text;
        ahead = BEGUN.exec(typed)?.[0] ?? "";
        let now = line;
        for (const { 0: key, index } of less(typed, ahead).matchAll(KEYS)) {
          const isEmpty = now.before + now.after === "";
          if (key === CTRL_C || (key === CTRL_D && isEmpty)) return reject(new Stopped("SIGINT"));
          if (ENTER.has(key)) {
            draw(now);
            ahead = typed.slice(index + 1);
            return resolve((now.before + now.after).trim());
          }
          now = edited(now, key);
        }
        draw(now);
        line = now;
      };
      const stop = () => reject(new Stopped("SIGHUP"));
      heard = [
        ["data", (bytes) => read(decoder.decode(bytes, { stream: true }))],
        ["end", stop],
        ["error", stop],
      ];
      for (const [event, listener] of heard) input.on(event, listener);
      input.resume();
      read("");
    });
  } finally {
    for (const [event, listener] of heard) input.off(event, listener);
    input.setRawMode(false);
    input.pause();
    print("\n");
  }
}

/** Asks on a terminal; what is typed of a secret isn't shown. */
import process from "node:process";
import { printNote } from "./output.ts";
import { Stopped } from "./stop.ts";

const ENTER = new Set(["\r", "\n", "\u0004"]);
const BACKSPACE = new Set(["\u007f", "\b"]);
const CTRL_C = "\u0003";

export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Gives what was typed up to Enter, without blanks around it. @throws {Stopped} at Ctrl-C. */
export async function ask(question: string, shows: "secret" | "shown"): Promise<string> {
  const { stdin } = process;
  // The mode is set first, since whoever pastes may be faster than this process.
  stdin.setRawMode(true);
  printNote(question);
  stdin.setEncoding("utf8");
  stdin.resume();
  const echo = (text: string) => {
    if (shows === "shown") printNote(text);
  };
  try {
    return await new Promise((resolve, reject) => {
      let typed = "";
      const read = (text: string) => {
        for (const character of text) {
          if (ENTER.has(character) || character === CTRL_C) {
            stdin.off("data", read);
            return character === CTRL_C ? reject(new Stopped("SIGINT")) : resolve(typed.trim());
          }
          if (BACKSPACE.has(character)) {
            if (typed !== "") echo("\b \b");
            typed = [...typed].slice(0, -1).join("");
          } else if (character >= " ") {
            typed += character;
            echo(character);
          }
        }
      };
      stdin.on("data", read);
    });
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    printNote("\n");
  }
}

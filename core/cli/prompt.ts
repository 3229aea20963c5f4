/**
 * Asks for a secret on a terminal, without showing what is typed.
 *
 * @module
 */

import process from "node:process";

const ENTER = new Set(["\r", "\n", "\u0004"]);
const BACKSPACE = new Set(["\u007f", "\b"]);
const CTRL_C = "\u0003";

/** Whether somebody can be asked. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Asks, and gives what was typed up to Enter; `undefined` where Ctrl-C ended it. */
export async function askSecretly(question: string): Promise<string | undefined> {
  const { stdin, stderr } = process;
  // First, since whoever pastes may be faster than this process.
  stdin.setRawMode(true);
  stderr.write(question);
  stdin.setEncoding("utf8");
  stdin.resume();
  try {
    return await new Promise((resolve) => {
      let typed = "";
      const read = (text: string) => {
        for (const character of text) {
          if (ENTER.has(character) || character === CTRL_C) {
            stdin.off("data", read);
            return resolve(character === CTRL_C ? undefined : typed);
          }
          if (BACKSPACE.has(character)) typed = [...typed].slice(0, -1).join("");
          else if (character >= " ") typed += character;
        }
      };
      stdin.on("data", read);
    });
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write("\n");
  }
}

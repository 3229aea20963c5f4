/** Runs a program of the project in the process of the tests, as far as that can show what it does. */
import fs from "node:fs";
import { Readable } from "node:stream";
import { note } from "../caught.ts";
import { MARKER } from "../marker.ts";
import type { CliOutcome } from "./cli-process.ts";

/** Thrown where a process would end. */
class Exit extends Error {}

/** What of the tests' own environment the program must not see. */
const OWN_VARIABLES = /^(UPCUT_|NO_COLOR$|FORCE_COLOR$)/;
/** Nobody has logged in there. */
export const NO_LOGIN = { XDG_CONFIG_HOME: "/nowhere", APPDATA: "/nowhere" };
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
type Signal = (typeof SIGNALS)[number];
let runs = 0;

/**
 * Starts a program, which is a module that runs when it is imported, and of which there is one at a time; `input` is what
 * its standard input holds.
 */
export function startHere(
  program: string,
  args: string[],
  environment: Record<string, string>,
  input: string | Uint8Array = "",
) {
  const outcome = { code: 0, stdout: "", stderr: "" };
  const before = new Map(SIGNALS.map((name) => [name, new Set(process.listeners(name))]));
  const own = (name: Signal) =>
    process.listeners(name).filter((listener) => !before.get(name)?.has(listener));
  const restore = replaceProcess(args, environment, input, outcome);
  const end = import(/* @vite-ignore */ `${program}?run=${++runs}`)
    .catch((error: unknown) => {
      if (!(error instanceof Exit)) throw error;
    })
    .finally(() => {
      outcome.code = Number(process.exitCode ?? 0);
      for (const name of SIGNALS) for (const listener of own(name)) process.off(name, listener);
      restore();
    });
  // A test that fails before its end must not fail twice.
  end.catch(() => {});
  return {
    /** What both outputs hold so far. */
    printed: () => outcome.stdout + outcome.stderr,
    /** What the system does to a process. */
    signal(name: Signal) {
      for (const listener of own(name)) listener(name);
    },
    /** Waits for the program's end; fails where it has shown a secret. */
    async ended(): Promise<CliOutcome> {
      await end;
      note(outcome.stdout + outcome.stderr);
      if (args.join(" ").includes(MARKER)) throw new Error("the arguments hold a secret");
      return outcome;
    },
  };
}

/** Gives the process other arguments, variables, streams and another end; the function that is returned undoes it. */
function replaceProcess(
  args: string[],
  environment: Record<string, string>,
  input: string | Uint8Array,
  outcome: { stdout: string; stderr: string },
): () => void {
  const { argv, env, exit, exitCode } = process;
  const stdin = Object.getOwnPropertyDescriptor(process, "stdin");
  const writes = { stdout: process.stdout.write, stderr: process.stderr.write };
  const { log, error } = console;
  const { openSync } = fs;
  // There is no terminal, also where the tests have one.
  fs.openSync = ((path, ...more) => {
    if (path === "/dev/tty") throw new Error("no terminal");
    return openSync(path, ...more);
  }) as typeof openSync;
  const foreign = Object.entries(env).filter(([name]) => !OWN_VARIABLES.test(name));
  process.argv = [argv[0] ?? "", "program", ...args];
  process.env = { ...Object.fromEntries(foreign), ...NO_LOGIN, ...environment };
  // Bun keeps the one before where it is set to undefined.
  process.exitCode = 0;
  process.exit = ((code?: number) => {
    if (code !== undefined) process.exitCode = code;
    throw new Exit();
  }) as typeof process.exit;
  Object.defineProperty(process, "stdin", {
    value: Readable.from(input.length === 0 ? [] : [Buffer.from(input)]),
    configurable: true,
  });
  for (const name of ["stdout", "stderr"] as const)
    process[name].write = ((text: string, after?: () => void) => {
      outcome[name] += text;
      after?.();
      return true;
    }) as typeof process.stdout.write;
  console.log = (text: unknown) => void process.stdout.write(`${text}\n`);
  console.error = (text: unknown) => void process.stderr.write(`${text}\n`);
  return () => {
    Object.assign(process, { argv, env, exit, exitCode: exitCode ?? 0 });
    if (stdin !== undefined) Object.defineProperty(process, "stdin", stdin);
    for (const name of ["stdout", "stderr"] as const) process[name].write = writes[name];
    Object.assign(console, { log, error });
    fs.openSync = openSync;
  };
}

/** The command line in this process; a terminal, a kill and two at once need a process of their own. */
export function startCliHere(
  args: string[],
  environment: Record<string, string>,
  input?: string | Uint8Array,
) {
  return startHere("../../../core/cli/main.ts", args, environment, input);
}

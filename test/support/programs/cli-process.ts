/** The command line as a process of the runtime that runs the tests. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { note } from "../caught.ts";
import { MARKER } from "../marker.ts";
import { NO_LOGIN } from "./run-here.ts";
import { programCommand } from "./script.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

export interface CliOutcome {
  /** Deno's child_process gives `null` for a code that stands for a signal. */
  code: number | null;
  stdout: string;
  stderr: string;
}

/** What of the tests' own environment the program must not see. */
const OWN_VARIABLES = /^(UPCUT_|NO_COLOR$|FORCE_COLOR$|NODE_OPTIONS$)/;

export function cliCommand(args: string[]): [string, ...string[]] {
  return [...programCommand("core/cli/main.ts"), ...args];
}

/** Starts it; `input` is what its standard input holds, or null for one that stays open. */
export function startCli(args: string[], environment: Record<string, string>, input: string | null = "") {
  return startProcess(cliCommand(args), environment, input);
}

/** The same on a pseudo terminal, where what is typed comes from `type`; `redirections` are those of a shell, such as "2> file". */
export function startOnTerminal(
  args: string[],
  environment: Record<string, string>,
  redirections = "",
  columns = 120,
) {
  const quoted = cliCommand(args).map((word) => `'${word.replaceAll("'", "'\\''")}'`);
  const command: [string, ...string[]] = [
    "script",
    "-qefc",
    `stty cols ${columns} rows 30; ${quoted.join(" ")} ${redirections}`,
    "/dev/null",
  ];
  const run = startProcess(command, { TERM: "xterm", ...environment }, null);
  return { ...run, type: (text: string) => void run.process.stdin?.write(text) };
}

function startProcess(
  [command, ...args]: [string, ...string[]],
  environment: Record<string, string>,
  input: string | null,
) {
  const inherited = Object.entries(process.env).filter(([name]) => !OWN_VARIABLES.test(name));
  const child = spawn(command, args, {
    cwd: ROOT,
    env: { ...Object.fromEntries(inherited), ...NO_LOGIN, ...environment },
    stdio: ["pipe", "pipe", "pipe"],
    // It has no terminal of its own, and would ask on that of the tests.
    detached: true,
  });
  if (input !== null) child.stdin.end(input);
  const outcome: CliOutcome = { code: null, stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    outcome.stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    outcome.stderr += text;
  });
  const exit = once(child, "close").then(([code]) => code as number | null);
  return {
    process: child,
    /** What both outputs hold so far. */
    printed: () => outcome.stdout + outcome.stderr,
    /** Waits for the program's end; fails where it has shown a secret. */
    async ended() {
      outcome.code = await exit;
      note(outcome.stdout + outcome.stderr);
      if (args.join(" ").includes(MARKER)) throw new Error("the arguments hold a secret");
      return outcome;
    },
  };
}

export async function runCli(
  args: string[],
  environment: Record<string, string>,
  input?: string,
): Promise<CliOutcome> {
  return await startCli(args, environment, input).ended();
}

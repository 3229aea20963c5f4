/** Runs a script in the runtime that runs the tests: Node from its bundle, Bun and Deno as it is. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { bundledProgram } from "../bundled.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The command that runs a TypeScript file of the project in this runtime. */
export function programCommand(file: string): [string, ...string[]] {
  if ("Deno" in globalThis)
    return [process.execPath, "run", "-A", "--node-modules-dir=manual", "--quiet", file];
  if ("Bun" in globalThis) return [process.execPath, file];
  return ["node", ...bundledProgram(file)];
}

export interface Script {
  process: ChildProcess;
  /** What it has printed so far, to both outputs. */
  output(): string;
  /** Waits for a text in its output. */
  prints(text: string | RegExp): Promise<void>;
  /** Waits for its end. */
  ended(): Promise<{ code: number | null; output: string }>;
}

/** Starts a script of the project. */
export function runScript(file: string, args: string[], environment: Record<string, string>): Script {
  const [command, ...first] = programCommand(file);
  return follow(command, [...first, ...args], environment);
}

/** Starts a command in a folder, by default the project's, and follows its output; its input is piped if it takes one. */
export function follow(
  command: string,
  args: string[],
  environment: Record<string, string>,
  folder: string = ROOT,
  input: "ignore" | "pipe" = "ignore",
): Script {
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...process.env, ...environment },
    stdio: [input, "pipe", "pipe"],
  });
  let output = "";
  const heard = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8");
    stream?.on("data", (text: string) => {
      output += text;
      for (const listener of heard) listener();
    });
  }
  const exit = once(child, "close").then(([code]) => code as number | null);
  return {
    process: child,
    output: () => output,
    prints: (text) =>
      new Promise((resolve, reject) => {
        const listen = () => {
          if (typeof text === "string" ? !output.includes(text) : !text.test(output)) return;
          heard.delete(listen);
          resolve();
        };
        heard.add(listen);
        listen();
        void exit.then((code) =>
          reject(new Error(`it ended with ${code} before it printed ${text}:\n${output}`)),
        );
      }),
    ended: async () => ({ code: await exit, output }),
  };
}

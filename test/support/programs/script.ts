/** Runs a script in the runtime that runs the tests: Node from its bundle, Bun and Deno as it is. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { bundledProgram } from "../../run/bundled.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** The command that runs a TypeScript file of the project in this runtime. */
export function programCommand(file: string): [string, ...string[]] {
  if ("Deno" in globalThis)
    return [process.execPath, "run", "-A", "--node-modules-dir=manual", "--quiet", file];
  if ("Bun" in globalThis) return [process.execPath, file];
  return ["node", ...bundledProgram(file)];
}

export type Script = ReturnType<typeof follow>;

export function runScript(file: string, args: string[], environment: Record<string, string>): Script {
  const [command, ...first] = programCommand(file);
  return follow(command, [...first, ...args], environment);
}

export function follow(command: string, args: string[], environment: Record<string, string>) {
  const child = spawn(command, args, {
    cwd: ROOT,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const heard = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      for (const listener of heard) listener();
    });
  }
  const exit = once(child, "close").then(([code]) => code as number | null);
  return {
    process: child,
    /** What it has printed so far, to both outputs. */
    output: () => output,
    prints: (text: string | RegExp) =>
      new Promise<void>((resolve, reject) => {
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

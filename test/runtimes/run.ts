/** Runs the tests of core inside Bun and Deno, side by side: all runtimes, or those that are named. */
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { findRuntime } from "./find-runtime.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const { devDependencies: pinned } = createRequire(import.meta.url)("./package.json") as {
  devDependencies: Record<string, string>;
};
const vitest = ["node_modules/vitest/vitest.mjs", "run", "--config", "test/runtimes/core.config.ts"];

const commands = {
  bun: () => [findRuntime("bun"), "--bun", ...vitest],
  // The packages are those npm installed; nothing is to be fetched or written down.
  deno: () => [findRuntime("deno"), "run", "-A", "--no-lock", "--node-modules-dir=manual", ...vitest],
};
type Runtime = keyof typeof commands;

const isRuntime = (word: string): word is Runtime => word in commands;
const words = process.argv.slice(2);
const named = words.filter(isRuntime);
const files = words.filter((word) => !isRuntime(word));
const runtimes = named.length > 0 ? named : (Object.keys(commands) as Runtime[]);
const passed = await Promise.all(runtimes.map(run));
process.exitCode = passed.includes(false) ? 1 : 0;

/** A runtime's output is printed whole at its end, since two run side by side. */
async function run(runtime: Runtime): Promise<boolean> {
  const [program = "", ...args] = commands[runtime]();
  const child = spawn(program, [...args, ...files], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      EXPECT_RUNTIME: `${runtime} ${pinned[runtime]}`,
      DENO_NO_UPDATE_CHECK: "1",
    },
  });
  const printed: Buffer[] = [];
  for (const output of [child.stdout, child.stderr]) output.on("data", (bytes) => printed.push(bytes));
  const ended = await new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(`could not start: ${error.message}`));
    child.once("close", (code, signal) => resolve(signal ?? `${code}`));
  });
  console.log(`\n── core in ${runtime} ${pinned[runtime]}`);
  process.stdout.write(Buffer.concat(printed));
  if (ended !== "0") console.log(`core in ${runtime} ended with ${ended}`);
  return ended === "0";
}

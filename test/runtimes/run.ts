/**
 * Runs the core inside every runtime: its own tests inside Bun and Deno, thin ones in workerd and in Chromium.
 *
 * All of them, two at a time, or those that are named, as `npm run test:bun` of this folder does.
 */
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { findRuntime } from "./find-runtime.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const RUN_TIMEOUT = 25 * 60_000;
const { devDependencies: pinned } = createRequire(import.meta.url)("./package.json") as {
  devDependencies: Record<string, string>;
};

interface Part {
  title: string;
  command(): string[];
  env?: Record<string, string>;
}

const vitest = (config: string) => [
  "node_modules/vitest/vitest.mjs",
  ...["run", "--config", `test/runtimes/${config}`],
];

const parts: Record<string, Part> = {
  bun: {
    title: `core tests inside Bun ${pinned.bun}`,
    command: () => [findRuntime("bun"), "--bun", ...vitest("core.config.ts")],
    env: { EXPECT_RUNTIME: `bun ${pinned.bun}` },
  },
  deno: {
    title: `core tests inside Deno ${pinned.deno}`,
    // The packages are those npm installed; nothing is to be fetched or written down.
    command: () => [
      findRuntime("deno"),
      ...["run", "-A", "--no-lock", "--node-modules-dir=manual"],
      ...vitest("core.config.ts"),
    ],
    env: { EXPECT_RUNTIME: `deno ${pinned.deno}`, DENO_NO_UPDATE_CHECK: "1" },
  },
  edge: {
    title: `thin tests inside workerd ${pinned.workerd}`,
    command: () => [process.execPath, ...vitest("vitest.config.ts"), "edge"],
  },
  page: {
    title: "thin tests inside Chromium",
    command: () => [process.execPath, ...vitest("vitest.config.ts"), "page"],
  },
};

/** What a part printed comes in one piece when it ends, since two run side by side. */
async function run({ title, command, env }: Part): Promise<boolean> {
  const started = Date.now();
  const child = spawn(process.execPath, ["--import", "tsx", "test/second-try/run.ts", ...command()], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
    timeout: RUN_TIMEOUT,
  });
  const printed: Buffer[] = [];
  for (const output of [child.stdout, child.stderr]) output.on("data", (bytes) => printed.push(bytes));
  const ended = await new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(`could not start: ${error.message}`));
    child.once("close", (code, signal) => resolve(signal ?? `${code}`));
  });
  console.log(`\n── ${title}`);
  process.stdout.write(Buffer.concat(printed));
  const took = `${Math.round((Date.now() - started) / 1000)} s`;
  lines.push(
    ended === "0" ? `passed  ${title} (${took})` : `FAILED  ${title} (${took}, ended with ${ended})`,
  );
  return ended === "0";
}

const lines: string[] = [];
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in parts));
if (unknown.length > 0) throw new Error(`there is no part ${unknown.join(", ")}, only ${Object.keys(parts)}`);

const waiting = Object.entries(parts).filter(([name]) => wanted.length === 0 || wanted.includes(name));
while (waiting.length > 0) {
  const pair = waiting.splice(0, 2);
  console.log(`\nRunning ${pair.map(([, { title }]) => title).join(" and ")} …`);
  const passed = await Promise.all(pair.map(([, part]) => run(part)));
  if (passed.includes(false)) process.exitCode = 1;
}
console.log(`\n${lines.join("\n")}`);

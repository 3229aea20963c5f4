/**
 * Runs the core inside every runtime: its own tests inside Bun and Deno, thin ones in workerd and in Chromium.
 *
 * `npm test` runs all; `npm run test:bun` and its like run one. Needs the packages of the repository root.
 */
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { findRuntime } from "./find-runtime.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const LIMIT = 5 * 60_000;
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

function run({ title, command, env }: Part): Promise<boolean> {
  console.log(`\n── ${title}`);
  const [program = "", ...args] = command();
  const child = spawn(program, args, {
    cwd: ROOT,
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, ...env },
    timeout: LIMIT,
  });
  return new Promise((resolve) => {
    child.once("error", (error) => {
      console.log(`Cannot start ${program}: ${error.message}`);
      resolve(false);
    });
    child.once("exit", (code, signal) => {
      if (signal !== null) console.log(`${title}: ended by ${signal}`);
      resolve(code === 0);
    });
  });
}

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in parts));
if (unknown.length > 0) throw new Error(`there is no part ${unknown.join(", ")}, only ${Object.keys(parts)}`);

const lines: string[] = [];
for (const [name, part] of Object.entries(parts)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const started = Date.now();
  const passed = await run(part);
  if (!passed) process.exitCode = 1;
  lines.push(
    `${passed ? "passed" : "FAILED"}  ${part.title} (${Math.round((Date.now() - started) / 1000)} s)`,
  );
}
console.log(`\n${lines.join("\n")}`);

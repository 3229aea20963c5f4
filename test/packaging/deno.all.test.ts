import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findRuntime } from "../runtimes/find-runtime.ts";
import { ROOT, run, succeed } from "./run.ts";

const CORE = join(ROOT, "core");
/** The first run of a machine fetches the three dependencies. */
const FETCH_TIMEOUT = 300_000;

test("JSR takes the sources of the public modules as they are, their README, and nothing else", {
  timeout: FETCH_TIMEOUT,
}, async () => {
  // Told on standard error, success included; what isn't committed yet is checked as well.
  const { code, output } = await run(findRuntime("deno"), ["publish", "--dry-run", "--allow-dirty"], CORE);
  expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining("Dry run complete") });
  expect(output).not.toMatch(/warning|slow type.*:/i);
  const published = [...output.matchAll(/file:\S*?\/core\/(\S+) \(/g)].map(([, path]) => path);
  const sources = (await readdir(CORE, { recursive: true }))
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".ts") && !path.startsWith("examples/") && path !== "extension.ts");
  expect(published.sort()).toEqual([...sources, "README.md", "deno.json"].sort());
});

test("Deno finds no wrong type in the sources and the examples", { timeout: FETCH_TIMEOUT }, async () => {
  await succeed(findRuntime("deno"), ["check", "."], CORE);
});

test("every example in the documentation runs", { timeout: FETCH_TIMEOUT }, async () => {
  const printed = await succeed(findRuntime("deno"), ["task", "test:docs"], CORE);
  expect(printed).toMatch(/^ok \| [1-9]\d* passed \| 0 failed/m);
});

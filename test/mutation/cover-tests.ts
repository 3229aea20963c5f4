/** Which functions of core each of its tests calls, found once and kept until core or the test changes. */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { TestProcess } from "./processes.ts";
import type { Covered } from "./session.ts";

const FOLDER = "node_modules/.cache/mutation";
const LONGEST = 300_000;

/** Runs the tests that have not run yet with these sources, one file after the other in each process. */
export async function coverTests(
  sources: string[],
  tests: string[],
  processes: TestProcess[],
): Promise<Covered[]> {
  mkdirSync(FOLDER, { recursive: true });
  const left = tests.map((test) => ({
    test,
    kept: join(FOLDER, `${basename(test)}-${digest([...sources, test])}`),
  }));
  const covered: Covered[] = [];
  const next = async (process: TestProcess): Promise<void> => {
    for (let each = left.shift(); each !== undefined; each = left.shift())
      covered.push(...(read(each.kept) ?? (await cover(each, process))));
  };
  await Promise.all(processes.map(next));
  for (const process of processes) process.end();
  return covered;
}

async function cover(
  { test, kept }: { test: string; kept: string },
  process: TestProcess,
): Promise<Covered[]> {
  const reply = await process.run({ cover: [test] }, LONGEST);
  if (reply === "timed out" || !("covered" in reply)) {
    console.error(`${test} is left out: ${reply === "timed out" ? reply : JSON.stringify(reply)}`);
    return [];
  }
  const former = readdirSync(FOLDER).filter((name) => name.startsWith(`${basename(test)}-`));
  for (const name of former) rmSync(join(FOLDER, name));
  writeFileSync(kept, JSON.stringify(reply.covered));
  return reply.covered;
}

function read(kept: string): Covered[] | undefined {
  try {
    return JSON.parse(readFileSync(kept, "utf8"));
  } catch {
    return undefined;
  }
}

function digest(files: string[]): string {
  const hash = createHash("sha256");
  for (const file of files) hash.update(`${file}\n`).update(readFileSync(file));
  return hash.digest("hex").slice(0, 16);
}

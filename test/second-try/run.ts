/**
 * Runs vitest as the arguments say, and once more those test files in which something failed: a test, a hook, what
 * stands outside of tests, or the runtime itself. They run when all others are over, since many fail on a busy machine.
 *
 * It writes what passed at a second try, and what failed, to the files that `npm test` shows at its end.
 */
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { type Line, REPORT } from "./config.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** With more files than these, it is no single accident. */
const MOST_FILES = 5;
/** Lines of a failure that are shown at the end: the message, and where it was thrown. */
const SHOWN_LINES = 12;

const [program = "", ...args] = process.argv.slice(2);
const first = await run(args);
const again = first.hasPassed ? [] : filesToRunAgain(first);
if (again.length === 0) {
  note("UPCUT_FAILURES", first.failures);
  process.exitCode = first.hasPassed ? 0 : 1;
} else {
  console.log(`\nOnce more: ${again.join(", ")}`);
  const second = await run([...args, ...again]);
  if (second.hasPassed) note("UPCUT_SECOND_TRIES", first.failures.map(oneLine));
  else note("UPCUT_FAILURES", [...first.failures, ...second.failures]);
  process.exitCode = second.hasPassed ? 0 : 1;
}

interface Run {
  hasPassed: boolean;
  lines: Line[];
  failures: string[];
}

async function run(allArgs: string[]): Promise<Run> {
  const folder = await mkdtemp(join(tmpdir(), "upcut-report-"));
  const report = join(folder, "report.jsonl");
  const child = spawn(program, allArgs, {
    cwd: ROOT,
    stdio: "inherit",
    env: { ...process.env, [REPORT]: report },
  });
  const stop = () => child.kill();
  process.once("SIGTERM", stop);
  const end = await new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(`could not start: ${error.message}`));
    child.once("close", (code, signal) => resolve(signal ?? `${code}`));
  });
  process.off("SIGTERM", stop);
  const text = await readFile(report, "utf8").catch(() => "");
  await rm(folder, { recursive: true, force: true });
  const lines = text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);
  const failures = lines.flatMap((line) => (line.kind === "failed" ? [`${line.where}: ${line.reason}`] : []));
  if (end !== "0" && failures.length === 0)
    failures.push(`${[program, ...allArgs].join(" ")} ended with ${end}`);
  return {
    hasPassed: end === "0",
    lines,
    failures: failures.map(shortened),
  };
}

/** The files that did not pass, or nothing where something failed finally. */
function filesToRunAgain({ lines }: Run): string[] {
  const files = new Set<string>();
  for (const line of lines) if (line.kind === "file") files.add(line.file);
  for (const line of lines) if (line.kind === "passed") files.delete(line.file);
  for (const line of lines) {
    if (line.kind !== "failed") continue;
    if (line.isFinal) return [];
    if (line.file !== undefined) files.add(line.file);
  }
  return files.size > MOST_FILES ? [] : [...files].map((file) => relative(ROOT, file));
}

function shortened(failure: string): string {
  return failure.split("\n").filter(Boolean).slice(0, SHOWN_LINES).join("\n    ");
}

function oneLine(failure: string): string {
  return failure.split("\n", 1)[0] ?? "";
}

function note(variable: "UPCUT_SECOND_TRIES" | "UPCUT_FAILURES", texts: readonly string[]): void {
  const path = process.env[variable];
  if (path !== undefined) for (const text of texts) appendFileSync(path, `${text}\n`);
}

/**
 * `npm test`: installs the runtimes, checks the code, runs the tests in Node, Chromium, Firefox, Bun, Deno and workerd,
 * and then searches all that was printed, thrown and stored for a secret. A control run plants three, and the search
 * must find each of them.
 *
 * `npm run test:all` (`--all`) runs what takes longer as well. `npm run test:long` (`--long`) runs the big ones alone,
 * and those of the extension once more on each of the stores that real services run.
 */
import { spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { chmod, cp, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { REAL_STORES } from "../service/stores.ts";
import bundlePrograms from "./bundled.ts";
import { npmCommand } from "./npm.ts";
import { type Failure, type Report, readReport } from "./report.ts";
import { search } from "./search.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const isLong = process.argv.includes("--long");
const isAll = process.argv.includes("--all");
const SHOWN_FILES = 10;

interface Step {
  title: string;
  command: string[];
  environment?: Record<string, string>;
}

const started = Date.now();
const packages = [
  "test/runtimes",
  "test/pages",
  ...(isAll || isLong ? ["core/examples/fleet"] : []),
  ...(isAll ? ["test/bundlers", "test/works-with/runtimes", "test/works-with/tus-servers"] : []),
];
for (const folder of packages) await install(join(ROOT, folder));
process.env.UPCUT_FILES = isLong ? "long" : isAll ? "all" : "usual";
const removeBundles = await bundlePrograms();

const evidence = await collectEvidence();
const outcomes: { title: string; hasPassed: boolean; seconds: number }[] = [];
const report: Report = { files: [], failures: [] };
for (const step of steps()) await take(step);

const leaks = await search(evidence.folder);
console.log(`\nSecrets in all that was printed, thrown and stored outside a journal: ${leaks.length} found`);
for (const { where, line } of leaks) console.log(`  ${where}: ${line}`);
outcomes.push({ title: "search for secrets", hasPassed: leaks.length === 0, seconds: 0 });
await controlSearch();
await Promise.all([rm(evidence.folder, { recursive: true, force: true }), removeBundles?.()]);
printEnd();

function steps(): Step[] {
  const vitest = ["node", "node_modules/vitest/vitest.mjs", "run"];
  const inNode = {
    title: isLong ? "big tests" : "tests in Node, Chromium, Firefox and workerd",
    command: [...vitest, "--project", "!control"],
  };
  if (isLong)
    return [
      inNode,
      ...REAL_STORES.map((store) => ({
        title: `the extension with the store ${store}`,
        command: [...vitest, "--project", "extension"],
        environment: { UPCUT_STORE: store },
      })),
    ];
  return [
    { title: "npm run check", command: [...npmCommand(), "run", "--silent", "check"] },
    inNode,
    {
      title: "core in Bun and Deno",
      command: ["node", "--import", "tsx", "test/runtimes/run.ts"],
    },
  ];
}

async function take({ title, command, environment }: Step): Promise<void> {
  const began = Date.now();
  const path = join(evidence.folder, `report-${outcomes.length}`);
  console.log(`\n── ${title}`);
  const hasPassed = await run(command, evidence, { ...environment, UPCUT_REPORT: path });
  outcomes.push({ title, hasPassed, seconds: Math.round((Date.now() - began) / 1000) });
  const { files, failures } = await readReport(path);
  report.files.push(...files);
  report.failures.push(...failures);
}

/** What the search has to find: one secret that is printed, one that is thrown, one that is stored. */
async function controlSearch(): Promise<void> {
  const control = await collectEvidence();
  const command = ["node", "node_modules/vitest/vitest.mjs", "run", "--project", "control"];
  await run(command, control, {}, "quiet");
  const found = (await search(control.folder)).map(({ where }) => where).sort();
  await rm(control.folder, { recursive: true, force: true });
  console.log(`Control run with three planted: found in ${found.join(", ") || "nothing"}`);
  const hasPassed = found.join(", ") === "printed-1.txt, stored/planted.txt, thrown.txt";
  outcomes.push({ title: "control of the search", hasPassed, seconds: 0 });
}

function printEnd(): void {
  const slowest = report.files.sort((a, b) => b.seconds - a.seconds).slice(0, SHOWN_FILES);
  console.log("\nThe slowest files");
  for (const { file, seconds } of slowest) console.log(`  ${seconds.toFixed(1).padStart(6)} s  ${file}`);
  for (const { where, reason } of report.failures satisfies Failure[])
    console.log(`\nFAILED: ${where}\n    ${reason}`);
  console.log();
  for (const { title, hasPassed, seconds } of outcomes)
    console.log(`${hasPassed ? "passed" : "FAILED"}  ${title} (${seconds} s)`);
  const failed = outcomes.filter(({ hasPassed }) => !hasPassed).length;
  console.log(`\nTook ${Math.round((Date.now() - started) / 1000)} s`);
  console.log(`${outcomes.length - failed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}

/** Installs what the tests run in, unless the lock file's own packages are there already. */
async function install(folder: string): Promise<void> {
  const wanted = await readFile(join(folder, "package-lock.json"), "utf8");
  const stamp = join(folder, "node_modules/.installed-lock.json");
  if ((await readFile(stamp, "utf8").catch(() => "")) === wanted) return;
  const [program = "", ...args] = npmCommand();
  const child = spawn(program, [...args, "ci", "--prefix", folder], { cwd: ROOT, stdio: "inherit" });
  const code = await new Promise((resolve) => child.once("exit", resolve));
  if (code !== 0) throw new Error(`Cannot install the packages of ${folder}: npm ended with ${code}`);
  await cp(join(folder, "package-lock.json"), stamp);
}

interface Evidence {
  /** Where a run leaves what it prints, throws and stores. */
  folder: string;
  /** Commands begun: each prints into a file of its own. */
  commands: number;
}

async function collectEvidence(): Promise<Evidence> {
  const folder = await mkdtemp(join(tmpdir(), "upcut-evidence-"));
  await mkdir(join(folder, "stored"));
  // A test runs the command line as a user of whom the system knows nothing: it finds its videos, and lists nothing.
  for (const each of [folder, join(folder, "stored")]) await chmod(each, 0o711);
  return { folder, commands: 0 };
}

/** Runs a command, shows what it prints, and keeps it. */
async function run(
  [program = "", ...args]: string[],
  evidence: Evidence,
  more: Record<string, string> = {},
  quiet?: "quiet",
): Promise<boolean> {
  const { folder } = evidence;
  const environment = {
    ...process.env,
    UPCUT_SCRATCH: join(folder, "stored"),
    UPCUT_THROWN_LOG: join(folder, "thrown.txt"),
    ...more,
  };
  const child = spawn(program, args, {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    env: environment,
  });
  const kept = createWriteStream(join(folder, `printed-${++evidence.commands}.txt`));
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (bytes: Buffer) => {
      kept.write(bytes);
      if (quiet === undefined) process.stdout.write(bytes);
    });
  }
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  await new Promise((resolve) => kept.end(resolve));
  return code === 0;
}

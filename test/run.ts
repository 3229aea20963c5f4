/**
 * `npm test`: installs the runtimes, checks the code, runs every test in every runtime, and then searches all that was
 * printed, thrown and stored for a secret. A control run plants three, and the search must find each of them.
 *
 * `npm run test:long` passes `--long`: then only the big ones run, and those of the extension once more on each of the
 * stores that real services run.
 */
import { spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { MARKER } from "./marker.ts";
import { REAL_STORES } from "./service/stores.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** What has packages of its own: the runtimes, the players of pages, and the fleet of the example. */
const PACKAGES = ["test/runtimes", "test/pages", "core/examples/fleet"].map((folder) => join(ROOT, folder));
const long = process.argv.includes("--long");
const VITEST = ["node_modules/vitest/vitest.mjs", "run"];
/** The long runs measure: what fails there fails. */
const TRIED = long ? VITEST : ["--import", "tsx", "test/second-try/run.ts", process.execPath, ...VITEST];
const E2E = [...TRIED, "--config", "test/e2e/vitest.config.ts"];
const FIREFOX = [...TRIED, "--config", "test/firefox/vitest.config.ts"];

/**
 * Where secrets belong: journals, which say so in their folder's name; and in a browser's profile the extension's
 * own storage (the token) and its list of uploads (what continues them, and where their videos are), which no page
 * can read. Firefox has both in one folder.
 */
const FOR_SECRETS =
  /journal|^Local Extension Settings$|^chrome-extension_[a-p]{32}_0\.indexeddb|^moz-extension\+\+\+/;

/** What passed at a second try, a line each. */
const SECOND_TRIES = "second-tries.txt";
/** What failed, with where it was thrown. */
const FAILURES = "failures.txt";

interface Evidence {
  /** Where the run leaves what it prints, throws and stores. */
  folder: string;
  environment: Record<string, string>;
  /** Steps begun: each prints into a file of its own. */
  steps: number;
}

const started = Date.now();
for (const folder of PACKAGES) await install(folder);

const run = await collectEvidence();
const checked = long || (await step(run, npm(), ["run", "--silent", "check"]));
if (!checked) {
  console.log("\nnpm run check failed: nothing was tested");
  await rm(run.folder, { recursive: true, force: true });
  process.exit(1);
}
const measured: Record<string, string> = long ? { UPCUT_LONG: "1" } : {};
/** What failed of the whole run, by its title. */
const failed: string[] = [];
let passed = 0;
outcome("tests in Node", await step(run, "node", TRIED, measured));
if (!long) {
  outcome(
    "tests in Bun, Deno, workerd and Chromium",
    await step(run, "node", ["--import", "tsx", "test/runtimes/run.ts"]),
  );
}
outcome("extension in Chromium", await step(run, "node", E2E, measured));
if (!long) outcome("extension in Firefox", await step(run, "node", FIREFOX));
for (const store of long ? REAL_STORES : []) {
  console.log(`\nThe extension with the store ${store}`);
  // They choose their stores themselves.
  const others = ["--exclude", "test/e2e/stores.test.ts"];
  outcome(
    `extension with the store ${store}`,
    await step(run, "node", [...E2E, ...others], { UPCUT_STORE: store }),
  );
}
const leaks = await search(run.folder);
const secondTries = await readLines(SECOND_TRIES);
const failures = await readLines(FAILURES);

const control = await collectEvidence();
await step(control, "node", [...VITEST, "--config", "test/control/vitest.config.ts"], {}, "quiet");
const planted = await search(control.folder);
await Promise.all([run, control].map(({ folder }) => rm(folder, { recursive: true, force: true })));

const found = planted.map(({ where }) => where).sort();
console.log(
  `\nSearch for secrets in all that was printed, thrown and stored outside a journal: ${leaks.length} found`,
);
for (const { where, line } of leaks) console.log(`  ${where}: ${line}`);
outcome("search for secrets", leaks.length === 0);
console.log(`Control run with three planted: found in ${found.join(", ") || "nothing"}`);
outcome("control run", found.join(", ") === "printed-1.txt, stored/planted.txt, thrown.txt");

console.log(`\nPassed at the second try: ${secondTries.length}`);
for (const line of secondTries) console.log(`  ${line}`);
if (failures.length > 0) console.log(`\nFailed:\n${failures.join("\n")}`);

console.log(`\nTook ${Math.round((Date.now() - started) / 1000)} s`);
console.log(
  `${passed} passed, ${failed.length} failed${failed.map((title) => `\n  FAILED: ${title}`).join("")}`,
);
process.exit(failed.length === 0 ? 0 : 1);

function outcome(title: string, hasPassed: boolean): void {
  if (hasPassed) passed++;
  else failed.push(title);
}

async function readLines(name: string): Promise<string[]> {
  const text = await readFile(join(run.folder, name), "utf8").catch(() => "");
  return text.split("\n").filter(Boolean);
}

/** Installs what the tests run in, unless the lock file's own packages are there already. */
async function install(folder: string): Promise<void> {
  const wanted = await readFile(join(folder, "package-lock.json"), "utf8");
  const stamp = join(folder, "node_modules/.installed-lock.json");
  if ((await readFile(stamp, "utf8").catch(() => "")) === wanted) return;
  const child = spawn(npm(), ["ci", "--prefix", folder], { cwd: ROOT, stdio: "inherit" });
  const code = await new Promise((resolve) => child.once("exit", resolve));
  if (code !== 0) throw new Error(`Cannot install the packages of ${folder}: npm ended with ${code}`);
  await cp(join(folder, "package-lock.json"), stamp);
}

function npm(): string {
  return process.platform === "win32" ? "npm.cmd" : "npm";
}

async function collectEvidence(): Promise<Evidence> {
  const folder = await mkdtemp(join(tmpdir(), "upcut-evidence-"));
  const stored = join(folder, "stored");
  await mkdir(stored);
  const environment: Record<string, string> = {
    UPCUT_SCRATCH: stored,
    UPCUT_THROWN_LOG: join(folder, "thrown.txt"),
    UPCUT_SECOND_TRIES: join(folder, SECOND_TRIES),
    UPCUT_FAILURES: join(folder, FAILURES),
  };
  return { folder, environment, steps: 0 };
}

/** Runs a command, shows what it prints, and keeps it. */
async function step(
  evidence: Evidence,
  command: string,
  args: string[],
  more: Record<string, string> = {},
  quiet?: "quiet",
): Promise<boolean> {
  const { folder, environment } = evidence;
  evidence.steps++;
  const child = spawn(command, args, {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...environment, ...more },
  });
  const kept = createWriteStream(join(folder, `printed-${evidence.steps}.txt`));
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

interface Leak {
  where: string;
  line: string;
}

/** Everything else that holds the marker. */
async function search(folder: string, below = ""): Promise<Leak[]> {
  const leaks: Leak[] = [];
  for (const entry of await readdir(join(folder, below), { withFileTypes: true })) {
    const where = join(below, entry.name);
    if (entry.isDirectory()) {
      if (!FOR_SECRETS.test(entry.name)) leaks.push(...(await search(folder, where)));
      continue;
    }
    if (!entry.isFile()) continue;
    const text = await readFile(join(folder, where), "latin1");
    if (!text.includes(MARKER)) continue;
    const line = text.split("\n").find((each) => each.includes(MARKER)) ?? "";
    leaks.push({ where, line: line.replaceAll(MARKER, "«secret»").trim().slice(0, 160) });
  }
  return leaks;
}

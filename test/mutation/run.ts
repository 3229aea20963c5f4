/**
 * `npm run test:mutation -- [files] [--sample N] [--seed N] [--tests PATH] [--e2e]`: changes core and the extension in
 * one small place at a time and runs the test files that reach it. Where none of them fails, nothing pins that place down.
 *
 * All mutants are compiled into one copy of the checkout, and switched on one at a time. Without files, 200 of all are
 * taken. `--tests` names the tests to run, by a part of their path; `--e2e` tries what survives in the built extension
 * as well. Ends with 1 where less than 80 % are noticed: many of the others change nothing that could be seen.
 */
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createVitest, type Vitest } from "vitest/node";
import { seeded } from "../support/seeded.ts";
import { compileIn, type Mutant, mutantsOf } from "./mutants.ts";

const LEAST_SCORE = 80;
const LATE = "nothing ends";
/** Milliseconds that vitest may take to close. */
const CLOSING_TIME = 5_000;
/** The projects of vitest whose tests are tried first, and those of the built extension. */
const LEVELS = [["units", "modules", "sockets", "pages", "browsers"], ["extension"]];
/**
 * Stands at the top of each changed file, which no compiler checks any more. Says which mutant is on; where all are off,
 * tells of each place once that it was reached.
 */
const SWITCH = `// @ts-nocheck
globalThis.mutant ??= ((text) => {
  const [, built, address] = /:(.*);(.*)@/.exec(text);
  const { MUTANT, MUTANT_LOG } = globalThis.process?.env ?? {};
  const on = Number(MUTANT ?? built);
  const told = new Set();
  const tell = (id) => {
    if (told.has(id)) return;
    told.add(id);
    if (MUTANT_LOG) process.getBuiltinModule("fs").appendFileSync(MUTANT_LOG, id + "\\n");
    else fetch(address + id, { mode: "no-cors" }).catch(() => {});
  };
  return (MUTANT ? MUTANT_LOG : address) ? tell : (id) => id === on;
})("@mutant:0;@");
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: "string" },
    seed: { type: "string", default: "1" },
    tests: { type: "string", multiple: true },
    e2e: { type: "boolean", default: false },
  },
});
const project = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], { encoding: "utf8" })
  .split("\n")
  .filter((file) => file !== "" && fs.existsSync(file));
const mutants = choose();
const killed = new Set<Mutant>();
const copy = fs.mkdtempSync(join(tmpdir(), "upcut-mutants-"));
process.once("exit", () => fs.rmSync(copy, { recursive: true, force: true, maxRetries: 9 }));
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130));
copyProject();
process.chdir(copy);
/** The places that were reached, a line each. */
const log = resolve(".reached");
const server = createServer(({ url = "" }, response) => {
  fs.appendFileSync(log, `${url.slice(1)}\n`);
  response.end();
}).listen(0, "127.0.0.1");
for (const level of LEVELS.slice(0, values.e2e ? 2 : 1)) await tryAll(level);
for (const { file, line, before, after } of mutants.filter((mutant) => !killed.has(mutant)))
  console.log(`survived: ${file}:${line}\n  - ${before}\n  + ${after}`);
const score = (100 * killed.size) / mutants.length;
console.log(`${killed.size} of ${mutants.length} killed, ${score.toFixed(1)} %`);
process.exit(score < LEAST_SCORE ? 1 : 0);

function choose(): Mutant[] {
  const sources = /^(core(?!\/examples)|entrypoints(?!\/locales))\/.*(?<!\.d)\.tsx?$/;
  const files = positionals.length > 0 ? positionals : project.filter((file) => sources.test(file));
  const all = files.flatMap((file) => mutantsOf(file, fs.readFileSync(file, "utf8")));
  const size = values.sample ?? (positionals.length > 0 ? all.length : 200);
  const random = seeded(Number(values.seed));
  const order = all.map((mutant) => ({ mutant, at: random() })).sort((a, b) => a.at - b.at);
  return order.slice(0, Number(size)).map(({ mutant }) => mutant);
}

function copyProject(): void {
  for (const file of project) fs.cpSync(file, join(copy, file));
  for (const folder of ["node_modules", "test/runtimes/node_modules", "test/pages/node_modules"])
    if (fs.existsSync(folder)) fs.symlinkSync(resolve(folder), join(copy, folder));
  for (const file of new Set(mutants.map(({ file }) => file))) {
    const own = mutants.filter((mutant) => mutant.file === file);
    const is = (mutant: Mutant) => `globalThis.mutant?.(${mutants.indexOf(mutant) + 1})`;
    const compiled = compileIn(fs.readFileSync(file, "utf8"), own, is);
    const withSwitch = compiled.replace(/^(#!.*\n)?/, (first) => first + SWITCH);
    fs.writeFileSync(join(copy, file), withSwitch);
  }
}

/** Runs each test file once to see what it reaches, and with each mutant those that reach it, the fastest first. */
async function tryAll(level: string[]): Promise<void> {
  const tests: { file: string; took: number; reached: string[] }[] = [];
  process.env.MUTANT_LOG = log;
  let vitest = await start(level);
  for (const { moduleId: file } of await vitest.globTestSpecifications(values.tests)) {
    const began = performance.now();
    fs.writeFileSync(log, "");
    const problem = await run(vitest, file, 0, 600_000);
    const reached = fs.readFileSync(log, "utf8").split("\n");
    if (problem === undefined) tests.push({ file, took: performance.now() - began, reached });
    else console.log(`left out, since it fails as it is: ${problem}`);
  }
  delete process.env.MUTANT_LOG;
  tests.sort((a, b) => a.took - b.took);
  for (const [at, mutant] of mutants.entries()) {
    const reaching = tests.filter(({ reached }) => !killed.has(mutant) && reached.includes(`${at + 1}`));
    for (const { file, took } of reaching) {
      const problem = await run(vitest, file, at + 1, 60_000 + 5 * took);
      if (problem === undefined) continue;
      killed.add(mutant);
      console.log(
        `killed: ${mutant.file}:${mutant.line} ${mutant.before} → ${mutant.after}\n  by ${problem}`,
      );
      if (problem === LATE) {
        // A worker in a loop without end hears of nothing, and would be waited for.
        spawnSync("pkill", ["-KILL", "-P", String(process.pid), "-f", "vitest"]);
        await Promise.race([vitest.close(), delay(CLOSING_TIME)]);
        vitest = await start(level);
      }
      break;
    }
  }
  await vitest.close();
}

function start(level: string[]): Promise<Vitest> {
  const options = { project: level, watch: false, reporters: [{}], maxWorkers: 1, bail: 1 };
  return createVitest("test", options, { logLevel: "silent" });
}

/** Runs a test file with a mutant switched on: the first test that fails, with its message. */
async function run(vitest: Vitest, file: string, mutant: number, limit: number): Promise<string | undefined> {
  switchOn(mutant, vitest);
  const running = vitest.runTestSpecifications(await vitest.globTestSpecifications([file]));
  const ended = await Promise.race([running, delay(limit, undefined, { ref: false })]);
  if (ended === undefined) return LATE;
  // vitest hands back every file that it ever ran.
  const module = ended.testModules.find(({ moduleId }) => moduleId === file);
  if (module === undefined || module.ok()) return ended.unhandledErrors.map(String)[0];
  const [test] = module.children.allTests("failed");
  const [error] = test?.result().errors ?? module.errors();
  return `${module.relativeModuleId} > ${test?.fullName ?? ""}: ${error?.message}`;
}

/** Node hears of it by its environment, a browser by the text: in the sources, and in what was built of them before. */
function switchOn(mutant: number, vitest: Vitest): void {
  process.env.MUTANT = `${mutant}`;
  const told = process.env.MUTANT_LOG && `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const built = vitest.projects.flatMap((project) => Object.values(project.getProvidedContext())).map(String);
  for (const folder of ["core", "entrypoints", ".output", ...built].filter(fs.existsSync)) {
    for (const name of fs.readdirSync(folder, { recursive: true, encoding: "utf8" })) {
      if (!/\.([jt]s|tsx)$/.test(name)) continue;
      const text = fs.readFileSync(join(folder, name), "utf8");
      const switched = text.replace(/@mutant:[^@]*@/g, `@mutant:${mutant};${told ?? ""}@`);
      if (switched !== text) fs.writeFileSync(join(folder, name), switched);
    }
  }
}

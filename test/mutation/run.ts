/**
 * `npm run test:mutation -- [files] [--sample N] [--seed N] [--again log]`: changes the sources of core in one small place at a time
 * and runs the tests that call the changed function. Where none of them fails, nothing pins that place down.
 *
 * `--sample` takes so many mutants of each file, chosen by `--seed` (1 by default), `--again` those that survived by what
 * a former run printed. Ends with 1 where less than 85 % of
 * the mutants are noticed, those left out that `survivors.ts` explains, or where some could not be run.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { seeded } from "../seeded.ts";
import { chooseTests } from "./choose-tests.ts";
import { coverTests } from "./cover-tests.ts";
import { type Mutant, mutantsOf } from "./mutants.ts";
import { startTestProcess, type TestProcess } from "./processes.ts";
import type { Covered } from "./session.ts";
import { explained } from "./survivors.ts";

const LEAST_SCORE = 85;
const PROCESSES = 2;

type Outcome = "killed" | "timed out" | "survived" | "explained" | "not run";

interface Result {
  mutant: Mutant;
  outcome: Outcome;
  /** The test that noticed it, or why none can. */
  by: string | undefined;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: "string" },
    seed: { type: "string", default: "1" },
    again: { type: "string" },
    verbose: { type: "boolean" },
  },
});

const began = Date.now();
const sources = filesBelow("core").filter(
  (file) => /(?<!\.d)\.ts$/.test(file) && !file.includes("/examples/"),
);
const tests = filesBelow("test/core").filter((file) => /(?<!\.long|examples)\.test\.ts$/.test(file));
const files = positionals.length === 0 ? sources : positionals;
const processes = Array.from({ length: PROCESSES }, startTestProcess);
process.once("SIGINT", () => process.exit(130));
process.once("exit", () => {
  for (const each of processes) each.end();
});

const covered = await coverTests(sources, tests, processes);
const survived = values.again === undefined ? undefined : readFileSync(values.again, "utf8");
const mutants = files.flatMap((file) => sampled(mutantsOf(file, readFileSync(file, "utf8"))));
console.log(
  `${mutants.length} mutants in ${files.length} files, ${covered.length} tests (${secondsSince(began)} s)`,
);
const results: Result[] = [];
const left = [...mutants];
await Promise.all(processes.map(work));
report(results);
const notRun = results.filter(({ outcome }) => outcome === "not run").length;
process.exit(scoreOf(results) < LEAST_SCORE || notRun > 0 ? 1 : 0);

async function work(process: TestProcess): Promise<void> {
  for (let mutant = left.shift(); mutant !== undefined; mutant = left.shift()) {
    const result = await test(mutant, covered, process);
    results.push(result);
    if (result.outcome === "survived") console.log(wordsOf(result).trimEnd());
    else if (values.verbose === true)
      console.log(`${result.outcome}: ${mutant.file}:${mutant.line} ${mutant.after}\n    ${result.by ?? ""}`);
  }
}

async function test(mutant: Mutant, covered: Covered[], process: TestProcess): Promise<Result> {
  const reason = explained(mutant);
  if (reason !== undefined) return { mutant, outcome: "explained", by: reason };
  const choices = chooseTests(mutant, covered);
  for (const { chosen, milliseconds } of choices) {
    const limit = 15_000 + 5 * milliseconds;
    let reply = await process.run({ mutant, chosen }, limit);
    // A process that ended says nothing of the mutant, unless the mutant is what ends it.
    if (reply !== "timed out" && "error" in reply) reply = await process.run({ mutant, chosen }, limit);
    // Nor does the time it takes, on a machine that others use, unless it takes several times as long as that.
    if (reply === "timed out") reply = await process.run({ mutant, chosen }, 4 * limit);
    if (reply === "timed out") return { mutant, outcome: "timed out", by: undefined };
    if ("error" in reply) return { mutant, outcome: "not run", by: reply.error };
    if ("killedBy" in reply && reply.killedBy !== undefined)
      return { mutant, outcome: "killed", by: reply.killedBy };
  }
  const tests = choices.reduce((sum, choice) => sum + choice.tests, 0);
  return { mutant, outcome: "survived", by: `${tests} tests that call its function pass` };
}

function report(results: Result[]): void {
  const rows = [...new Set(results.map(({ mutant }) => mutant.file))].sort().map((file) => ({
    file,
    of: results.filter(({ mutant }) => mutant.file === file),
  }));
  console.log("\n| file | mutants | killed | timed out | survived | explained | not run | score |");
  console.log("|---|--:|--:|--:|--:|--:|--:|--:|");
  for (const { file, of } of [...rows, { file: "all", of: results }]) {
    const count = (outcome: Outcome) => of.filter((each) => each.outcome === outcome).length;
    const counts = [
      of.length,
      count("killed"),
      count("timed out"),
      count("survived"),
      count("explained"),
      count("not run"),
    ];
    console.log(`| ${[file, ...counts, `${scoreOf(of).toFixed(1)} %`].join(" | ")} |`);
  }
  console.log(`\nSurvivors\n`);
  for (const { of } of rows)
    for (const result of of.filter(({ outcome }) => /survived|explained|not run/.test(outcome)))
      console.log(wordsOf(result).trimEnd());
  console.log(`\nTook ${secondsSince(began)} s`);
}

function wordsOf({ mutant, outcome, by }: Result): string {
  return `${mutant.file}:${mutant.line} ${outcome}${by === undefined ? "" : `: ${by}`}\n${linesOf(mutant)}`;
}

function linesOf({ before, after }: Mutant): string {
  return `  - ${before}\n  + ${after}\n`;
}

/** Percent of the mutants that some test notices. */
function scoreOf(results: Result[]): number {
  const counted = results.filter(({ outcome }) => outcome !== "explained" && outcome !== "not run");
  const noticed = counted.filter(({ outcome }) => outcome !== "survived");
  return counted.length === 0 ? 100 : (100 * noticed.length) / counted.length;
}

function sampled(mutants: Mutant[]): Mutant[] {
  if (survived !== undefined) return mutants.filter((mutant) => survived.includes(linesOf(mutant)));
  if (values.sample === undefined) return mutants;
  const random = seeded(Number(values.seed));
  const order = mutants.map((mutant) => ({ mutant, at: random() })).sort((a, b) => a.at - b.at);
  return order.slice(0, Number(values.sample)).map(({ mutant }) => mutant);
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((file) => join(folder, file))
    .sort();
}

function secondsSince(began: number): number {
  return Math.round((Date.now() - began) / 1000);
}

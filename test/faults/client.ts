/**
 * One upload by a plan, in whichever runtime with a disk runs this; prints how far it is, then its outcome as JSON.
 * Where no plan is given, they come one after another, each on a line of the input.
 */
import { execFileSync } from "node:child_process";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileJournal, openFile } from "../../core/file.ts";
import { memoryJournal } from "../../core/mod.ts";
import { type ClientPlan, carryOut } from "./plan.ts";

const { UPCUT_URL: baseUrl = "", UPCUT_TOKEN: token = "" } = process.env;
const [, , given] = process.argv;
if (given !== undefined) await run(given);
else {
  console.log("ready");
  for await (const line of createInterface({ input: process.stdin })) await run(line);
}

async function run(text: string): Promise<void> {
  const plan = JSON.parse(text) as ClientPlan;
  if (plan.largestFile !== undefined) {
    // Its default is to end the process, which a full disk doesn't.
    process.on("SIGXFSZ", () => {});
    execFileSync("prlimit", ["--pid", `${process.pid}`, `--fsize=${plan.largestFile}`]);
  }
  const lease = plan.leaseTimeout === undefined ? {} : { leaseTimeout: plan.leaseTimeout };
  const journal = plan.journal === undefined ? memoryJournal() : fileJournal(plan.journal, lease);
  const outcome = await carryOut(plan, { baseUrl, token, journal, open: openFile, say: console.log });
  console.log(JSON.stringify(outcome));
}

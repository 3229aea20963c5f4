/** One upload by a plan, in whichever runtime with a disk runs this; prints how far it is, then its outcome as JSON. */
import { execFileSync } from "node:child_process";
import process from "node:process";
import { fileJournal, openFile } from "../../core/file.ts";
import { memoryJournal } from "../../core/mod.ts";
import { type ClientPlan, carryOut } from "./plan.ts";

const { UPCUT_URL: baseUrl = "", UPCUT_TOKEN: token = "" } = process.env;
const plan = JSON.parse(process.argv[2] ?? "{}") as ClientPlan;
if (plan.largestFile !== undefined) {
  // The signal's default is to end the process, which a full disk doesn't.
  process.on("SIGXFSZ", () => {});
  execFileSync("prlimit", ["--pid", `${process.pid}`, `--fsize=${plan.largestFile}`]);
}
const lease = plan.leaseTimeout === undefined ? {} : { leaseTimeout: plan.leaseTimeout };
const journal = plan.journal === undefined ? memoryJournal() : fileJournal(plan.journal, lease);
const outcome = await carryOut(plan, { baseUrl, token, journal, open: openFile, say: console.log });
console.log(JSON.stringify(outcome));

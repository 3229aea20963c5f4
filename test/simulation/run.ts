/**
 * `npm run simulate -- [--seed N] [--minutes M] [--cores N]`: lives one after the other, each drawn from its number. One that
 * shows a fault is shortened to the events that it takes, and told; `--seed` lives it again.
 */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { live } from "./life.ts";
import { planOf } from "./plan.ts";
import { bundleCore } from "./process.ts";
import { liveFor, shorten, storyOf } from "./search.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    minutes: { type: "string", default: "1" },
    cores: { type: "string", default: "1" },
  },
});
const { seed, minutes, cores } = values;
// Each core lives on its own: no two of them draw the same numbers.
for (let core = 1; core < Number(cores); core++) {
  const args = ["--import", "tsx", fileURLToPath(import.meta.url), "--minutes", minutes];
  spawn(process.execPath, args, { stdio: "inherit" }).once("exit", (code) => {
    process.exitCode ||= code ?? 1;
  });
}
const program = await bundleCore();
if (seed === undefined) {
  const { tally, stories } = await liveFor(Number(minutes) * 60_000, program, console.log);
  console.log(tally.inWords());
  if (stories.length > 0) process.exitCode = 1;
} else {
  const plan = await shorten(planOf(Number(seed)), program);
  const life = await live(plan, program);
  console.log(storyOf(plan, life));
  if (life.wrong.length > 0) process.exitCode = 1;
}

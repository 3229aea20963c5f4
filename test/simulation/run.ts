/**
 * `npm run simulate -- [--seed N] [--minutes M] [--cores N]`: lives one after the other, each drawn from its number. One that
 * shows a fault is shortened to the events that it takes, and told; `--seed` lives it again.
 */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { planOf } from "./plan.ts";
import { bundleCore } from "./process.ts";
import { liveFor, shortestStory } from "./search.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    minutes: { type: "string", default: "1" },
    cores: { type: "string", default: "1" },
  },
});
const { seed, minutes, cores } = values;
for (let core = 1; core < Number(cores); core++) {
  const args = ["--import", "tsx", fileURLToPath(import.meta.url), "--minutes", minutes];
  spawn(process.execPath, args, { stdio: "inherit" }).once("exit", (code) => {
    process.exitCode ||= code ?? 1;
  });
}
const program = await bundleCore();
if (seed !== undefined) console.log(await shortestStory(planOf(Number(seed)), program));
else {
  const { stories, tally } = await liveFor(Number(minutes) * 60_000, program);
  console.log([...stories, tally].join("\n\n"));
  process.exitCode = stories.length > 0 ? 1 : 0;
}

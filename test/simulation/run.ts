/**
 * `npm run simulate -- [--seed N] [--first N] [--minutes M] [--cores N] [--fault NAME]`: lives one after the other, each drawn
 * from its number. One that shows a fault is shortened to the events that it takes, and told; `--seed` lives it again.
 * `--fault` puts back a known fault whose name begins so.
 */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { KNOWN_FAULTS } from "./known-faults.ts";
import { planOf } from "./plan.ts";
import { bundleCore } from "./process.ts";
import { search, shortestStory } from "./search.ts";

/** More than a core can live. */
const LIVES_OF_A_CORE = 1e8;

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    first: { type: "string", default: `${Date.now()}` },
    minutes: { type: "string", default: "1" },
    cores: { type: "string", default: "1" },
    fault: { type: "string" },
  },
});
const { seed, minutes, cores, fault } = values;
const first = Number(values.first);
for (let core = 1; core < Number(cores); core++) {
  const own = ["--first", `${first + core * LIVES_OF_A_CORE}`, "--minutes", minutes];
  const args = ["--import", "tsx", fileURLToPath(import.meta.url), ...own];
  spawn(process.execPath, args, { stdio: "inherit" }).once("exit", (code) => {
    process.exitCode ||= code ?? 1;
  });
}
const known = KNOWN_FAULTS.find(({ name }) => fault !== undefined && name.startsWith(fault));
const program = await bundleCore(known?.changes);
if (seed !== undefined) console.log(await shortestStory(planOf(Number(seed)), program, known?.shows));
else {
  const ends = { milliseconds: Number(minutes) * 60_000, ...(known && { shows: known.shows, most: 1 }) };
  const { stories, tally } = await search(program, { first, ...ends });
  console.log([...stories, tally].join("\n\n"));
  process.exitCode = stories.length > 0 ? 1 : 0;
}

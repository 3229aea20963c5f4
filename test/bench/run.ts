/**
 * `npm run bench [-- PART …] [--quick]`: measures, and writes the results page; a part alone renews its own section.
 *
 * With `--quick` it uses small files and few rounds, and writes nothing.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { succeed } from "../packaging/run.ts";
import { chromium } from "./chromium.ts";
import { latency } from "./latency.ts";
import { describeMachine, describePeers } from "./machine.ts";
import { many } from "./many.ts";
import { memory } from "./memory.ts";
import { type Part, page, readPage, type Sections, writeSection } from "./report.ts";
import { scale } from "./scale.ts";
import { secure } from "./secure.ts";
import { ROOT } from "./sinks.ts";
import { size } from "./size.ts";
import { small } from "./small.ts";
import { start } from "./start.ts";
import { throughput } from "./throughput.ts";
import { openVideos } from "./videos.ts";

const parts: Record<string, Part> = {
  throughput,
  chromium,
  secure,
  memory,
  latency,
  size,
  start,
  scale,
  many,
  small,
};
const RESULTS = join(import.meta.dirname, "results/README.md");

const quick = process.argv.includes("--quick");
const wanted = process.argv.slice(2).filter((each) => each !== "--quick");
const unknown = wanted.filter((name) => !(name in parts));
if (unknown.length > 0)
  throw new Error(`there is no part ${unknown.join(", ")}, only ${Object.keys(parts).join(", ")}`);

for (const folder of ["test/runtimes", "test/bench"]) await succeed("npm", ["ci", "--prefix", folder], ROOT);
for (const script of ["build:core", "build"]) await succeed("npm", ["run", "--silent", script], ROOT);

const machine = describeMachine();
const videos = await openVideos();
const peers = describePeers();
const measured: Sections[] = [];
/** A part that fails leaves what the others have measured. */
const publish = async (sections: Sections) => {
  const earlier = readPage(await readFile(RESULTS, "utf8"));
  await writeFile(RESULTS, page(peers, new Map([...earlier, ...sections])));
};
try {
  for (const [name, part] of Object.entries(parts)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    console.log(`\n── ${name}`);
    const started = Date.now();
    const sections = writeSection({ ...(await part({ quick, videos })), machine });
    if (quick) measured.push(sections);
    else await publish(sections);
    console.log(`   took ${Math.round((Date.now() - started) / 1000)} s`);
  }
} finally {
  await videos.remove();
}

if (quick) console.log(`\n${page(peers, new Map(measured.flatMap((sections) => [...sections])))}`);
else console.log(`\nWrote ${RESULTS}`);

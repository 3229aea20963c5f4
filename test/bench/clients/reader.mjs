/** Loads core, reads an address by fetch and drops what comes: the least that a stream or a video there can take. */
import process from "node:process";

const plan = JSON.parse(process.argv[2]);
const load = (name) => import(`../../../${plan.built ? `dist/${name}.js` : `core/${name}.ts`}`);
await Promise.all([load("mod"), load("file")]);

const began = performance.now();
const { body } = await fetch(plan.from[0].url);
const reader = body.getReader();
for (let done = false; !done; ) ({ done } = await reader.read());
console.log(JSON.stringify({ milliseconds: performance.now() - began, ids: [] }));

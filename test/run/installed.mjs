/** Before `npm run check`, whose programs are packages: says which of them aren't installed. Node alone runs it. */
import { existsSync } from "node:fs";

const NEEDED = [
  ["node_modules", "npm ci"],
  ["test/runtimes/node_modules", "npm --prefix test/runtimes ci"],
];

const missing = NEEDED.filter(
  ([folder]) => !existsSync(new URL(`../../${folder}/.package-lock.json`, import.meta.url)),
);
for (const [folder, command] of missing) console.error(`${folder} isn't installed. Run ${command}`);
if (missing.length > 0) process.exitCode = 1;

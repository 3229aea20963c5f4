/**
 * `npm run test:quick`: the units of core and of the extension, and the tests of those pages whose sources differ from
 * the main branch or are not committed yet. Folders of the extension given as arguments are taken in their place. Where
 * the extension alone has changed, the units of core, which know nothing of it, are left out.
 */
import { execFileSync, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Beginnings of sources, the most particular first, and the tests of pages that answer for them. */
const ANSWERS: [source: string, tests: string[]][] = [
  ["entrypoints/collector/", ["collector"]],
  ["entrypoints/options/", ["options"]],
  ["entrypoints/terminate/", ["terminate"]],
  ["entrypoints/popup/page-videos/", ["popup-videos"]],
  ["entrypoints/popup/", ["popup-list", "popup-drafts", "popup-next-steps"]],
  ["entrypoints/shared/", ["popup-list", "options", "terminate"]],
  ["entrypoints/view/", ["popup-list", "options", "terminate"]],
];

const OF_EXTENSION = /^(test\/)?(entrypoints|e2e|pages)\//;

const given = process.argv.slice(2);
const changed = given.length > 0 ? given.map((folder) => `entrypoints/${folder}/`) : changedFiles();
const tests = new Set(
  changed.flatMap((file) => ANSWERS.find(([source]) => file.startsWith(source))?.[1] ?? []),
);
const pages = [...tests].map((test) => `test/entrypoints/${test}`);
console.log(`Pages: ${pages.join(", ") || "none has changed"}`);
const vitest = ["node_modules/vitest/vitest.mjs", "run"];
const isExtensionAlone = changed.length > 0 && changed.every((file) => OF_EXTENSION.test(file));
const units = isExtensionAlone ? [] : ["--project", "units"];
const passed = [await run([...units, "--project", "modules"])];
if (pages.length > 0) passed.push(await run(["--project", "pages", ...pages]));
process.exitCode = passed.includes(false) ? 1 : 0;

function changedFiles(): string[] {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: ROOT, encoding: "utf8" });
  const branches = git("branch", "--all", "--format=%(refname:short)").split("\n");
  const main = ["origin/main", "main"].find((name) => branches.includes(name)) ?? "HEAD";
  const base = git("merge-base", main, "HEAD").trim();
  const files = [git("diff", "--name-only", base), git("ls-files", "--others", "--exclude-standard")];
  return files.flatMap((list) => list.split("\n")).filter(Boolean);
}

function run(args: string[]): Promise<boolean> {
  const child = spawn(process.execPath, [...vitest, ...args], { cwd: ROOT, stdio: "inherit" });
  return new Promise((resolve) => child.once("close", (code) => resolve(code === 0)));
}

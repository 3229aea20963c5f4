/**
 * `npm run test:quick [-- FILES]`: the tests that lie where sources lie which differ from the main branch or are not
 * committed yet, or where those lie that are named. `core/source/url.ts` has `test/core/source/url.test.ts` and
 * `url-changes.test.ts`, unless there is a `url-changes.ts`; what needs another runtime has `test/runtimes/page.test.ts`.
 * A source without a test of its own has those that import it, and those of the sources beside it that do;
 * where none of them lies at its place, also all that do.
 */
import { execFileSync, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SOURCE = /^(core|entrypoints)\/.+\.(tsx?|css|html|yml)$/;
const TEST = /\.test\.ts$/;
/** Tests that take longer: `npm run test:all` and `npm run test:long`. */
const LATER = /\.(all|long)\.test\.ts$/;

/** The tests of sources that Node has no runtime for: they are named after a source of any folder. */
const RUNTIMES = "test/runtimes";

const given = process.argv.slice(2).map((file) => relative(ROOT, resolve(file)));
const files = given.length > 0 ? given : changedFiles();
const tests = [...new Set(files.flatMap(testsOf))];
console.log(`Tests: ${tests.join(", ") || "none lies where a source has changed"}`);
if (tests.length > 0) {
  const vitest = ["node_modules/vitest/vitest.mjs", "run", "--bail", "1", "--testTimeout", "30000", ...tests];
  const child = spawn(process.execPath, vitest, { cwd: ROOT, stdio: "inherit" });
  process.exitCode = await new Promise((resolve) => child.once("close", (code) => resolve(code ?? 1)));
}

function testsOf(file: string): string[] {
  if (TEST.test(file)) return LATER.test(file) || !existsSync(join(ROOT, file)) ? [] : [file];
  if (!SOURCE.test(file)) return [];
  const [area = ""] = file.split("/", 1);
  const tests = [...testsIn(join("test", area)), ...(area === "core" ? testsIn(RUNTIMES) : [])];
  const nearest = nearestTests(file, tests, new Set());
  if (nearest.some((test) => [join("test", dirname(file)), RUNTIMES].includes(dirname(test)))) return nearest;
  for (let folder = dirname(file); folder !== "."; folder = dirname(folder)) {
    const beside = tests.filter((test) => dirname(test) === join("test", folder));
    if (beside.length > 0) return [...nearest, ...beside];
  }
  return nearest;
}

/** The tests of a source, or else those that import it and those of the sources beside it that do. */
function nearestTests(file: string, tests: string[], seen: Set<string>): string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const sources = namesIn(dirname(file)).map((name) => join(dirname(file), name));
  const longer = sources.filter((other) => isNamedAfter(other, file) && stem(other) !== stem(file));
  const own = tests.filter(
    (test) =>
      [join("test", dirname(file)), RUNTIMES].includes(dirname(test)) &&
      isNamedAfter(test, file) &&
      !longer.some((other) => isNamedAfter(test, other)),
  );
  if (own.length > 0) return own;
  const above = sources.filter((other) => SOURCE.test(other) && imports(other, file));
  return [
    ...tests.filter((test) => imports(test, file)),
    ...above.flatMap((other) => nearestTests(other, tests, seen)),
  ];
}

function imports(importing: string, file: string): boolean {
  const text = readFileSync(join(ROOT, importing), "utf8");
  return [...text.matchAll(/^(?:import|export) (?!type)[^;]*? from "(\.[^"]+)"/gm)].some(
    ([, to = ""]) => join(dirname(importing), to) === file,
  );
}

function testsIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter(({ name }) => name !== "node_modules")
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return testsIn(path);
      return TEST.test(path) && !LATER.test(path) ? [path] : [];
    });
}

function isNamedAfter(other: string, file: string): boolean {
  return `${stem(other)}-`.startsWith(`${stem(file)}-`);
}

function stem(file: string): string {
  return basename(file).split(".")[0] ?? "";
}

function namesIn(folder: string): string[] {
  return existsSync(join(ROOT, folder)) ? readdirSync(join(ROOT, folder)) : [];
}

function changedFiles(): string[] {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: ROOT, encoding: "utf8" });
  const branches = git("branch", "--all", "--format=%(refname:short)").split("\n");
  const main = ["origin/main", "main"].find((name) => branches.includes(name)) ?? "HEAD";
  const base = git("merge-base", main, "HEAD").trim();
  const found = [git("diff", "--name-only", base), git("ls-files", "--others", "--exclude-standard")];
  return found.flatMap((list) => list.split("\n")).filter(Boolean);
}

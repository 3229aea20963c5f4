/** Each name that a file exports means one thing in core, and one in the extension. */
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "./run.ts";

/** One idea in two contexts, and why it stays. */
const TWICE: Record<string, string> = {
  importMediabunny: "one file stands for the other in bundlers that know `require` alone",
};
const EXPORTED =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|let|class|interface|type) (\w+)/gm;

async function doublesIn(folder: string): Promise<string[]> {
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard", folder], { cwd: ROOT });
  const files = listed
    .toString()
    .split("\n")
    .filter((file) => /(?<!\.d)\.tsx?$/.test(file) && !file.startsWith("core/examples/"));
  const places = new Map<string, Set<string>>();
  for (const file of files)
    for (const [, name = ""] of (await readFile(join(ROOT, file), "utf8")).matchAll(EXPORTED))
      places.set(name, (places.get(name) ?? new Set()).add(file));
  expect(places.size).toBeGreaterThan(400);
  return [...places].filter(([name, { size }]) => size > 1 && !(name in TWICE)).map(([name]) => name);
}

test.each(["core", "entrypoints"])("%s exports no name from two files", async (folder) => {
  expect(await doublesIn(folder)).toEqual([]);
});

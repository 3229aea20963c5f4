/** Nobody else publishes: workflows have an identity in place of a token, and nothing that they install runs by itself. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "./run.ts";

const read = (path: string) => readFile(join(ROOT, path), "utf8");

test("a release is published with provenance, by the identity of its workflow", async () => {
  const release = await read(".github/workflows/release.yml");
  expect(release).toContain("id-token: write");
  expect(release).toMatch(/uses: actions\/attest-build-provenance@.*\n\s+with:\n\s+subject-path: .*\.zip/);
  expect(release.match(/\bnpm publish\b.*/g)).toEqual([
    "npm publish --provenance --access public ./.output/npm",
  ]);
});

test("workflows keep no token, and run actions of a known commit alone", async () => {
  const names = await readdir(join(ROOT, ".github/workflows"));
  const workflows = await Promise.all(names.map((name) => read(`.github/workflows/${name}`)));
  expect(workflows.filter((text) => /\bsecrets\b|_TOKEN: (?!\$\{\{ github\.token \}\})/.test(text))).toEqual(
    [],
  );
  const actions = workflows.flatMap((text) => text.match(/\buses: [^.\s]\S+/g) ?? []);
  expect(actions.length).toBeGreaterThan(3);
  expect(actions.filter((action) => !/@[\da-f]{40}$/.test(action))).toEqual([]);
});

const FOLDERS = [
  ".",
  "test/runtimes",
  "core/examples/fleet",
  "test/bundlers",
  "test/works-with/runtimes",
  "test/works-with/tus-servers",
];
test.each(FOLDERS)("no install script runs in %s", async (folder) => {
  const { allowScripts } = JSON.parse(await read(join(folder, "package.json"))) as { allowScripts: object };
  const { packages } = JSON.parse(await read(join(folder, "package-lock.json"))) as {
    packages: Record<string, { hasInstallScript?: true }>;
  };
  const withScript = Object.keys(packages).filter((path) => packages[path]?.hasInstallScript);
  const names = new Set(withScript.map((path) => path.slice(path.lastIndexOf("node_modules/") + 13)));
  expect(allowScripts).toEqual(Object.fromEntries([...names].map((name) => [name, false])));
});

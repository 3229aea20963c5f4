import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { VERSION } from "../../core/cli/version.ts";
import { ROOT } from "./run.ts";

interface Manifest {
  version: string;
  license: string;
  bin: Record<string, string>;
  exports: Record<string, { types: string; default: string } | string>;
  dependencies: Record<string, string>;
  /** Asked for by those who use what needs them. */
  peerDependencies: Record<string, string>;
  scripts: Record<string, string>;
}

interface DenoManifest {
  version: string;
  license: string;
  exports: Record<string, string>;
  imports: Record<string, string>;
  tasks: Record<string, string>;
}

const read = async <T>(path: string) => JSON.parse(await readFile(join(ROOT, path), "utf8")) as T;
const npm = await read<Manifest>("package.json");
const deno = await read<DenoManifest>("core/deno.json");

test("npm and JSR get the same version under the same licence", () => {
  expect({ version: deno.version, license: deno.license }).toEqual({
    version: npm.version,
    license: npm.license,
  });
  expect(VERSION).toBe(npm.version);
});

test("npm and JSR get the same entries, built from the same files", () => {
  const built = Object.entries(deno.exports).map(([entry, source]) => {
    const module = source.replace(/^\.\/(.+)\.ts$/, "./dist/$1");
    return [entry, { types: `${module}.d.ts`, default: `${module}.js` }];
  });
  // npm alone has a manifest of this name to give.
  const manifest = ["./package.json", "./package.json"];
  expect(npm.exports).toEqual(Object.fromEntries([...built, manifest]));
});

test.each(["check", "docs"])("the Deno task %s takes all entries", (task) => {
  const named = deno.tasks[task]?.split(" ").filter((word) => word.endsWith(".ts"));
  expect(named?.map((path) => `./${path}`).sort()).toEqual(Object.values(deno.exports).sort());
});

test("npm and JSR ask for the same dependencies in the same ranges", () => {
  const all = { ...npm.peerDependencies, ...npm.dependencies };
  const asked = Object.entries(all).map(([name, range]) => [name, `npm:${name}@${range}`]);
  expect(deno.imports).toEqual(Object.fromEntries(asked));
});

test("npx has one command to run, whatever it is called", () => {
  expect(npm.exports["./cli"]).toMatchObject({ default: `./${npm.bin.upcut}` });
  expect(Object.keys(npm.bin)).toEqual(["upcut"]);
});

test("installing the package runs none of our scripts", () => {
  const onInstall = ["preinstall", "install", "postinstall", "preprepare", "prepare", "postprepare"];
  expect(Object.keys(npm.scripts).filter((name) => onInstall.includes(name))).toEqual([]);
});

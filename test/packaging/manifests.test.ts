import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "./run.ts";

interface Manifest {
  version: string;
  license: string;
  exports: Record<string, { types: string; default: string }>;
  dependencies: Record<string, string>;
  scripts: Record<string, string>;
}

interface DenoManifest {
  version: string;
  license: string;
  exports: Record<string, string>;
  imports: Record<string, string>;
}

const read = async <T>(path: string) => JSON.parse(await readFile(join(ROOT, path), "utf8")) as T;
const npm = await read<Manifest>("package.json");
const deno = await read<DenoManifest>("core/deno.json");

test("npm and JSR get the same version under the same licence", () => {
  expect({ version: deno.version, license: deno.license }).toEqual({
    version: npm.version,
    license: npm.license,
  });
});

test("npm and JSR get the same entries, built from the same files", () => {
  const built = Object.entries(deno.exports).map(([entry, source]) => {
    const module = source.replace(/^\.\/(.+)\.ts$/, "./dist/$1");
    return [entry, { types: `${module}.d.ts`, default: `${module}.js` }];
  });
  expect(npm.exports).toEqual(Object.fromEntries(built));
});

test("npm and JSR ask for the same dependencies in the same ranges", () => {
  const asked = Object.entries(npm.dependencies).map(([name, range]) => [name, `npm:${name}@${range}`]);
  expect(deno.imports).toEqual(Object.fromEntries(asked));
});

test("installing the package runs none of our scripts", () => {
  const onInstall = ["preinstall", "install", "postinstall", "preprepare", "prepare", "postprepare"];
  expect(Object.keys(npm.scripts).filter((name) => onInstall.includes(name))).toEqual([]);
});

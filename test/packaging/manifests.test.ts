import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { VERSION } from "../../core/cli/version.ts";
import deno from "../../core/deno.json" with { type: "json" };
import npm from "../../package.json" with { type: "json" };
import runtimes from "../runtimes/package.json" with { type: "json" };
import { LEAST_TYPESCRIPT } from "./packed.ts";
import { ROOT } from "./run.ts";

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

test("the Deno task lint takes all entries", () => {
  const named = deno.tasks.lint.split(" ").filter((word) => word.endsWith(".ts"));
  expect(named.map((path) => `./${path}`).sort()).toEqual(Object.values(deno.exports).sort());
});

test("npm and JSR ask for the same dependencies in the same ranges", () => {
  const all = { ...npm.peerDependencies, ...npm.dependencies };
  const asked = Object.entries(all).map(([name, range]) => [name, `npm:${name}@${range}`]);
  expect(deno.imports).toEqual(Object.fromEntries(asked));
});

test("npx has one command to run, whatever it is called", () => {
  expect(npm.exports["./cli"].default).toBe(`./${npm.bin.upcut}`);
  expect(Object.keys(npm.bin)).toEqual(["upcut"]);
});

/** The first two numbers of a version, as the READMEs name it. */
const shortened = (version: string) => version.split(".").slice(0, 2).join(".");

test("the module's README names the least TypeScript and the least runtimes that are tested", async () => {
  const read = (path: string) => readFile(join(ROOT, path), "utf8");
  const { version } = JSON.parse(await readFile(join(LEAST_TYPESCRIPT, "package.json"), "utf8"));
  const readme = await read("core/README.md");
  expect(readme).toContain(`TypeScript ${shortened(version)} or newer`);
  const node = npm.engines.node.replace(">=", "");
  const bun = shortened(runtimes.devDependencies.bun);
  const least = shortened(runtimes.optionalDependencies["deno-least"].replace(/.*@/, ""));
  const sentence = `Node ${node}, Bun ${bun} or Deno ${least} (each or newer)`;
  expect(readme).toContain(sentence);
});

/** What documents point to is there: files that they link, and scripts that they tell to run. */
import { access, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { ROOT } from "./run.ts";
import { withTables } from "./tables.ts";
import { DOCUMENTS } from "./written.ts";

const scripts = Object.keys(manifest.scripts);

/** The links of a text to files of the project, without what follows their names. */
function linksOf(text: string): string[] {
  const all = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
  return all.filter((link) => !/^(?:[a-z]+:|#)/.test(link)).map((link) => link.replace(/#.*/, ""));
}

/** The scripts that a text names as "npm run …" or "npm test". */
function scriptsOf(text: string): string[] {
  const run = [...text.matchAll(/\bnpm run (?:--silent |-s )?([a-z:]+)/g)].map(([, name = ""]) => name);
  return [...run, ...[...text.matchAll(/\bnpm (start|test)\b/g)].map(([, name = ""]) => name)];
}

test("links and scripts are found in a text", () => {
  expect(linksOf("[a](b.md#c), ![d](e.png) [f](https://g.example) [h](#i)")).toEqual(["b.md", "e.png"]);
  expect(scriptsOf("`npm run test:quick`, `npm ci && npm test`")).toEqual(["test:quick", "test"]);
});

test.each(DOCUMENTS)("%s links files that exist, and names scripts that exist", async (path) => {
  const text = await readFile(join(ROOT, path), "utf8");
  const broken: string[] = [];
  for (const link of linksOf(text)) {
    const target = join(ROOT, dirname(path), link);
    await access(target).catch(() => broken.push(link));
  }
  const isOfFleet = path.startsWith("core/examples/fleet/");
  const unknown = isOfFleet ? [] : scriptsOf(text).filter((name) => !scripts.includes(name));
  expect({ broken, unknown }).toEqual({ broken: [], unknown: [] });
});

test("the tables of documents say what the tables of the sources say", async () => {
  const texts = await Promise.all(DOCUMENTS.map((path) => readFile(join(ROOT, path), "utf8")));
  expect(texts.filter((text) => text.includes("<!-- table: "))).toHaveLength(7);
  for (const text of texts) expect(await withTables(text)).toBe(text);
});

test("SECURITY names tests that exist", async () => {
  const text = await readFile(join(ROOT, "SECURITY.md"), "utf8");
  const names = [...text.matchAll(/`(test\/[^`]+)`/g)].map(([, name = ""]) => name);
  expect(names.length).toBeGreaterThan(30);
  const kinds = ["", ".test.ts", ".all.test.ts"];
  const isThere = async (name: string) =>
    (await Promise.allSettled(kinds.map((kind) => access(join(ROOT, name + kind))))).some(
      ({ status }) => status === "fulfilled",
    );
  const found = await Promise.all(names.map(isThere));
  expect(names.filter((_, at) => !found[at])).toEqual([]);
});

test("CONTRIBUTING tells all scripts that a person runs", async () => {
  const named = scriptsOf(await readFile(join(ROOT, "CONTRIBUTING.md"), "utf8"));
  // Parts of others.
  const parts = ["build:core", "typecheck", "test:docs", "build"];
  expect(scripts.filter((name) => !named.includes(name) && !parts.includes(name))).toEqual([]);
});

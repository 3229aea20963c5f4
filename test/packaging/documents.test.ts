/** What documents point to is there: files and headings that they link, and scripts that they tell to run. */
import { access, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { pathOf, readDocuments } from "../release/site/documents.ts";
import { checkLinks } from "../release/site/links.ts";
import { messagesOf } from "../support/extension/catalogue.ts";
import { ROOT } from "./run.ts";
import { staleCharts, TABLE_NAMES, withTables } from "./tables.ts";
import { DOCUMENTS } from "./written.ts";

const scripts = Object.keys(manifest.scripts);

const declarations = namesDeclaredBelow("core", "entrypoints");

async function namesDeclaredBelow(...folders: string[]): Promise<Set<string>> {
  const names = new Set<string>();
  for (const folder of folders)
    for (const path of await readdir(join(ROOT, folder), { recursive: true })) {
      if (!/\.tsx?$/.test(path) || path.includes("node_modules")) continue;
      const source = await readFile(join(ROOT, folder, path), "utf8");
      for (const [, name = ""] of source.matchAll(/(?:function\*?|const|class|interface) (\w+)/g))
        names.add(name);
    }
  return names;
}

/** The scripts that a text names as "npm run …" or "npm test". */
function scriptsOf(text: string): string[] {
  const run = [...text.matchAll(/\bnpm run (?:--silent |-s )?([a-z:]+)/g)].map(([, name = ""]) => name);
  return [...run, ...[...text.matchAll(/\bnpm (start|test)\b/g)].map(([, name = ""]) => name)];
}

test("documents link files and headings that exist", async () => {
  const { pages, pictures } = await readDocuments(DOCUMENTS);
  const files = new Map(pages.map(({ path, body }) => [path, body]));
  for (const picture of pictures) files.set(pathOf(picture), "");
  const { links, wrong } = checkLinks(files);
  expect(wrong).toEqual([]);
  expect(links).toBeGreaterThan(DOCUMENTS.length);
});

test.each([
  ['<a href="b.html">', "a.html links b.html"],
  ['<a href="#no">', "a.html links #no"],
  ["<a href='c.html#no'>", "a.html links c.html#no"],
  ['<img alt="1 &gt; 0" src="no.png">', "a.html links no.png"],
  ['<img srcset="c.html, no.png 2x">', "a.html links no.png"],
  ['<img src="https://other.example/a.png">', "a.html fetches https://other.example/a.png"],
  ['<link rel="stylesheet" href="//other.example/a.css">', "a.html fetches //other.example/a.css"],
  ['<a href="https://other.example/">', undefined],
  ['<a href="c.html#yes"><a href="folder/"><a id="here" href="#here">', undefined],
  ['<script>"<a href=no.html>"</script>', undefined],
])("of %s on a page it is said: %s", (text, wrong) => {
  const others = { "c.html": '<h1 id="yes">', "folder/index.html": "" };
  const checked = checkLinks(new Map(Object.entries({ "a.html": text, ...others })));
  expect(checked.wrong).toEqual(wrong === undefined ? [] : [wrong]);
});

test("scripts and names are found in a text", () => {
  expect(scriptsOf("`npm run test:quick`, `npm ci && npm test`")).toEqual(["test:quick", "test"]);
  expect(namesIn("`core/a.ts`, `a.ts`; takesBytes()")).toEqual({
    paths: ["core/a.ts"],
    functions: ["takesBytes"],
  });
});

test.each(DOCUMENTS)("%s names scripts that exist", async (path) => {
  const text = await readFile(join(ROOT, path), "utf8");
  const isOfFleet = path.startsWith("core/examples/fleet/");
  expect(isOfFleet ? [] : scriptsOf(text).filter((name) => !scripts.includes(name))).toEqual([]);
});

/** More is read by nobody. */
const MOST_WORDS: Record<string, number> = {
  "README.md": 1400,
  "ARCHITECTURE.md": 1000,
  "CONTRIBUTING.md": 1950,
  "docs/decisions.md": 1050,
};
const PAGES = DOCUMENTS.filter((path) => /^docs\/[^/]+\.md$/.test(path));

test.each([...Object.keys(MOST_WORDS), ...PAGES])("%s is short enough to be read", async (path) => {
  const text = await readFile(join(ROOT, path), "utf8");
  // A table that tests write is looked up, not read.
  const own = text.replace(/<!-- table: [\s\S]*?<!-- end of table -->/g, "");
  expect(own.trim().split(/\s+/).length).toBeLessThanOrEqual(MOST_WORDS[path] ?? 900);
});

test("pages begin with an example, except the index and the decisions", async () => {
  const texts = await Promise.all(PAGES.map((path) => readFile(join(ROOT, path), "utf8")));
  const without = PAGES.filter((_, index) => !/^```\w/m.test(texts[index]?.split("\n## ")[0] ?? ""));
  expect(without.sort()).toEqual(["docs/README.md", "docs/decisions.md"]);
});

/** Words of the browsers' own pages. */
const OF_BROWSERS = ["Load unpacked", "This Firefox", "Load Temporary Add-on"];

test.each(["README.md", "docs/extension.md", "docs/extension-options.md", "docs/browsers.md"])(
  "%s names what the screens show by the words that they have",
  async (path) => {
    const text = (await readFile(join(ROOT, path), "utf8")).replace(/```[\s\S]*?```|`[^`\n]*`/g, "");
    const named = [...text.matchAll(/(?<!\*)\*([^*\n]+)\*(?!\*)/g)].map(([, words = ""]) => words);
    // Of an entry of a menu, the selected text and the end are left out.
    const shown = Object.values(await messagesOf("en")).map((words) => words.replace(/%s(.?)…$/, "…$1"));
    expect(named.filter((words) => !shown.includes(words) && !OF_BROWSERS.includes(words))).toEqual([]);
  },
);

test("the tables of documents say what the tables of the sources say", async () => {
  const texts = await Promise.all(DOCUMENTS.map((path) => readFile(join(ROOT, path), "utf8")));
  const shown = texts.flatMap((text) =>
    [...text.matchAll(/<!-- table: ([a-z ]+) -->/g)].map(([, name]) => name),
  );
  expect(shown.sort()).toEqual([...TABLE_NAMES].sort());
  for (const text of texts) expect(await withTables(text)).toBe(text);
});

test("the charts show what the results say", async () => {
  expect(await staleCharts()).toEqual([]);
});

/** What a text names in code: paths of the project, and functions and types as `name()` or in a drawing. */
function namesIn(text: string): { paths: string[]; functions: string[] } {
  const code = [...text.matchAll(/`([^`\n]+)`/g)].map(([, name = ""]) => name);
  const paths = code.filter((name) => /^(?:core|entrypoints|test|docs|public)\/[\w./-]*$/.test(name));
  return { paths, functions: [...text.matchAll(/\b([a-z]+[A-Z]\w*)\(\)/g)].map(([, name = ""]) => name) };
}

test.each(["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/decisions.md", "docs/journeys.md"])(
  "%s names what is there",
  async (path) => {
    const { paths, functions } = namesIn(await readFile(join(ROOT, path), "utf8"));
    expect(paths.length).toBeGreaterThan(8);
    const lost = await Promise.all(
      paths.map((name) =>
        access(join(ROOT, name)).then(
          () => [],
          () => [name],
        ),
      ),
    );
    const declared = await declarations;
    expect({ lost: lost.flat(), unknown: functions.filter((name) => !declared.has(name)) }).toEqual({
      lost: [],
      unknown: [],
    });
  },
);

test("ARCHITECTURE's tables and drawing have the folders that are there", async () => {
  const text = await readFile(join(ROOT, "ARCHITECTURE.md"), "utf8");
  const foldersOf = async (folder: string) =>
    (await readdir(join(ROOT, folder), { withFileTypes: true }))
      .filter((entry) => entry.isDirectory() && entry.name !== "locales")
      .map(({ name }) => name);
  for (const folder of ["core", "entrypoints"]) {
    const [, table = ""] = new RegExp(`Folder of \`${folder}/\`([\\s\\S]*?)\n\n`).exec(text) ?? [];
    const rows = table.split("\n").flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`([\w-]+)\/`/g)]);
    expect(rows.map(([, name]) => name).sort()).toEqual((await foldersOf(folder)).sort());
  }
  const [, drawing = ""] = /```text\n([\s\S]*?)```/.exec(text) ?? [];
  const contexts = (await foldersOf("entrypoints")).filter(
    (name) => !/^(?:page-videos|reach|shared|view)$/.test(name),
  );
  expect(contexts.filter((name) => !drawing.split(/\W+/).includes(name))).toEqual([]);
});

test("the boxes of the six journeys are functions of their files, and the map has all words", async () => {
  const text = await readFile(join(ROOT, "docs/journeys.md"), "utf8");
  const drawings = [...text.matchAll(/```text\n([\s\S]*?)```/g)].map(([, drawing = ""]) =>
    drawing.split("\n").filter((line) => !/^ *▼?$/.test(line)),
  );
  expect(drawings).toHaveLength(6);
  const wrong: string[] = [];
  for (const boxes of drawings) {
    expect(boxes.length).toBeLessThanOrEqual(12);
    for (const box of boxes) {
      const [, name = "", path = ""] = /^(\w+)\(\) +(\S+) {2}/.exec(box) ?? [];
      const source = await readFile(join(ROOT, path), "utf8").catch(() => "");
      if (!new RegExp(`(?:function\\*?|const|class) ${name}\\b`).test(source)) wrong.push(box);
    }
  }
  expect(wrong).toEqual([]);
  const wordsOf = (section: string) =>
    [...section.matchAll(/^\| ([^|]+?) \|/gm)]
      .map(([, word]) => word)
      .filter((word) => !/^(?:Word|-+)$/.test(word ?? ""));
  const glossary = (await readFile(join(ROOT, "CONTRIBUTING.md"), "utf8")).split("\n## ");
  const [, map = ""] = text.split("\n## The words");
  expect(wordsOf(map)).toEqual(wordsOf(glossary.find((section) => section.startsWith("Words")) ?? ""));
});

test("SECURITY names tests that exist", async () => {
  const text = await readFile(join(ROOT, "SECURITY.md"), "utf8");
  const names = [...text.matchAll(/`(test\/[^`]+)`/g)].map(([, name = ""]) => name);
  expect(names.length).toBeGreaterThan(30);
  const kinds = ["", ".test.ts", ".page.test.ts", ".all.test.ts"];
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
  const parts = ["build:core", "precheck", "typecheck", "test:docs", "build"];
  expect(scripts.filter((name) => !named.includes(name) && !parts.includes(name))).toEqual([]);
});

/** What is named in core and the extension is named once and used, and neither has folders in a circle. */
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { expect, test } from "vitest";
import { OPTION_LIST } from "../../core/cli/options.ts";
import { ERROR_CODES } from "../../core/errors/error-codes.ts";
import { REQUEST_FIELD_NAMES } from "../../core/service/request-fields.ts";
import { ROOT } from "./run.ts";

/** One idea in two contexts, and why it stays. */
const TWICE: Record<string, string> = {
  importMediabunny: "one file stands for the other in bundlers that know `require` alone",
};
const EXPORTED =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|let|class|interface|type) (\w+)/gm;

/** The sources in a folder, by their paths. */
async function sourcesIn(folder: string): Promise<Map<string, string>> {
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard", folder], { cwd: ROOT });
  const files = listed
    .toString()
    .split("\n")
    .filter((file) => /(?<!\.d)\.tsx?$/.test(file) && !file.startsWith("core/examples/"));
  return new Map(
    await Promise.all(files.map(async (file) => [file, await readFile(join(ROOT, file), "utf8")] as const)),
  );
}

async function doublesIn(folder: string): Promise<string[]> {
  const places = new Map<string, Set<string>>();
  for (const [file, source] of await sourcesIn(folder))
    for (const [, name = ""] of source.matchAll(EXPORTED))
      places.set(name, (places.get(name) ?? new Set()).add(file));
  expect(places.size).toBeGreaterThan(400);
  return [...places].filter(([name, { size }]) => size > 1 && !(name in TWICE)).map(([name]) => name);
}

test.each(["core", "entrypoints"])("%s exports no name from two files", async (folder) => {
  expect(await doublesIn(folder)).toEqual([]);
});

/** The imports among the folders of a folder; a file beside them stands for itself. */
async function importsIn(folder: string): Promise<{ file: string; from: string; to: string }[]> {
  const roomOf = (path: string) => path.split(sep)[1] ?? "";
  return [...(await sourcesIn(folder))].flatMap(([file, source]) =>
    [...source.matchAll(/(?:from|import\(?) ?"(\.[^"]+)"/g)]
      .map(([, path = ""]) => join(dirname(file), path))
      .filter((path) => path.startsWith(folder + sep) && roomOf(path) !== roomOf(file))
      .map((path) => ({ file, from: roomOf(file), to: roomOf(path) })),
  );
}

test.each(["core", "entrypoints"])("no folders of %s import each other in a circle", async (folder) => {
  let imports = await importsIn(folder);
  expect(imports.length).toBeGreaterThan(100);
  // No circle leads through a folder that imports no other one, or that no other one imports.
  for (let before = 0; before !== imports.length; ) {
    before = imports.length;
    imports = imports.filter(
      ({ from, to }) =>
        imports.some((other) => other.from === to) && imports.some((other) => other.to === from),
    );
  }
  expect(imports).toEqual([]);
});

test("the command line reads each of its options", async () => {
  const sources = [...(await sourcesIn("core/cli")).values()].join("\n");
  const taken = [...sources.matchAll(/\{([^{}]*)\}(?:: (?:Arguments|Given)\b| = (?:given\b|readValues\())/g)];
  const read = taken.flatMap(([, names = ""]) => names.split(",").map((name) => name.trim().split(/\W/)[0]));
  read.push(...[...sources.matchAll(/\bgiven\.(\w+)/g)].map(([, name]) => name));
  const ofFields: readonly string[] = REQUEST_FIELD_NAMES;
  const unread = OPTION_LIST.filter(({ key }) => !ofFields.includes(key) && !read.includes(key));
  expect(unread.map(({ name }) => name)).toEqual([]);
});

/** Options without a table of their own in the documents, and why. */
const UNTOLD: Record<string, string> = {
  CallOptions: "its signal and timeout are those of each call",
  SlotOptions: "no caller gives it",
  SourceOptions: "part of UploadOptions",
};

test("documents have a table of each interface of options", async () => {
  const tables = await readFile(join(ROOT, "test/packaging/tables.ts"), "utf8");
  const declared = [...(await sourcesIn("core")).entries()].flatMap(([file, source]) =>
    [...source.matchAll(/^export (?:interface|type) (\w+Options)\b/gm)].map(([, name = ""]) => ({
      file,
      name,
    })),
  );
  expect(declared.length).toBeGreaterThan(5);
  const untold = declared.filter(({ file, name }) => !tables.includes(`optionRows("${file}", "${name}")`));
  expect(untold.map(({ name }) => name).sort()).toEqual(Object.keys(UNTOLD).sort());
});

test("core gives each error code beside its row in the table", async () => {
  const sources = [...(await sourcesIn("core")).values()].join("\n");
  const unused = Object.keys(ERROR_CODES).filter((code) => !new RegExp(`"${code}"(?!: \\{)`).test(sources));
  expect(unused).toEqual([]);
});

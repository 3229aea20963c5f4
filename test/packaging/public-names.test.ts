/** The names that a user of the module meets: how many they are, and what their documentation says. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { findRuntime } from "../runtimes/find-runtime.ts";
import { ROOT, succeed } from "./run.ts";

const CORE = join(ROOT, "core");
/** Three calls don't need more. A name that two entries give counts once. */
const MOST_NAMES = 50;
const MOST_ENTRIES = 8;
/** Objects with methods that a user calls or writes; others say what is needed of somebody else's. */
const DOCUMENTED_METHODS = /^(?:Client|Journal|Lease|Requester)\./;
/** A program has none, and the last one is still to get its title. */
const UNTITLED = ["./cli/main.ts"];

interface DocComment {
  tags?: { kind: string; name?: string; doc?: string }[];
}

interface Signature {
  params?: { name?: string; left?: { name?: string } }[];
  returnType?: unknown;
}

/** An exported name in each of its forms, as `deno doc` reads it. */
interface PublicName {
  name: string;
  declarations: {
    kind: string;
    jsDoc?: DocComment;
    def?: Signature & {
      methods?: (Signature & { name: string; jsDoc?: DocComment; functionDef?: Signature })[];
    };
  }[];
}

interface Entry {
  module_doc?: DocComment;
  symbols: PublicName[];
}

const { exports } = JSON.parse(await readFile(join(CORE, "deno.json"), "utf8")) as {
  exports: Record<string, string>;
};
const paths = Object.values(exports);
const { nodes } = JSON.parse(await succeed(findRuntime("deno"), ["doc", "--json", ...paths], CORE)) as {
  nodes: Record<string, Entry>;
};
const entryOf = (path: string): Entry => nodes[pathToFileURL(join(CORE, path)).href] ?? { symbols: [] };

test(`@upcut/core exports at most ${MOST_NAMES} names by at most ${MOST_ENTRIES} entries`, async () => {
  const names = [...new Set(paths.flatMap((path) => entryOf(path).symbols.map(({ name }) => name)))];
  console.log(`public: ${names.length} names, ${paths.length} entries`);
  expect(names).toEqual(expect.arrayContaining(["createClient", "upload", "uploadAll", "discard"]));
  // All of them are told when there are too many.
  expect(names.length <= MOST_NAMES ? [] : names).toEqual([]);
  expect(paths.length <= MOST_ENTRIES ? [] : paths).toEqual([]);
});

/** A title is what stands before the code. */
function hasTitledExample({ tags = [] }: DocComment = {}): boolean {
  const examples = tags.filter(({ kind }) => kind === "example");
  return examples.length > 0 && examples.every(({ doc = "" }) => /^[^`\s].*\n+```ts\n/.test(doc));
}

function gapsOf({ name, declarations }: PublicName): string[] {
  return declarations.flatMap(({ kind, jsDoc, def = {} }) => {
    if (kind === "function") {
      const gaps = gapsOfCall(name, jsDoc, def);
      return hasTitledExample(jsDoc) ? gaps : [...gaps, `${name}(): a titled @example`];
    }
    return (def.methods ?? [])
      .filter((method) => DOCUMENTED_METHODS.test(`${name}.${method.name}`))
      .flatMap((each) => gapsOfCall(`${name}.${each.name}`, each.jsDoc, each.functionDef ?? each));
  });
}

function gapsOfCall(name: string, { tags = [] }: DocComment = {}, { params = [], returnType }: Signature) {
  const told = tags.flatMap((tag) => (tag.kind === "param" ? [tag.name] : []));
  // Without those that it takes apart at once.
  const names = params.flatMap((param) => param.name ?? param.left?.name ?? []);
  const gaps = names.filter((each) => !told.includes(each)).map((each) => `@param ${each}`);
  const type = JSON.stringify(returnType ?? "void");
  const givesNothing = type.includes('"void"') && !type.includes('"fnOrConstructor"');
  if (!givesNothing && !tags.some(({ kind }) => kind === "return")) gaps.push("@returns");
  return gaps.map((gap) => `${name}(): ${gap}`);
}

test.each(paths)("%s says what each function takes and gives, with a titled example", (path) => {
  const { module_doc: comment, symbols } = entryOf(path);
  expect(symbols.length > 0 || UNTITLED.includes(path)).toBe(true);
  expect(hasTitledExample(comment) || UNTITLED.includes(path)).toBe(true);
  expect(symbols.flatMap(gapsOf)).toEqual([]);
});

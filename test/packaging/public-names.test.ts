/** The names that a user of the module meets: how many they are, and what their documentation says. */
import { expect, test } from "vitest";
import { type Call, callsOf, type DocTag, readEntries } from "./public-names.ts";

/** Three calls don't need more; what few users need has an entry of its own. */
const MOST_NAMES = 35;

const entries = await readEntries();

test(`@upcut/core exports at most ${MOST_NAMES} names`, () => {
  const names = entries.find(({ path }) => path === "./mod.ts")?.names.map(({ name }) => name) ?? [];
  expect(names).toContain("upload");
  // All of them are told when there are too many.
  expect(names.length <= MOST_NAMES ? [] : names).toEqual([]);
});

/** Objects with methods that a user calls or writes; others say what is needed of somebody else's. */
const DOCUMENTED_METHODS = /^(?:Client|Journal|Lease|ListableJournal|Requester)\./;

/** A program has none, and the last one is still to get its title. */
const UNTITLED = ["./cli/main.ts"];

/** A title is what stands before the code. */
function hasTitledExample(tags: DocTag[]): boolean {
  const examples = tags.filter(({ kind }) => kind === "example");
  return examples.length > 0 && examples.every(({ doc = "" }) => /^[^`\s].*\n+```ts\n/.test(doc));
}

/** What the documentation of a call lacks. */
function gapsOf({ isFunction, tags, params, givesNothing }: Call): string[] {
  const told = tags.flatMap(({ kind, name }) => (kind === "param" ? [name] : []));
  const gaps = params.filter((name) => !told.includes(name)).map((name) => `@param ${name}`);
  if (!givesNothing && !tags.some(({ kind }) => kind === "return")) gaps.push("@returns");
  if (isFunction && !hasTitledExample(tags)) gaps.push("a titled @example");
  return gaps;
}

test.each(entries)(
  "$path says what each function takes and gives, with a titled example",
  ({ path, tags, names }) => {
    expect(hasTitledExample(tags) || UNTITLED.includes(path)).toBe(true);
    const all = names.flatMap(callsOf);
    const calls = all.filter(({ name, isFunction }) => isFunction || DOCUMENTED_METHODS.test(name));
    expect(calls.flatMap((call) => gapsOf(call).map((gap) => `${call.name}(): ${gap}`))).toEqual([]);
  },
);

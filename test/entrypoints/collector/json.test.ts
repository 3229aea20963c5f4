/** How much of a page's JSON is read, and that the page runs before and after long texts. */
import { beforeEach, expect, test, vi } from "vitest";
import { readJson, readScript, searchJson } from "../../../entrypoints/collector/json.ts";
import type { TimeSlice } from "../../../entrypoints/collector/time-slice.ts";

let yielded: number;
let slice: TimeSlice;
beforeEach(() => {
  yielded = 0;
  slice = {
    isOver: () => false,
    isUsedUp: () => false,
    async yieldToPage() {
      yielded++;
    },
  };
});

const list = (count: number) => `[${Array.from({ length: count }, () => "1").join()}]`;
const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
const text = (length: number) => `"${"x".repeat(length - 2)}"`;

test.each([
  ["a short one", '{"a":1}', true, 0],
  ["a broken one", "{a", false, 0],
  ["one of 16,384 characters", text(16_384), true, 0],
  ["a longer one, of few values", text(16_385), true, 2],
  ["the longest", text(262_144), true, 2],
  ["one that is longer", text(262_145), false, 0],
  ["one of 20,000 values", list(20_000), true, 2],
  ["one of more", list(20_001), false, 1],
  ["one that lies 64 deep", nested(64), true, 0],
  ["a deeper one", nested(65), false, 0],
  ["many in a row", `[${"[],{},".repeat(100)}1]`, true, 0],
  ["one of texts with signs", JSON.stringify(['",["'.repeat(30), "{[\\".repeat(70), "]"]), true, 0],
])("readJson() reads a text: %s", async (_, json, isRead, times) => {
  expect(await readJson(json, slice)).toEqual(isRead ? JSON.parse(json) : undefined);
  expect(yielded).toBe(times);
});

test("readJson() lets the page run before a short text where it is time", async () => {
  slice.isOver = (steps) => steps === 16;
  expect(await readJson("7", slice)).toBe(7);
  expect(yielded).toBe(1);
});

/** Nodes of a script, as the page has them. */
function scriptOf(...texts: (string | null)[]): HTMLScriptElement {
  class Text {
    nextSibling: unknown = null;
    data: string;
    constructor(data: string) {
      this.data = data;
    }
    get length() {
      return this.data.length;
    }
  }
  vi.stubGlobal("Text", Text);
  const nodes = texts.map((data) => (data === null ? { nextSibling: null as unknown } : new Text(data)));
  for (const [at, node] of nodes.entries()) node.nextSibling = nodes[at + 1] ?? null;
  return { firstChild: nodes[0] ?? null } as unknown as HTMLScriptElement;
}

test("readScript() puts the texts of a script together: 64, and no more than the longest", async () => {
  expect(await readScript(scriptOf("[1,", null, "2]"), slice)).toEqual([1, 2]);
  expect(await readScript(scriptOf(), slice)).toBe(undefined);
  const digits = (count: number) => Array.from({ length: count }, () => "1");
  expect(await readScript(scriptOf(...digits(64)), slice)).toBe(Number("1".repeat(64)));
  expect(await readScript(scriptOf(...digits(65)), slice)).toBe(undefined);
  expect(await readScript(scriptOf(" ".repeat(262_143), "7"), slice)).toBe(7);
  expect(await readScript(scriptOf(" ".repeat(262_143), "77"), slice)).toBe(undefined);
});

async function all(root: unknown, read: Parameters<typeof searchJson<unknown>>[2]): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const each of searchJson(root, slice, read)) found.push(each);
  return found;
}

test("searchJson() looks at every value with what it lies in", async () => {
  const inner = { b: [1, 2] };
  const root = { a: inner, c: "x" };
  const found = await all(root, (value, around) => [[value, [...around]]]);
  expect(found).toEqual([
    [root, []],
    [inner, [root]],
    [inner.b, [root, inner]],
    [1, [root, inner, inner.b]],
    [2, [root, inner, inner.b]],
    ["x", [root]],
  ]);
  expect(await all([1, null, 2], (value) => [value === 2 ? "two" : undefined])).toEqual(["two"]);
  expect(yielded).toBe(0);
});

test("searchJson() looks twelve lists deep", async () => {
  const depths = await all(JSON.parse(nested(40)), (_, around) => [around.length]);
  expect(depths.at(-1)).toBe(12);
});

test("searchJson() lets the page run between values where it is time, and ends with the time", async () => {
  slice.isOver = () => true;
  expect(await all([1, 2], () => [undefined])).toEqual([]);
  expect(yielded).toBeGreaterThan(6);
  let looks = 0;
  slice.isUsedUp = () => ++looks > 2;
  expect(await all([1, 2, 3], (value) => [value])).toEqual([[1, 2, 3], 1]);
});

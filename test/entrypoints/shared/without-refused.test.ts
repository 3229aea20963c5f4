import * as v from "valibot";
import { expect, test } from "vitest";
import { withoutRefused } from "../../../entrypoints/shared/without-refused.ts";

const schema = v.object({
  name: v.optional(v.string()),
  list: v.optional(v.array(v.number())),
  deep: v.optional(v.object({ one: v.optional(v.number()), two: v.optional(v.number()) })),
});

test.each([
  [{ name: "a", list: [1] }, { name: "a", list: [1] }, []],
  [{ name: 7, list: [1, "b", 2] }, { list: [1, 2] }, ["name", "list.1"]],
  [{ deep: { one: "a", two: 2 } }, { deep: { two: 2 } }, ["deep.one"]],
  [{ deep: { one: "a" }, list: ["a"] }, {}, ["list.0", "deep.one"]],
  [7, undefined, [""]],
])("of %j is kept %j", (stored, kept, paths) => {
  const before = structuredClone(stored);
  const read = withoutRefused(schema, stored);
  expect(read.kept).toEqual(kept);
  expect(read.paths.map((path) => path.join(".")).sort()).toEqual([...paths].sort());
  expect(stored).toEqual(before);
});

test("a field that is missing leaves nothing to be taken out", () => {
  const read = withoutRefused(v.object({ name: v.string() }), {});
  expect(read).toEqual({ kept: {}, paths: [] });
});

import { expect, test } from "vitest";
import { hasMembers, isObject, parseJson } from "../../../core/text/is-object.ts";

test("an object has names and values of its own, and a function may have members", () => {
  const values = [{}, Object.create(null), new Date(), () => 7, [], null, undefined, "a", 7];
  expect(values.map(isObject)).toEqual(values.map((_, at) => at < 3));
  expect(values.map(hasMembers)).toEqual(values.map((_, at) => at < 4));
});

test("parseJson() gives the value of a text, and nothing of one that is no JSON", () => {
  expect(['{"a":[1]}', "null", "{", ""].map(parseJson)).toEqual([{ a: [1] }, null, undefined, undefined]);
});

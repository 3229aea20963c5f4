import { expect, test } from "vitest";
import { entryOf, known, without } from "../../../entrypoints/shared/record.ts";

test("known() keeps the fields that have a value, whatever that is", () => {
  const fields = { none: undefined, nothing: null, zero: 0, text: "", no: false };
  expect(Object.keys(known(fields))).toEqual(["nothing", "zero", "text", "no"]);
});

test("without() leaves the fields out of a copy, and entryOf() finds a table's own entries alone", () => {
  const whole = { a: 1, b: 2, c: 3 };
  expect(without(whole, "a", "c")).toEqual({ b: 2 });
  expect(whole).toEqual({ a: 1, b: 2, c: 3 });
  expect([entryOf(whole, "a"), entryOf<number>(whole, "constructor")]).toEqual([1, undefined]);
});

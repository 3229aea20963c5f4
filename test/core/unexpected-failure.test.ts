import { expect, test } from "vitest";
import { kindOf } from "../../core/unexpected-failure.ts";

test.each([
  [new TypeError("a"), "TypeError"],
  [new DOMException("a", "AbortError"), "AbortError"],
  ["tok-secret", "string"],
  [undefined, "undefined"],
  [Object.assign(new Error("a"), { name: "Zq7-Secret" }), "Error"],
  [Object.assign(new Error("a"), { name: `A${"a".repeat(31)}` }), "Error"],
  [Object.assign(new Error("a"), { name: 7 }), "Error"],
])("kindOf(%s) shows one short word", (error, word) => {
  expect(kindOf(error)).toBe(word);
});

import { expect, test } from "vitest";
import { directionOf, markedText, partsOf } from "../../../entrypoints/shared/isolates.ts";

test("foreign parts are told apart from the sentence, each as plain text", () => {
  expect(partsOf("a \u2068b\u202E\u2069 c\u2066")).toEqual([
    { text: "a ", isForeign: false },
    { text: "b", isForeign: true },
    { text: " c", isForeign: false },
  ]);
  expect(partsOf("")).toEqual([]);
  expect(markedText("a\u202E \u2068b\u2069\u2069")).toBe("a \u2068b\u2069");
});

test.each([
  ["1920 × 1080", "ltr"],
  ["1:33", "ltr"],
  ["48.2\u00a0م.ب", "auto"],
  ["holiday-2024", "auto"],
] as const)("%j has the direction %s within a sentence", (text, direction) => {
  expect(directionOf(text)).toBe(direction);
});

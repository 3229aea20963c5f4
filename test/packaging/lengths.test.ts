import { expect, test } from "vitest";
import { problemsOf } from "../lengths.ts";

const limits = { file: 6, function: 3 };

test("a file is as long as it is printed, comments and blank lines included", () => {
  expect(problemsOf("a.ts", "// 1\n\n// 3\n\n// 5\n// 6\n", limits)).toEqual([]);
  expect(problemsOf("a.ts", "// 1\n\n// 3\n\n// 5\n// 6\n\n", limits)).toEqual([
    "a.ts has 7 lines, expected at most 6",
  ]);
});

test.each(["function a() {", "const a = () => {", "const a = { a() {", "class A { a() {"])(
  "a function that begins with %j is as long as it is printed",
  (begin) => {
    const end = begin.startsWith("f") || begin.endsWith("=> {") ? "}" : "} }";
    expect(problemsOf("a.ts", `\n${begin}\n\n${end}\n`, limits)).toEqual([]);
    expect(problemsOf("a.ts", `\n${begin}\n\n// 3\n${end}\n`, limits)).toEqual([
      "a.ts:2 is a function of 4 lines, expected at most 3",
    ]);
  },
);

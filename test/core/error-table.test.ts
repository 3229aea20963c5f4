import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { ERROR_NAMES, isCodeOf } from "../../core/error-record.ts";

test("the page of all codes says what the module says", async () => {
  const source = await readFile(new URL("../../core/error-record.ts", import.meta.url), "utf8");
  const table = [...source.matchAll(/^ \* (\|.+\|)$/gm)].map(([, row = ""]) => row);
  const rows = table.slice(2).map((row) => /^\| `([a-z-]+)` \| (\w+) \|/.exec(row)?.slice(1) ?? [row]);
  expect(rows.length).toBeGreaterThan(30);
  for (const [code = "", name = ""] of rows)
    expect([code, ERROR_NAMES.filter((each) => isCodeOf(each, code))]).toEqual([code, [name]]);
  // The compiler compares them with the table that the module looks into.
  const declared = [...source.matchAll(/^ {4}\| "([a-z-]+)"/gm)].map(([, code]) => code);
  const inOneLine = /ConnectionError: ("[a-z-]+"(?: \| "[a-z-]+")*);/.exec(source)?.[1] ?? "";
  const all = [...declared, ...inOneLine.split(" | ").map((each) => each.slice(1, -1))];
  expect(rows.map(([code]) => code).sort()).toEqual(all.sort());
  const page = await readFile(new URL("../../docs/errors.md", import.meta.url), "utf8");
  expect(page).toContain(`\n${table.join("\n")}\n\n`);
});

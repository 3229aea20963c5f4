import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { errorFacts, isErrorCode } from "../../core/error-codes.ts";

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), "utf8");

test("the document of all codes says what the table of the module says", async () => {
  const entries = [
    ...(await read("core/error-codes.ts")).matchAll(/^ {2}\/\*\* (.+) \*\/\n {2}"?([a-z-]+)"?: \{/gm),
  ];
  const rows = entries.map(([, meaning = "", code = ""]) => {
    expect(isErrorCode(code), code).toBe(true);
    const { class: name, retryable, kept, next } = errorFacts(code);
    const again = retryable === "sometimes" ? retryable : retryable ? "yes" : "no";
    return `| \`${code}\` | ${name} | ${again} | ${kept} | \`${next}\` | ${meaning} |`;
  });
  expect(rows.length).toBeGreaterThan(30);
  const page = await read("docs/errors.md");
  expect(page.match(/^\| `[a-z-]+` \| [A-Z]\w+Error \|.+$/gm)).toEqual(rows);
});

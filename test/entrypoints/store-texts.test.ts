/** The texts for the store fit its fields, in every language of the extension. */
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { textsOf } from "../release/pictures/texts.ts";
import { LANGUAGES } from "../support/extension/catalogue.ts";

const ROOT = new URL("../../", import.meta.url);
/** Characters that the store takes of a summary, and of a description. */
const LONGEST_SUMMARY = 132;
const LONGEST_DESCRIPTION = 16_000;

test.each(LANGUAGES)("the store gets a summary and a description in %s", async (language) => {
  const messages = await readFile(new URL(`entrypoints/locales/${language}.yml`, ROOT), "utf8");
  const summary = /^description: (.+)$/m.exec(messages)?.[1] ?? "";
  expect(summary).not.toBe("");
  expect(summary.length).toBeLessThanOrEqual(LONGEST_SUMMARY);
  const page = await readFile(new URL(`docs/store/${language}.md`, ROOT), "utf8");
  const description = page.split("\n---\n")[1]?.trim() ?? "";
  expect(description.length).toBeGreaterThan(500);
  expect(description.length).toBeLessThanOrEqual(LONGEST_DESCRIPTION);
  // The store shows plain text.
  expect(description).not.toMatch(/\*\*|\]\(|^#|`/m);
  expect(await readFile(new URL("docs/store/README.md", ROOT), "utf8")).toContain(`(${language}.md)`);
});

test.each(LANGUAGES)("the pictures have every text in %s", async (language) => {
  const texts = await textsOf(language);
  expect(Object.keys(texts).sort()).toEqual(Object.keys(await textsOf("en")).sort());
  expect(Object.values(texts)).not.toContain("");
  expect(texts.language).toBe(language);
  const left = Object.entries(await textsOf("en")).filter(([name, text]) => texts[name] === text);
  if (language !== "en") expect(left.filter(([name]) => name !== "direction")).toEqual([]);
});

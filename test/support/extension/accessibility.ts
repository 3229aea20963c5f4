/** What axe has against a page as it is. */
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { isAll } from "../in-all.ts";
import type { Language } from "./catalogue.ts";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** What a language can break by its texts: names, alternatives and the language itself. */
const OF_TEXTS = { runOnly: ["cat.name-role-value", "cat.text-alternatives", "cat.language"] };

const CONTRAST = /^color-contrast$/;

interface Result {
  id: string;
  nodes: { html: string }[];
}

interface Axe {
  run(within: string, options: object): Promise<Record<"violations" | "passes", Result[]>>;
}

/**
 * A line for each violation, in light and in dark colours, between which nothing but the contrast differs; fails where
 * axe could not look.
 *
 * @param within the part of the page to look at. @default all of it
 */
export async function violationsOf(page: Page, within = "html"): Promise<string[]> {
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  const light = await run(page, within, {}, CONTRAST);
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await run(page, within, { runOnly: ["color-contrast"] }, CONTRAST);
  return [...light, ...dark.map((each) => `dark: ${each}`)];
}

/** Looks at pages in one language; a scene names what is looked at. */
export function looksIn(language: Language) {
  const dir = language === "ar" ? "rtl" : "ltr";
  /** Expects that the texts of the language fit. */
  async function fits(page: Page, scene: string): Promise<void> {
    const tag = expect.stringMatching(`^${language}(-|$)`);
    expect(await layoutOf(page), scene).toEqual({ language: tag, dir, aside: 0 });
    // A unit such as the German "Sek." ends with a full stop of its own.
    expect(await page.locator("body").innerText(), scene).not.toContain("..");
  }
  return {
    fits,
    /** The same, and that nothing is wrong with the page, or with the part of it that has elements of another kind. */
    async look(page: Page, scene: string, within = "html"): Promise<void> {
      await fits(page, scene);
      if (language === "en") expect(await violationsOf(page, within), scene).toEqual([]);
      else if (isAll) expect(await run(page, within, OF_TEXTS, /./), scene).toEqual([]);
    },
  };
}

/** The language of a page as it is shown, its direction, and the pixels by which it is wider than its window. */
export function layoutOf(page: Page): Promise<{ language: string; dir: string; aside: number }> {
  return page.evaluate(() => {
    const { lang, dir, scrollWidth, clientWidth } = document.documentElement;
    return { language: lang, dir, aside: scrollWidth - clientWidth };
  });
}

/** @param sign what axe finds right wherever it can look at all */
async function run(page: Page, within: string, options: object, sign: RegExp): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.addScriptTag({ path: AXE });
  return await page.evaluate(
    async ([within, options, sign]) => {
      const { axe } = globalThis as unknown as { axe: Axe };
      const { violations, passes } = await axe.run(within, options);
      if (!passes.some(({ id }) => sign.test(id))) throw new Error("axe looked at nothing");
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
    },
    [within, options, sign] as const,
  );
}

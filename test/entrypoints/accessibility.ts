/** What axe has against a page as it is. */
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** A line for each violation; fails where axe could not look. */
export async function violationsOf(page: Page): Promise<string[]> {
  await page.addScriptTag({ path: AXE });
  return await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(): Promise<Record<"violations" | "passes", { id: string; nodes: { html: string }[] }[]>> };
    };
    const { violations, passes } = await axe.run();
    if (!passes.some(({ id }) => id === "color-contrast")) throw new Error("axe looked at nothing");
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
  });
}

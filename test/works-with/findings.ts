/**
 * The findings of `docs/works-with.md`: each test that tries real programs names what it found of each, and keeps that in
 * `found/`. `npx vitest run -u` writes it anew there, and `npm run tables` the document.
 */
import { fileURLToPath } from "node:url";
import { expect } from "vitest";

export interface Finding {
  /** The program or rule, with its version and what it is set to. */
  name: string;
  /** How many uploads, bundles or programs were tried. */
  tried: number;
  /**
   * - `right`: each is stored as it was sent, or runs
   * - `told`: it can't be right, and each ends in an error that says why
   * - `right or told`: chance decides; none is called whole that isn't
   * - `not possible`: nothing can be done here, and `because` says why
   */
  verdict: "right" | "told" | "right or told" | "not possible";
  /** What a person should know, in a few words. */
  because?: string;
}

/** Holds what was found against what is kept, so that a change shows. */
export async function expectFindings(table: string, findings: readonly Finding[]): Promise<void> {
  const path = fileURLToPath(new URL(`found/${table}.json`, import.meta.url));
  await expect(`${JSON.stringify(findings, undefined, 2)}\n`).toMatchFileSnapshot(path);
}

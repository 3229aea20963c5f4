/** Builds the pages of the extension as they are shipped, once for all tests of a run. */
import { fileURLToPath } from "node:url";
import { build } from "vite";
import type { TestProject } from "vitest/node";
import { provideShell } from "../../../browser/launch.ts";
import { scratchFolder } from "../../scratch.ts";

declare module "vitest" {
  interface ProvidedContext {
    pages: string;
  }
}

const PAGES = ["options", "popup", "terminate"];

export async function buildPages(): Promise<{ path: string; remove(): Promise<void> }> {
  const folder = await scratchFolder("pages");
  const root = fileURLToPath(new URL("../../../../entrypoints/", import.meta.url));
  const input = PAGES.map((page) => `${root}${page}/index.html`);
  const how = { outDir: folder.path, emptyOutDir: true, rolldownOptions: { input } };
  const { NODE_ENV } = process.env;
  // The tests run in a mode of their own, in which packages are built for developing.
  process.env.NODE_ENV = "production";
  await build({ root, configFile: false, logLevel: "warn", build: how });
  process.env.NODE_ENV = NODE_ENV ?? "test";
  return folder;
}

/** Before the first test that needs the pages, and the browser that shows them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await provideShell();
  const folder = await buildPages();
  project.provide("pages", folder.path);
  return () => folder.remove();
}

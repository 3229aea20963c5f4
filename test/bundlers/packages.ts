/** Where the bundlers are, once `npm ci --prefix test/bundlers` or `npm run test:all` has installed them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../packaging/run.ts";

export const PACKAGES: string = join(ROOT, "test/bundlers/node_modules");

export function versionOf(name: string, folder = "test/bundlers"): string {
  const manifest = readFileSync(join(ROOT, folder, "node_modules", name, "package.json"), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}

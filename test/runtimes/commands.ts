/** The commands that run a TypeScript file of the project in each server runtime. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** By name; fails with what to do where a runtime is not installed. */
export function runtimes(): Record<"node" | "bun" | "deno", readonly string[]> {
  return {
    node: ["node", "--import", "tsx"],
    bun: [binary("bun")],
    deno: [binary("deno"), "run", "-A", "--node-modules-dir=manual", "--quiet"],
  };
}

/** Where a runtime is installed. */
export function binary(name: "bun" | "deno"): string {
  const path = fileURLToPath(new URL(`node_modules/.bin/${name}`, import.meta.url));
  if (!existsSync(path)) throw new Error(`${name} is not installed: run "npm --prefix test/runtimes ci"`);
  return path;
}

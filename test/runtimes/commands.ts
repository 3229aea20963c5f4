/** The commands that run a TypeScript file of the project in each server runtime. */
import { findRuntime } from "./find-runtime.ts";

/** By name; fails with what to do where a runtime is not installed. */
export function runtimes(): Record<"node" | "bun" | "deno", readonly string[]> {
  return {
    node: ["node", "--import", "tsx"],
    bun: [findRuntime("bun")],
    deno: [findRuntime("deno"), "run", "-A", "--node-modules-dir=manual", "--quiet"],
  };
}

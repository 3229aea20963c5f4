/** The machine the figures are from, without its name. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { cpus, loadavg, release, totalmem } from "node:os";
import { findChromium } from "../browser/find.ts";
import { findRuntime } from "../runtimes/find-runtime.ts";

export function describeMachine(): string[] {
  const [processor] = cpus();
  const peers = JSON.parse(readFileSync(new URL("./package.json", import.meta.url), "utf8")) as {
    devDependencies: Record<string, string>;
  };
  return [
    `${cpus().length} cores of ${processor?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}`,
    `Node ${process.versions.node}, Bun ${firstLine(findRuntime("bun"))}, ${firstLine(findRuntime("deno"))}, ${firstLine(findChromium() ?? "chromium")}, ${firstLine("curl").split(" ").slice(0, 2).join(" ")}`,
    `beside ${Object.entries(peers.devDependencies)
      .map(([name, version]) => `${name} ${version}`)
      .join(", ")}`,
    `${new Date().toISOString().slice(0, 10)}, load at the start ${loadavg()[0]?.toFixed(1)}`,
  ];
}

function firstLine(program: string): string {
  return execFileSync(program, ["--version"], { encoding: "utf8" }).split("\n")[0]?.trim() ?? "";
}

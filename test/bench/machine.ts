/** The machine the figures are from, without its name, and what was measured on it. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { cpus, loadavg, release, totalmem } from "node:os";
import { findChromium } from "../browser/find.ts";
import { findRuntime } from "../runtimes/find-runtime.ts";

/** The machine, the runtimes and the browser, and when that was. */
export function describeMachine(): string {
  const [processor] = cpus();
  const cores = `${cpus().length} cores of ${processor?.model.trim()}`;
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  const programs = [
    `Node ${process.versions.node}`,
    `Bun ${firstLine(findRuntime("bun"))}`,
    firstLine(findRuntime("deno")),
    firstLine(findChromium() ?? "chromium"),
    firstLine("curl").split(" ").slice(0, 2).join(" "),
  ];
  const day = new Date().toISOString().slice(0, 10);
  const load = `load at the start ${loadavg()[0]?.toFixed(1)}`;
  return `${cores}, ${memory}, Linux ${release()}, with ${programs.join(", ")}; ${day}, ${load}`;
}

export function describePeers(): string {
  const { devDependencies } = JSON.parse(
    readFileSync(new URL("./package.json", import.meta.url), "utf8"),
  ) as { devDependencies: Record<string, string> };
  return Object.entries(devDependencies)
    .map(([name, version]) => `${name} ${version}`)
    .join(", ");
}

function firstLine(program: string): string {
  return execFileSync(program, ["--version"], { encoding: "utf8" }).split("\n")[0]?.trim() ?? "";
}

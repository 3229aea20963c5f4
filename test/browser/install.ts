/** Gets a Chromium onto a machine that has none. */
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { installPackages } from "../support/debian.ts";
import type { BrowserNeeds } from "./find.ts";

/** Installs Chromium, and where pages alone are shown its shell: as root on Debian from its packages, elsewhere as Playwright's own. */
export async function installChromium({ pagesOnly = false }: BrowserNeeds): Promise<void> {
  const shell = pagesOnly ? ["chromium-headless-shell"] : [];
  if (isDebian() && (await installPackages("chromium", ...shell))) return;
  const playwright = dirname(createRequire(import.meta.url).resolve("playwright-core/package.json"));
  const withLibraries = process.getuid?.() === 0 && process.platform === "linux" ? ["--with-deps"] : [];
  await run(process.execPath, [join(playwright, "cli.js"), "install", ...withLibraries, "chromium"]);
}

/** Adds the shell to a Debian that has Chromium already, where that is possible. */
export async function installShell(): Promise<void> {
  if (isDebian()) await installPackages("chromium-headless-shell");
}

/** Others that have apt give a snap. */
function isDebian(): boolean {
  const release = "/etc/os-release";
  return existsSync(release) && /^ID=debian$/m.test(readFileSync(release, "utf8"));
}

function run(program: string, args: string[]): Promise<void> {
  console.log(`Running: ${[program, ...args].join(" ")}`);
  const child = spawn(program, args, { stdio: ["ignore", "inherit", "inherit"] });
  return new Promise((resolve) => {
    child.once("error", () => resolve());
    child.once("exit", () => resolve());
  });
}

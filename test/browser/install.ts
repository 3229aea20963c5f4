/** Gets a Chromium onto a machine that has none. */
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** Installs Chromium: as root on Debian from its packages, elsewhere as Playwright's own. */
export async function installChromium(): Promise<void> {
  console.log("No Chromium found");
  const root = process.getuid?.() === 0;
  if (root && isDebian()) {
    const apt = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    if ((await run("apt-get", ["update"], apt)) && (await run("apt-get", ["install", "-y", "chromium"], apt)))
      return;
  }
  const playwright = dirname(createRequire(import.meta.url).resolve("playwright-core/package.json"));
  const withLibraries = root && process.platform === "linux" ? ["--with-deps"] : [];
  await run(process.execPath, [join(playwright, "cli.js"), "install", ...withLibraries, "chromium"]);
}

function isDebian(): boolean {
  const release = "/etc/os-release";
  return existsSync(release) && /^ID=debian$/m.test(readFileSync(release, "utf8"));
}

function run(program: string, args: string[], env = process.env): Promise<boolean> {
  console.log(`Running: ${[program, ...args].join(" ")}`);
  const child = spawn(program, args, { stdio: ["ignore", "inherit", "inherit"], env });
  return new Promise((resolve) => {
    child.once("error", () => resolve(false));
    child.once("exit", (code) => resolve(code === 0));
  });
}

/**
 * Debian's packages, for programs that the tests need and a machine lacks.
 *
 * One process at a time, since apt ends at once where another one holds its locks, and several test files begin together.
 */
import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";

const LOCK = join(tmpdir(), "upcut-apt.lock");

/** Installs packages, which only root can; whether that was done. */
export async function installPackages(...args: string[]): Promise<boolean> {
  if (process.getuid?.() !== 0) return false;
  return await apt(`apt-get update && apt-get install -y -o DPkg::Lock::Timeout=120 ${args.join(" ")}`);
}

/** Gets the lists of packages, which only root can. */
export async function updateLists(): Promise<boolean> {
  return await apt("apt-get update");
}

export async function downloadPackages(folder: string, packages: string[]): Promise<boolean> {
  const download = `apt-get download ${packages.join(" ")}`;
  // A machine that never asked for the lists knows none of them.
  return await apt(`${download} || (apt-get update && ${download})`, folder);
}

function apt(commands: string, cwd?: string): Promise<boolean> {
  console.log(`Running: ${commands}`);
  const child = spawn("flock", [LOCK, "sh", "-c", commands], {
    ...(cwd !== undefined && { cwd }),
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  });
  return new Promise((resolve) => {
    child.once("error", () => resolve(false));
    child.once("exit", (code) => resolve(code === 0));
  });
}

/**
 * Debian's packages, for programs that the tests need and a machine lacks.
 *
 * One process at a time, since apt ends at once where another one holds its locks, and several test files begin together.
 */
import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

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

/** A program of Debian's packages that is unpacked beside the tests. */
interface Unpacked {
  /** The folder that becomes the root of what is in the packages. */
  root: string;
  /** Below it. */
  program: string;
  packages(): Promise<string[]>;
  /** What a person can do where this fails. */
  advice: string;
}

/** Unpacks a program unless that was done before, which needs no root; its path, and the folders of its libraries. */
export async function unpackProgram({ root, program, packages, advice }: Unpacked) {
  const path = join(root, program);
  if (!existsSync(root)) {
    await mkdir(dirname(root), { recursive: true });
    const folder = await mkdtemp(`${root}-`);
    try {
      console.log(`Unpacking Debian's packages into ${root}`);
      const download = `apt-get download ${(await packages()).join(" ")}`;
      // A machine that never asked for the lists knows none of them.
      if (!(await apt(`${download} || (apt-get update && ${download})`, folder)))
        throw new Error("Debian's packages can't be had");
      for (const name of await readdir(folder))
        if (name.endsWith(".deb")) await promisify(execFile)("dpkg", ["-x", name, "root"], { cwd: folder });
      if (!existsSync(join(folder, "root", program))) throw new Error("it is in none of the packages");
      // Another run may have been faster.
      await rename(join(folder, "root"), root).catch((error) => {
        if (!existsSync(root)) throw error;
      });
    } catch (error) {
      const reason = error instanceof Error ? error.message.trim().split("\n").at(-1) : "unknown reason";
      throw new Error(`Cannot get ${program}, which these tests need: ${reason}. ${advice}`);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  const files = await readdir(join(root, "usr/lib"), { recursive: true, withFileTypes: true });
  const libraries = files
    .filter(({ name, parentPath }) => name.includes(".so") && !parentPath.startsWith(dirname(path)))
    .map(({ parentPath }) => parentPath);
  return { path, libraries: [...new Set(libraries)].join(":") };
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

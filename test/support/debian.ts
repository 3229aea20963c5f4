/**
 * Debian's packages, for programs that the tests need and a machine lacks.
 *
 * One process at a time, since apt ends at once where another one holds its locks, and several test files begin together.
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";

const LOCK = join(tmpdir(), "upcut-apt.lock");

/**
 * Installs packages and what they need, without what they recommend, which for a browser is a suite for printing and sharing
 * files. Only root can; whether that was done.
 */
export async function installPackages(...names: string[]): Promise<boolean> {
  if (process.getuid?.() !== 0) return false;
  const install = `apt-get install -qq --no-install-recommends -o DPkg::Lock::Timeout=120 ${names.join(" ")}`;
  if (!(await apt("apt-get update -qq"))) return false;
  const size = await sizeOf(install);
  if (size !== undefined) console.log(`Installing ${names.join(", ")} from Debian: ${size}`);
  return await apt(`${install} -y`);
}

/** What a command would fetch, in words; `undefined` where it can't. */
async function sizeOf(install: string): Promise<string | undefined> {
  const listed = await promisify(execFile)("sh", ["-c", `${install} --print-uris`]).catch(() => undefined);
  if (listed === undefined) return undefined;
  // 'address' file size hash
  const sizes = [...listed.stdout.matchAll(/^'.*' \S+ (\d+)/gm)].map(([, size]) => Number(size));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  return `${sizes.length} packages, ${Math.ceil(bytes / 1e6)} MB to fetch`;
}

/** Gets the lists of packages, which only root can. */
export async function updateLists(): Promise<boolean> {
  return await apt("apt-get update -qq");
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
      const download = `apt-get download -qq ${(await packages()).join(" ")}`;
      // A machine that never asked for the lists knows none of them.
      if (!(await apt(`${download} || (apt-get update -qq && ${download})`, folder)))
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

/** Runs commands of apt, and shows what they print where they fail: their packages' scripts tell much. */
async function apt(commands: string, cwd?: string): Promise<boolean> {
  const child = spawn("flock", [LOCK, "sh", "-c", `(${commands}) 2>&1`], {
    ...(cwd !== undefined && { cwd }),
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  });
  const ended = once(child, "close").catch(() => []);
  const printed = await text(child.stdout);
  const [code] = await ended;
  if (code !== 0) console.error(printed.trim());
  return code === 0;
}

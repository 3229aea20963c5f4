/** Gets a Redis onto a machine that has none: Debian's packages, unpacked beside the tests; needs neither root nor a service. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { downloadPackages } from "../debian.ts";

const STATE = fileURLToPath(new URL("./.state", import.meta.url));
const UNPACKED = join(STATE, "redis");
/** The program is in the second, which needs the others. */
const PACKAGES = ["redis-server", "redis-tools", "libjemalloc2", "liblzf1"];
const run = promisify(execFile);

/** The program, and the folder of libraries that it needs. */
export interface RedisProgram {
  path: string;
  libraries: string;
}

/** Finds the machine's own Redis, or one that was unpacked before, or unpacks one now. */
export async function findRedis(): Promise<RedisProgram> {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const own = folders.map((folder) => join(folder, "redis-server")).find((path) => existsSync(path));
  if (own !== undefined) return { path: own, libraries: "" };
  if (!existsSync(UNPACKED)) await unpack();
  return { path: join(UNPACKED, "usr/bin/redis-server"), libraries: await librariesIn(UNPACKED) };
}

async function unpack(): Promise<void> {
  await mkdir(STATE, { recursive: true });
  const folder = await mkdtemp(join(STATE, "unpack-"));
  try {
    if (!(await downloadPackages(folder, PACKAGES))) throw new Error("Debian's packages can't be had");
    for (const name of await readdir(folder))
      if (name.endsWith(".deb")) await run("dpkg", ["-x", name, "redis"], { cwd: folder });
    // Another run may have been faster.
    await rename(join(folder, "redis"), UNPACKED).catch(() => {});
    if (!existsSync(join(UNPACKED, "usr/bin/redis-server"))) throw new Error("it is in none of the packages");
  } catch (error) {
    const reason = error instanceof Error ? error.message.trim().split("\n")[0] : "unknown reason";
    const advice = "Install it (Debian: apt-get install redis-server; macOS: brew install redis)";
    throw new Error(`Cannot get redis-server, which these tests run on: ${reason}. ${advice}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function librariesIn(folder: string): Promise<string> {
  const below = await readdir(join(folder, "usr/lib"), { recursive: true, withFileTypes: true });
  const found = below.find(({ name }) => name.startsWith("libjemalloc.so"));
  return found === undefined ? "" : found.parentPath;
}

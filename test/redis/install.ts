/** Gets a Redis onto a machine that has none; needs neither root nor a service. */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { unpackProgram } from "../support/debian.ts";

/** Finds the machine's own Redis, or one that was unpacked before, or unpacks one now. */
export async function findRedis(): Promise<{ path: string; libraries: string }> {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const own = folders.map((folder) => join(folder, "redis-server")).find((path) => existsSync(path));
  if (own !== undefined) return { path: own, libraries: "" };
  return await unpackProgram({
    root: fileURLToPath(new URL("./.state/redis", import.meta.url)),
    program: "usr/bin/redis-server",
    // The program is in the second, which needs the others.
    packages: async () => ["redis-server", "redis-tools", "libjemalloc2", "liblzf1"],
    advice: "Install it (Debian: apt-get install redis-server; macOS: brew install redis)",
  });
}

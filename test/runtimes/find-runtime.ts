/** Where npm put the program of a runtime, whether or not its install script was allowed to run. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const MODULES = fileURLToPath(new URL("./node_modules", import.meta.url));

/**
 * The scope and the beginning of the name of the packages, one per platform, the program inside, and where an
 * install script puts it.
 */
const packages = {
  bun: { scope: "@oven", prefix: "bun-", program: "bin/bun", moved: "bun/bin/bun.exe" },
  deno: { scope: "@deno", prefix: "", program: "deno", moved: "deno/deno" },
  workerd: { scope: "@cloudflare", prefix: "workerd-", program: "bin/workerd", moved: "workerd/bin/workerd" },
} as const;

/** Finds a runtime's program: in the package of this platform, the only one that npm installs, unless moved away. */
export function findRuntime(name: keyof typeof packages): string {
  const { scope, prefix, program, moved } = packages[name];
  const folder = join(MODULES, scope);
  const installed = existsSync(folder) ? readdirSync(folder).filter((each) => each.startsWith(prefix)) : [];
  const found = [
    ...installed.flatMap((each) => [join(folder, each, program), join(folder, each, `${program}.exe`)]),
    join(MODULES, moved),
  ].find((path) => existsSync(path));
  if (found === undefined)
    throw new Error(`Cannot find ${name} for this platform. Run npm --prefix test/runtimes ci`);
  return found;
}

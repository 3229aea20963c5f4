/** The versions of server runtimes that are tried: Node's own of this machine, and those that npm installs. */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);
const { devDependencies: pinned } = require("../runtimes/package.json") as {
  devDependencies: Record<string, string>;
};
const { optionalDependencies: newer } = require("./runtimes/package.json") as {
  optionalDependencies: Record<string, string>;
};

/** The pinned version of Bun, Deno or workerd. */
export function versionOf(runtime: "bun" | "deno" | "workerd"): string {
  return pinned[runtime] ?? "";
}

export interface NodeVersion {
  /** Such as "22.23.3". */
  version: string;
  program: string;
  /** The flag that has it refuse what no other flag allows. */
  flag: string;
  /** What it takes for granted. */
  readsFreely: "--allow-fs-read=PROGRAM" | undefined;
}

/** Node 20, which tests run in, and later ones. */
export function nodeVersions(): NodeVersion[] {
  const installed = Object.entries(newer).map(([name, alias]) => ({
    version: alias.split("@").at(-1) ?? "",
    program: fileURLToPath(new URL(`runtimes/node_modules/${name}/bin/node`, import.meta.url)),
    flag: "--permission",
    readsFreely: "--allow-fs-read=PROGRAM" as const,
  }));
  for (const { program } of installed)
    if (!existsSync(program))
      throw new Error(`Cannot find ${program}. Run npm --prefix test/works-with/runtimes ci`);
  const { node: version } = process.versions;
  const program = process.execPath;
  return [{ version, program, flag: "--experimental-permission", readsFreely: undefined }, ...installed];
}

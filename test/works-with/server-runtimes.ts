/** The versions of server runtimes that are tried: Node's own of this machine, and those that npm installs. */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const require = createRequire(import.meta.url);
const { devDependencies: pinned, optionalDependencies: least } =
  require("../runtimes/package.json") as Record<
    "devDependencies" | "optionalDependencies",
    Record<string, string>
  >;
const { optionalDependencies: newer } = require("./runtimes/package.json") as {
  optionalDependencies: Record<string, string>;
};

/** The pinned version of Bun, Deno or workerd. */
export function versionOf(runtime: "bun" | "deno" | "workerd"): string {
  return pinned[runtime] ?? "";
}

/** The least version of Deno that is supported. */
export function leastDeno(): { version: string; program: string } {
  const program = fileURLToPath(new URL("../runtimes/node_modules/deno-least/deno", import.meta.url));
  return { version: least["deno-least"]?.split("@").at(-1) ?? "", program };
}

export interface NodeVersion {
  /** Of the machine's own the major number alone, such as "20". */
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
  const [version = ""] = process.versions.node.split(".");
  const program = process.execPath;
  return [{ version, program, flag: "--experimental-permission", readsFreely: undefined }, ...installed];
}

/** Bundles the programs for Node, each to one file, which is all that it has to read of it. */
export async function bundleForNode(folder: string): Promise<{ ability: string; cli: string }> {
  await build({
    entryPoints: { ability: "test/runtimes/ability.ts", cli: "core/cli/main.ts" },
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    logLevel: "warning",
  });
  return { ability: join(folder, "ability.mjs"), cli: join(folder, "cli.mjs") };
}

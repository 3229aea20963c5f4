/**
 * Programs that tests start, each bundled once to one file: starting the local service or the command line from its
 * sources costs three times the processor time.
 */
import { mkdirSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** Names the folder of the bundles; whoever finds it unset makes them. */
const VARIABLE = "UPCUT_BUNDLES";

/** Paths of programs from the root of the project. */
const PROGRAMS = [
  "core/cli/main.ts",
  "test/support/core/call-once.ts",
  "test/support/hosts/tls-servers.ts",
  "test/support/hls/upload-hls.ts",
  "test/support/programs/upload-many.ts",
  "test/support/programs/upload-stream.ts",
  "test/support/programs/waiting-process.ts",
  "test/faults/client.ts",
  "test/service/main.ts",
] as const;

/** Where Node finds a program's bundle; its source where it has none. */
export function bundledProgram(program: string): string[] {
  const folder = process.env[VARIABLE];
  const isBundled = folder !== undefined && (PROGRAMS as readonly string[]).includes(program);
  return isBundled ? [join(folder, bundleName(program))] : ["--import", "tsx", program];
}

/** Bundles the programs before the first test of a run; vitest calls it (`globalSetup`), and `npm test` before its steps. */
export default async function bundlePrograms(): Promise<(() => Promise<void>) | undefined> {
  if (process.env[VARIABLE] !== undefined) return undefined;
  // Beside the packages, which the bundles import.
  const folder = join(ROOT, "node_modules/.cache/upcut-tests", String(process.pid));
  mkdirSync(folder, { recursive: true });
  await build({
    absWorkingDir: ROOT,
    entryPoints: Object.fromEntries(PROGRAMS.map((program) => [bundleName(program).slice(0, -4), program])),
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    splitting: true,
    chunkNames: "chunk-[hash]",
    target: "node20",
    plugins: [ownAddresses],
    logLevel: "warning",
  });
  process.env[VARIABLE] = folder;
  return async () => {
    delete process.env[VARIABLE];
    await rm(folder, { recursive: true, force: true });
  };
}

function bundleName(program: string): string {
  return `${program.slice(0, -3).replaceAll("/", "-")}.mjs`;
}

/** Files beside a source are looked for there, wherever the bundle is. */
const ownAddresses: Plugin = {
  name: "own addresses",
  setup({ onLoad }) {
    onLoad({ filter: /\/(core|test)\/.*\.ts$/ }, async ({ path }) => {
      if (relative(ROOT, path).includes("node_modules")) return undefined;
      const source = await readFile(path, "utf8");
      const address = JSON.stringify(pathToFileURL(path).href);
      return { contents: source.replaceAll("import.meta.url", address), loader: "ts" };
    });
  },
};

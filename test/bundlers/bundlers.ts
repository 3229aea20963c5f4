/** The bundlers that the module is tried with: each makes pages and a program of the scripts of a project. */
import { cp, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { build as buildByEsbuild, version as esbuildVersion } from "esbuild";
import { build as buildByVite, version as viteVersion } from "vite";
import { ROOT, succeed } from "../packaging/run.ts";
import { findRuntime } from "../runtimes/find-runtime.ts";
import { nextJs } from "./next-js.ts";
import { PACKAGES, versionOf } from "./packages.ts";

/** Scripts by their names: `src/<name>.js`. */
export interface Project {
  folder: string;
  /** Each is bundled for a page with a file input. */
  pages: readonly string[];
  /** For Node: exports `run()`, which gives what is printed. */
  program?: string;
  /** For Node: the command line, which is called with `--version`. Next, which has servers alone, leaves it out. */
  command?: string;
}

/** By the programs of a project. */
export type Printed = Partial<Record<"program" | "command", string>>;

export interface Bundler {
  name: string;
  version: string;
  /** What a person should know of it, in a few words. */
  because?: string;
  /**
   * Bundles all of them.
   *
   * @param output the folder that gets `<page>.html` for each page, and what that loads
   * @param environment of the program
   * @returns what its programs printed
   */
  bundle(project: Project, output: string, environment: Record<string, string>): Promise<Printed>;
}

/** The bytes of the scripts that a page begins with, compressed. */
export async function sizeOf(output: string, page: string): Promise<number> {
  const html = await readFile(join(output, `${page}.html`), "utf8");
  const paths = new Set([...html.matchAll(/<script[^>]*? src="?\/([^"> ]+)/g)].map(([, path = ""]) => path));
  const scripts = await Promise.all([...paths].map((path) => readFile(join(output, path))));
  return scripts.reduce((sum, script) => sum + gzipSync(script, { level: 9 }).length, 0);
}

type Target = "web" | "node";

/** A bundler that is told which script becomes which file. */
function ofScripts(
  name: string,
  version: string,
  bundleScript: (script: string, file: string, target: Target, folder: string) => Promise<unknown>,
): Bundler {
  return {
    name,
    version,
    async bundle({ folder, pages, ...programs }, output, environment) {
      for (const page of pages) {
        await bundleScript(join(folder, `src/${page}.js`), join(output, `${page}.js`), "web", folder);
        await writeFile(join(output, `${page}.html`), htmlOf(`/${page}.js`));
      }
      return await runPrograms({ folder, pages, ...programs }, environment, async (script) => {
        const file = join(output, "program.mjs");
        await bundleScript(join(folder, script), file, "node", folder);
        return file;
      });
    },
  };
}

function htmlOf(script: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Upload</title>
    <link rel="icon" href="data:,">
    <script type="module" src="${script}"></script>
  </head>
  <body><label>Video <input type="file"></label></body>
</html>
`;
}

/** @param bundle bundles a script for Node, and names the file that it made */
async function runPrograms(
  { folder, program, command }: Project,
  environment: Record<string, string>,
  bundle: (script: string) => Promise<string>,
): Promise<Printed> {
  if (program === undefined || command === undefined) return {};
  await writeFile(
    join(folder, "src/print.js"),
    `import { run } from "./${program}.js";\nrun().then(console.log);\n`,
  );
  const printed = await succeed("node", [await bundle("src/print.js")], folder, environment);
  const file = await bundle(`src/${command}.js`);
  return { program: printed, command: await succeed("node", [file, "--version"], folder) };
}

const byProgram =
  (program: string) =>
  async (...[script, file, target, folder]: Parameters<Parameters<typeof ofScripts>[2]>) =>
    await succeed("node", [join(ROOT, "test/bundlers", program), script, file, target], folder);

const esbuild = ofScripts("esbuild", esbuildVersion, (script, outfile, target) =>
  buildByEsbuild({
    ...{ entryPoints: [script], outfile, bundle: true, minify: true, format: "esm", logLevel: "error" },
    platform: target === "node" ? "node" : "browser",
  }),
);

const bun = ofScripts("Bun", versionOf("bun", "test/runtimes"), (script, file, target, folder) =>
  succeed(
    findRuntime("bun"),
    ["build", script, "--minify", "--outfile", file, "--target", target === "node" ? "node" : "browser"],
    folder,
  ),
);

const vite = ofScripts("Vite", viteVersion, (script, file, target, root) =>
  buildByVite({
    ...{ configFile: false, root, logLevel: "error", publicDir: false },
    ...(target === "node" && { ssr: { noExternal: true } }),
    build: {
      ...{ outDir: dirname(file), emptyOutDir: false, minify: true, modulePreload: false },
      ssr: target === "node",
      rolldownOptions: { input: script, output: { entryFileNames: basename(file) } },
    },
  }),
);

const parcel: Bundler = {
  name: "Parcel",
  version: versionOf("parcel"),
  because: "finds the entries with packageExports alone, and takes all of mediabunny along",
  async bundle({ folder, pages, ...programs }, output, environment) {
    for (const page of pages) await writeFile(join(folder, `${page}.html`), htmlOf(`./src/${page}.js`));
    // The bundler makes a folder for each target.
    const made = join(output, "made");
    const build = async (target: Target, entry: string) => {
      const how = ["--target", target, "--dist-dir", made, "--no-cache", "--no-source-maps"];
      await succeed("node", [join(PACKAGES, "parcel/lib/bin.js"), "build", entry, ...how], folder);
    };
    // One by one, so that none shares scripts with another.
    for (const page of pages) await build("web", `${page}.html`);
    await cp(join(made, "web"), output, { recursive: true });
    return await runPrograms({ folder, pages, ...programs }, environment, async (script) => {
      await build("node", script);
      await writeFile(join(made, "node/package.json"), '{ "type": "module" }');
      return join(made, "node", basename(script));
    });
  },
};

const WHOLE = "takes all of mediabunny along";

/** What Parcel reads of a project's manifest: how it finds entries of packages, and its targets. */
export const PARCEL_SETTINGS = {
  "@parcel/resolver-default": { packageExports: true },
  targets: {
    web: { context: "browser" },
    node: { context: "node", includeNodeModules: true, outputFormat: "esmodule" },
  },
};

export const BUNDLERS: readonly Bundler[] = [
  { ...esbuild, because: WHOLE },
  bun,
  {
    ...ofScripts("webpack", versionOf("webpack"), byProgram("webpack.mjs")),
    because: "warns where mediabunny isn't installed",
  },
  { ...ofScripts("Rollup", versionOf("rollup"), byProgram("rollup.mjs")), because: WHOLE },
  vite,
  parcel,
  nextJs("Next with webpack", "--webpack"),
  nextJs("Next with Turbopack", "--turbopack"),
];

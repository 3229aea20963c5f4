/** What a page loads, what the store gets, and what an install brings. */
import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { build, type Rolldown } from "vite";
import type { Section, Verdict } from "./report.ts";
import { ROOT } from "./sinks.ts";

const HERE = import.meta.dirname;

interface Library {
  name: string;
  /** What a page imports of it. */
  code: string;
  /** The packages that are asked for to be installed. */
  packages: string[];
}

const peers: Library[] = [
  { name: "tus-js-client", code: 'export { Upload } from "tus-js-client"', packages: ["tus-js-client"] },
  {
    name: "Uppy (core and tus)",
    code: 'export { default as Uppy } from "@uppy/core"; export { default as Tus } from "@uppy/tus"',
    packages: ["@uppy/core", "@uppy/tus"],
  },
  { name: "UpChunk", code: 'export { createUpload } from "@mux/upchunk"', packages: ["@mux/upchunk"] },
  {
    name: "api.video uploader",
    code: 'export { VideoUploader } from "@api.video/video-uploader"',
    packages: ["@api.video/video-uploader"],
  },
  {
    name: "livepeer SDK, which uploads nothing",
    code: 'export { Livepeer } from "livepeer"',
    packages: ["livepeer"],
  },
  {
    name: "livepeer SDK and tus-js-client",
    code: 'export { Livepeer } from "livepeer"; export { Upload } from "tus-js-client"',
    packages: ["livepeer", "tus-js-client"],
  },
];

export async function size(): Promise<Section> {
  const own = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { dependencies: object };
  const dependencies = footprint(ROOT, Object.keys(own.dependencies));
  const installed = {
    packages: dependencies.packages + 1,
    bytes: dependencies.bytes + sizeOf(join(ROOT, "dist")),
  };
  const client = await bundled(`export * from ${JSON.stringify(join(ROOT, "core/client.ts"))}`);
  const everything = await bundled(`export * from ${JSON.stringify(join(ROOT, "core/mod.ts"))}`);
  const rows = [
    ["Upcut, client alone", kilobytes(client), "", ""],
    ["Upcut, everything", kilobytes(everything), `${installed.packages}`, megabytes(installed.bytes)],
  ];
  for (const { name, code, packages } of peers) {
    const brought = footprint(HERE, packages);
    rows.push([name, kilobytes(await bundled(code)), `${brought.packages}`, megabytes(brought.bytes)]);
  }
  const archive = zip();
  return {
    title: "Size",
    how:
      "Bundled and minified for a page as an app would do it, gzip at level 9; the packages that an install brings, " +
      "itself included, and what they take on disk.",
    tables: [{ columns: ["", "gzip KB", "packages", "MB installed"], rows }],
    verdicts: [
      atMostKilobytes("Client alone, gzip", client, 11.5),
      atMostKilobytes("Everything, gzip", everything, 30),
      atMostKilobytes("Extension, zip for the store", archive, 260),
      {
        what: "Packages of an install",
        target: "≤ 25",
        measured: `${installed.packages}`,
        met: installed.packages <= 25,
      },
    ],
    charts: {},
  };
}

/** Bytes of a module's bundle for a page, compressed. */
async function bundled(code: string): Promise<number> {
  const entry = "virtual:entry";
  const result = (await build({
    root: HERE,
    configFile: false,
    logLevel: "silent",
    plugins: [
      {
        name: "entry",
        resolveId: (id) => (id === entry ? id : undefined),
        load: (id) => (id === entry ? code : undefined),
      },
    ],
    build: {
      write: false,
      minify: true,
      modulePreload: false,
      rolldownOptions: { input: entry, preserveEntrySignatures: "strict" },
    },
  })) as Rolldown.RolldownOutput;
  const chunks = result.output.filter((each) => each.type === "chunk");
  return gzipSync(chunks.map((chunk) => chunk.code).join("\n"), { level: 9 }).length;
}

/** Counts packages and what they and their dependencies take, as npm installed them here. */
function footprint(from: string, names: readonly string[]): { packages: number; bytes: number } {
  const found = new Set<string>();
  const visit = (folder: string, wanted: readonly string[]) => {
    for (const name of wanted) {
      const path = resolve(folder, name);
      if (path === undefined || found.has(path)) continue;
      found.add(path);
      const { dependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(
        readFileSync(join(path, "package.json"), "utf8"),
      ) as Record<string, Record<string, { optional?: boolean }> | undefined>;
      const needed = Object.keys(peerDependencies ?? {}).filter(
        (peer) => peerDependenciesMeta?.[peer]?.optional !== true,
      );
      visit(path, [...Object.keys(dependencies ?? {}), ...needed]);
    }
  };
  visit(from, names);
  return { packages: found.size, bytes: [...found].reduce((sum, path) => sum + sizeOf(path), 0) };
}

/** Where Node would find a package; optional ones may be nowhere. */
function resolve(from: string, name: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = join(folder, "node_modules", name);
    if (existsSync(join(path, "package.json"))) return path;
    if (folder === dirname(folder)) return undefined;
  }
}

/** Bytes of the files of a folder, without packages that are installed inside it. */
function sizeOf(path: string): number {
  if (!lstatSync(path).isDirectory()) return lstatSync(path).size;
  const entries = readdirSync(path).filter((name) => name !== "node_modules");
  return entries.reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}

function zip(): number {
  execFileSync(process.execPath, ["node_modules/wxt/bin/wxt.mjs", "zip"], { cwd: ROOT });
  const [name = ""] = readdirSync(join(ROOT, ".output")).filter((each) => each.endsWith("-chrome.zip"));
  return statSync(join(ROOT, ".output", name)).size;
}

function atMostKilobytes(what: string, bytes: number, limit: number): Verdict {
  return { what, target: `≤ ${limit} KB`, measured: `${kilobytes(bytes)} KB`, met: bytes <= limit * 1000 };
}

function kilobytes(bytes: number): string {
  return (bytes / 1000).toFixed(1);
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}

/** What a page loads, what the store gets, and what an install brings. */
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { succeed } from "../packaging/run.ts";
import { makePackage } from "../release/package.ts";
import { bundle } from "../runtimes/bundle.ts";
import { type Bench, type Section, type Verdict, verdict } from "./report.ts";
import { ROOT } from "./sinks.ts";

const HERE = import.meta.dirname;

/** What a page imports of each, and the packages that are installed for it. */
const peers: [name: string, code: string, packages: string[]][] = [
  ["tus-js-client", 'export { Upload } from "tus-js-client"', ["tus-js-client"]],
  [
    "Uppy (core and tus)",
    'export { default as Uppy } from "@uppy/core"; export { default as Tus } from "@uppy/tus"',
    ["@uppy/core", "@uppy/tus"],
  ],
  ["UpChunk", 'export { createUpload } from "@mux/upchunk"', ["@mux/upchunk"]],
  [
    "api.video uploader",
    'export { VideoUploader } from "@api.video/video-uploader"',
    ["@api.video/video-uploader"],
  ],
  ["livepeer SDK, which uploads nothing", 'export { Livepeer } from "livepeer"', ["livepeer"]],
  [
    "livepeer SDK and tus-js-client",
    'export { Livepeer } from "livepeer"; export { Upload } from "tus-js-client"',
    ["livepeer", "tus-js-client"],
  ],
];

export async function size({ videos: { folder } }: Bench): Promise<Section> {
  const { devDependencies: versions } = JSON.parse(await readFile(join(HERE, "package.json"), "utf8"));
  const packed = join(folder, "package");
  await makePackage(packed);
  const own = await installed(folder, [packed, "--install-links"]);
  // As an app has it: what the package can do without isn't there.
  const client = await bundled(own.project, 'export * from "@upcut/core/client"');
  const everything = await bundled(own.project, 'export * from "@upcut/core"');
  const rows = [
    ["Upcut, client alone", kilobytes(client), "", ""],
    ["Upcut, everything", kilobytes(everything), `${own.packages}`, megabytes(own.bytes)],
  ];
  for (const [name, code, packages] of peers) {
    // Beside the packages, where nothing is checked.
    const bytes = await bundled(join(HERE, "node_modules"), code);
    const brought = await installed(
      folder,
      packages.map((each) => `${each}@${versions[each]}`),
    );
    rows.push([name, kilobytes(bytes), `${brought.packages}`, megabytes(brought.bytes)]);
  }
  return {
    title: "Size",
    how:
      "Bundled and minified for a page as an app would do it, gzip at level 9; the packages that an install brings, " +
      "itself included, and what they take on disk.",
    tables: [{ columns: ["", "gzip kB", "packages", "MB installed"], rows }],
    verdicts: [
      atMostKilobytes("Client alone, gzip", client, 14),
      atMostKilobytes("Everything, gzip", everything, 42),
      atMostKilobytes("Extension, zip for the store", await zip(), 246),
      verdict("Packages of an install", "≤ 25", `${own.packages}`, own.packages <= 25),
    ],
  };
}

/** Bytes of a module's bundle for a page, compressed. @param folder where its packages are found */
async function bundled(folder: string, code: string): Promise<number> {
  const entry = join(folder, ".entry.mjs");
  await writeFile(entry, code);
  return gzipSync(await bundle(entry, undefined, true), { level: 9 }).length;
}

/** Installs packages into an empty project; tells how many came, and what they take. */
async function installed(folder: string, packages: readonly string[]) {
  const project = join(folder, `install-${crypto.randomUUID()}`);
  await succeed("npm", ["install", "--no-audit", "--no-fund", "--prefix", project, ...packages], ROOT);
  const lock = JSON.parse(await readFile(join(project, "node_modules/.package-lock.json"), "utf8"));
  const bytes = await succeed("du", ["--summarize", "--bytes", "node_modules"], project);
  return { project, packages: Object.keys(lock.packages).length, bytes: Number.parseInt(bytes, 10) };
}

async function zip(): Promise<number> {
  await succeed("npm", ["run", "--silent", "zip"], ROOT);
  const [name = ""] = (await readdir(join(ROOT, ".output"))).filter((each) => each.endsWith("-chrome.zip"));
  return (await stat(join(ROOT, ".output", name))).size;
}

function atMostKilobytes(what: string, bytes: number, limit: number): Verdict {
  return verdict(what, `≤ ${limit} kB`, `${kilobytes(bytes)} kB`, bytes <= limit * 1000);
}

const kilobytes = (bytes: number) => (bytes / 1000).toFixed(1);
const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1);

/**
 * `npm run package`: makes the folder that goes to npm, `.output/npm`: the built module, its own README, its examples,
 * and a manifest without what only developers of Upcut need.
 */
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ROOT, succeed } from "../packaging/run.ts";

/** What those who install the package, or look at its page, have of the manifest. */
const FIELDS = [
  ...[
    "name",
    "version",
    "description",
    "keywords",
    "license",
    "type",
    "sideEffects",
    "bin",
    "exports",
    "alias",
  ],
  ...["engines", "dependencies", "peerDependencies", "peerDependenciesMeta"],
];

/** Where a copy of the project is published from; the release workflow tells it, and nothing else knows. */
export interface Home {
  /** Such as "https://github.com". */
  server: string;
  /** Owner and name. */
  repository: string;
}

/** What GitHub tells each run of a workflow, or `undefined` elsewhere. */
export function homeOf(environment: NodeJS.ProcessEnv): Home | undefined {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = environment;
  return server === undefined || repository === undefined ? undefined : { server, repository };
}

export function publishedManifest(manifest: object, home?: Home): object {
  const kept = Object.entries(manifest).filter(([name]) => FIELDS.includes(name));
  if (home === undefined) return Object.fromEntries(kept);
  const address = `${home.server}/${home.repository}`;
  return {
    ...Object.fromEntries(kept),
    homepage: `${address}#readme`,
    bugs: `${address}/issues`,
    repository: { type: "git", url: `git+${address}.git` },
  };
}

/** An example as somebody writes it who installed the package. */
export function publishedExample(source: string, exports: Record<string, string>): string {
  return source
    .replaceAll("core/examples/", "")
    .replace(/(?<=\bfrom ")\.\.\/(.+)\.ts(?=";)/g, (_, module: string) => {
      const [entry] = Object.entries(exports).find(([, path]) => path === `./${module}.ts`) ?? [];
      if (entry === undefined) throw new Error(`Cannot publish an example of ${module}.ts: it is no entry`);
      return `@upcut/core${entry.slice(1)}`;
    });
}

/** Builds the package into a folder, which is emptied first. */
export async function makePackage(folder: string, home?: Home): Promise<void> {
  const core = join(ROOT, "core");
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, "examples"), { recursive: true });
  const compiler = [join(ROOT, "node_modules/typescript/bin/tsc"), "-p", join(core, "tsconfig.build.json")];
  await succeed("node", [...compiler, "--outDir", join(folder, "dist")], ROOT);

  const manifest = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as object;
  const published = publishedManifest(manifest, home);
  await writeFile(join(folder, "package.json"), `${JSON.stringify(published, undefined, 2)}\n`);

  const { exports } = JSON.parse(await readFile(join(core, "deno.json"), "utf8")) as {
    exports: Record<string, string>;
  };
  const examples = (await readdir(join(core, "examples"))).filter((name) => name.endsWith(".ts"));
  for (const name of examples) {
    const source = await readFile(join(core, "examples", name), "utf8");
    await writeFile(join(folder, "examples", name), publishedExample(source, exports));
  }

  await cp(join(core, "README.md"), join(folder, "README.md"));
  for (const text of ["LICENSE", "CHANGELOG.md"]) await cp(join(ROOT, text), join(folder, text));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await makePackage(join(ROOT, ".output/npm"), homeOf(process.env));
  console.log("Made .output/npm. Try it: npm publish --dry-run .output/npm");
}

/** The module as npm gets it, in Node; `package.all.test.ts` tries it in every runtime and under every TypeScript. */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { type BuildOptions, build } from "esbuild";
import { describe, expect, test } from "vitest";
import { homeOf, publishedManifest } from "../release/package.ts";
import { bundle } from "../runtimes/bundle.ts";
import { useService } from "../service/use-service.ts";
import { sha256, writeContent } from "../support/content.ts";
import { usePacked } from "./packed.ts";
import { ROOT, succeed } from "./run.ts";

const service = useService();
const packed = usePacked();
const { exports } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as { exports: object };

test("the package holds the built module, its examples and texts, and nothing else", async () => {
  const paths = packed.files.map(({ path }) => path).sort();
  console.log(`package: ${packed.size} bytes packed, ${packed.unpackedSize} unpacked, ${paths.length} files`);
  const core = (await readdir(join(ROOT, "core"), { recursive: true })).map((path) =>
    path.replaceAll("\\", "/"),
  );
  const built = core
    .filter((path) => /(?<!\.d)\.ts$/.test(path) && !/^(?:examples\/|extension\.ts$)/.test(path))
    .map((path) => `dist/${path.slice(0, -".ts".length)}`)
    .flatMap((path) => [`${path}.d.ts`, `${path}.js`]);
  const examples = core.filter((path) => /^examples\/[^/]+\.ts$/.test(path));
  const texts = ["CHANGELOG.md", "LICENSE", "README.md", "package.json"];
  expect(paths).toEqual([...built, ...examples, ...texts].sort());
  expect(await readFile(join(packed.folder, "README.md"), "utf8")).toMatch(/^# @upcut\/core\n/);
});

test("the package says where it was published from, and nothing of how it is developed", async () => {
  const manifest = JSON.parse(await readFile(join(packed.folder, "package.json"), "utf8"));
  expect(manifest).toMatchObject({
    homepage: "https://github.com/owner/name#readme",
    bugs: "https://github.com/owner/name/issues",
    repository: { type: "git", url: "git+https://github.com/owner/name.git" },
    keywords: expect.arrayContaining(["upload"]),
  });
  const ours = ["scripts", "devDependencies", "private"];
  expect(Object.keys(manifest).filter((name) => ours.includes(name))).toEqual([]);
});

test("a copy that is published from nowhere names no address", () => {
  expect(homeOf({})).toBeUndefined();
  expect(publishedManifest({ name: "@upcut/core", scripts: {}, private: true })).toEqual({
    name: "@upcut/core",
  });
});

test("publint finds nothing wrong with the package", async () => {
  const linter = join(ROOT, "test/runtimes/node_modules/publint/src/cli.js");
  await succeed("node", [linter, "run", packed.archive, "--strict"], packed.project);
});

test("installing it brings few packages, and none with an install script", async () => {
  const { packages } = JSON.parse(await readFile(join(packed.project, "package-lock.json"), "utf8")) as {
    packages: Record<string, { hasInstallScript?: true }>;
  };
  const installed = Object.entries(packages).filter(([path]) => path !== "");
  console.log(`installed: ${installed.length} packages`);
  // Ours, the five it asks for, and the 26 that those bring.
  expect(installed.length).toBeLessThanOrEqual(32);
  expect(installed.filter(([, { hasInstallScript }]) => hasInstallScript)).toEqual([]);
});

test("a script that uses the package, and its command, upload a file", async () => {
  const { project } = packed;
  const expected = await writeContent(join(project, "video.mp4"), 3_000_017);
  const settings = {
    UPCUT_URL: service.baseUrl,
    UPCUT_TOKEN: service.token,
    UPCUT_JOURNAL: join(packed.scratch, "journal"),
  };
  await succeed("node", ["consumer.mjs", "video.mp4"], project, settings);
  await succeed("npx", ["--no-install", "upcut", "upload", "video.mp4", "--new"], project, settings);
  const stored = await service.assets();
  expect(stored).toHaveLength(3);
  for (const { asset } of stored) expect((await service.whole(asset.id)).sha256).toBe(expected);
});

describe("bundled for a page", () => {
  /** Only tus-js-client says this. */
  const TUS = "tus: failed to upload chunk at offset";

  /** Bytes, compressed: a little over what they are, so that a change that makes them larger is noticed. */
  const [MOST_CLIENT, MOST_EVERYTHING] = [23_400, 65_300];

  const bundled = async (source: string) => {
    const entry = join(packed.project, `entry-${sha256(Buffer.from(source)).slice(0, 8)}.js`);
    await writeFile(entry, source);
    const code = await bundle(entry, undefined, true);
    const gzip = gzipSync(code, { level: 9 }).length;
    console.log(`gzip: ${source} ${gzip} bytes`);
    return { code, gzip };
  };

  test("everything has upload code, and doesn't grow unnoticed", async () => {
    const { code, gzip } = await bundled('export * from "@upcut/core";');
    expect(code).toContain(TUS);
    expect(gzip).toBeLessThan(MOST_EVERYTHING);
  });

  test.each([
    ["its own entry", 'export * from "@upcut/core/client";'],
    ["the main entry", 'export { createClient } from "@upcut/core";'],
  ])("the client from %s carries no upload code", async (_, source) => {
    const { code, gzip } = await bundled(source);
    expect(code).not.toContain(TUS);
    expect(code).toContain("request-upload");
    expect(gzip).toBeLessThan(MOST_CLIENT);
  });
});

/** The bundler resolves every import that it can reach, also those in functions that nobody calls. */
describe("bundled by esbuild", () => {
  const ENTRIES = Object.keys(exports)
    .filter((entry) => entry !== "./package.json")
    .map((entry) => entry.replace(".", "@upcut/core"));
  const OPTIONAL = ["hash-wasm", "mediabunny"];

  /** @param optional whether the optional packages are installed, as they are for the tests */
  async function esbuild(source: string, optional: boolean, platform: BuildOptions["platform"] = "browser") {
    const { outputFiles, metafile, warnings } = await build({
      stdin: { contents: source, resolveDir: packed.project },
      nodePaths: optional ? [join(ROOT, "node_modules")] : [],
      ...{ bundle: true, minify: true, write: false, metafile: true, logLevel: "silent" },
      ...{ format: "esm", platform },
    });
    expect(warnings).toEqual([]);
    const [output] = Object.values(metafile.outputs);
    const paths = Object.entries(output?.inputs ?? {}).flatMap(([path, { bytesInOutput }]) =>
      bytesInOutput > 0 ? [path] : [],
    );
    const packages = OPTIONAL.filter((name) => paths.some((path) => path.includes(`node_modules/${name}/`)));
    return { gzip: gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length, packages };
  }

  test.each(ENTRIES)(
    "%s needs no optional package, and takes along what it asks for alone",
    async (entry) => {
      const platform = /(cli|file)$/.test(entry) ? "node" : "browser";
      const source = `export * from "${entry}";`;
      const { gzip, packages } = await esbuild(source, false, platform);
      expect(packages).toEqual([]);
      const asked = /(cli|hls)$/.test(entry) ? ["mediabunny"] : [];
      const installed = await esbuild(source, true, platform);
      expect(installed.packages).toEqual(asked);
      if (asked.length === 0) expect(installed.gzip).toBe(gzip);
    },
  );

  test("a page that only reads errors takes nothing else along", async () => {
    const { gzip } = await esbuild('export { isUpcutError } from "@upcut/core";', false);
    expect(gzip).toBeLessThan(500);
  });
});

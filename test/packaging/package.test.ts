import { cp, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build, type Rolldown } from "vite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sha256, writeContent } from "../content.ts";
import { findRuntime } from "../runtimes/find-runtime.ts";
import { scratchFolder } from "../scratch.ts";
import { useService } from "../service/use-service.ts";
import { ROOT, succeed } from "./run.ts";

interface Packed {
  filename: string;
  size: number;
  unpackedSize: number;
  files: { path: string }[];
}

interface LockFile {
  packages: Record<string, { hasInstallScript?: true }>;
}

/** Each expected error shows that a type is more than `any`. */
const TYPED_CONSUMER = `
import { type Asset, type Progress, upload } from "@upcut/core";
import { createClient } from "@upcut/core/client";
import { fileJournal, openFile } from "@upcut/core/file";

const client = createClient({ baseUrl: "https://video.example", token: () => "<API_KEY>" });

export async function send(path: string): Promise<Asset> {
  const { asset } = await upload(client, await openFile(path), {
    journal: fileJournal(".uploads"),
    onProgress({ state, fraction }: Progress) {
      // @ts-expect-error: there is no such state
      if (state === "nowhere") console.log(fraction);
    },
  });
  // @ts-expect-error: a file is opened before it is uploaded
  await upload(client, path);
  // @ts-expect-error: a stream has an id
  await client.terminateStream();
  return asset;
}
`;

let scratch: { path: string; remove(): Promise<void> };
let packed: Packed;
/** A project of somebody who installed the package. */
let project: string;

beforeAll(async () => {
  scratch = await scratchFolder("packaging");
  packed = await pack(join(scratch.path, "checkout"), scratch.path);
  project = join(scratch.path, "project");
  await mkdir(project);
  await writeFile(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const quiet = ["--no-audit", "--no-fund", "--prefer-offline"];
  await succeed("npm", ["install", ...quiet, join(scratch.path, packed.filename)], project);
}, 180_000);
afterAll(() => scratch.remove());

/** Packs a copy of what the package is made of, since packing builds, and others may be using this checkout. */
async function pack(copy: string, destination: string): Promise<Packed> {
  const parts = ["core", "package.json", "tsconfig.json", "LICENSE", "README.md", ".gitignore"];
  const present = await readdir(ROOT);
  for (const part of parts.filter((each) => present.includes(each))) {
    await cp(join(ROOT, part), join(copy, part), { recursive: true });
  }
  await symlink(join(ROOT, "node_modules"), join(copy, "node_modules"), "junction");
  const printed = await succeed("npm", ["pack", "--json", "--pack-destination", destination], copy);
  // The build speaks before the answer.
  const [first] = JSON.parse(printed.slice(printed.search(/^\[/m))) as [Packed];
  return first;
}

test("the package holds the built module and nothing else", async () => {
  const paths = packed.files.map(({ path }) => path).sort();
  console.log(`package: ${packed.size} bytes packed, ${packed.unpackedSize} unpacked, ${paths.length} files`);
  const checkout = join(scratch.path, "checkout");
  const sources = (await readdir(join(checkout, "core"), { recursive: true }))
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => /(?<!\.d)\.ts$/.test(path) && !path.startsWith("examples/"))
    .map((path) => `dist/${path.slice(0, -".ts".length)}`);
  const built = sources.flatMap((path) => [`${path}.d.ts`, `${path}.js`]);
  const texts = (await readdir(checkout)).filter((name) => /^(LICENSE|README\.md|package\.json)$/.test(name));
  expect(paths).toEqual([...built, ...texts].sort());
  expect(texts).toContain("LICENSE");
});

test("installing it brings few packages, and none with an install script", async () => {
  const lock = JSON.parse(await readFile(join(project, "package-lock.json"), "utf8")) as LockFile;
  const installed = Object.entries(lock.packages).filter(([path]) => path !== "");
  console.log(`installed: ${installed.length} packages`);
  // Ours, the three it asks for, and the 23 that those bring.
  expect(installed.length).toBeLessThanOrEqual(27);
  expect(installed.filter(([, { hasInstallScript }]) => hasInstallScript)).toEqual([]);
});

describe("a script that uses the package", () => {
  const service = useService();
  let video: { path: string; sha256: string };

  beforeAll(async () => {
    const path = join(project, "video.mp4");
    video = { path, sha256: await writeContent(path, 3_000_017) };
    await cp(join(import.meta.dirname, "consumer.mjs"), join(project, "consumer.mjs"));
  });

  test.for([
    ["Node", () => ["node"]],
    ["Bun", () => [findRuntime("bun")]],
    ["Deno", () => [findRuntime("deno"), "run", "-A"]],
  ] as const)("uploads a file in %s", async ([, command]) => {
    const [program = "", ...args] = command();
    const printed = await succeed(program, [...args, "consumer.mjs", video.path], project, {
      UPCUT_URL: service.baseUrl,
      UPCUT_TOKEN: service.token,
    });
    const ids = JSON.parse(printed) as string[];
    expect(ids).toHaveLength(2);
    for (const id of ids) expect((await service.whole(id)).sha256).toBe(video.sha256);
  });
});

describe("TypeScript finds types that hold", () => {
  // Libraries are checked as well: no declaration of ours may hide behind skipLibCheck.
  const strict = ["--ignoreConfig", "--noEmit", "--strict", "--exactOptionalPropertyTypes"];
  const compiler = [join(ROOT, "node_modules/typescript/bin/tsc"), ...strict, "--target", "es2023"];
  const page = ["--lib", "esnext,dom", "--types", ""];
  const server = ["--lib", "esnext", "--types", "node", "--typeRoots", join(ROOT, "node_modules/@types")];

  async function compile(resolution: "bundler" | "nodenext", environment: string[]): Promise<void> {
    await writeFile(join(project, "consumer.ts"), TYPED_CONSUMER);
    const module = resolution === "bundler" ? "esnext" : resolution;
    const args = ["--moduleResolution", resolution, "--module", module, ...environment];
    await succeed("node", [...compiler, ...args, "consumer.ts"], project);
  }

  test("as bundlers resolve them", () => compile("bundler", page));
  test("as Node resolves them", () => compile("nodenext", page));
  // `RequestCredentials` is known to the DOM alone. Becomes a plain test with the type spelled out.
  test("in a project that has Node's types and no DOM", () => compile("nodenext", server));
});

describe("bundled for a page", () => {
  /** Only tus-js-client says this. */
  const TUS = "tus: failed to upload chunk at offset";

  test("the client carries no upload code, and everything stays small", async () => {
    const client = await bundle('export * from "@upcut/core/client";');
    const everything = await bundle('export * from "@upcut/core";');
    console.log(`gzip: upcut/client ${gzip(client)} bytes, upcut ${gzip(everything)} bytes`);
    expect(everything).toContain(TUS);
    expect(client).not.toContain(TUS);
    expect(client).toContain("request-upload");
  });

  test("whoever takes only the client from the main entry gets no upload code either", async () => {
    const client = await bundle('export { createClient } from "@upcut/core";');
    console.log(`gzip: createClient from upcut ${gzip(client)} bytes`);
    expect(client).not.toContain(TUS);
  });

  async function bundle(source: string): Promise<string> {
    const input = join(project, `entry-${sha256(Buffer.from(source)).slice(0, 8)}.js`);
    await writeFile(input, source);
    const result = (await build({
      root: project,
      configFile: false,
      logLevel: "warn",
      build: {
        write: false,
        minify: true,
        modulePreload: false,
        rolldownOptions: { input, preserveEntrySignatures: "strict" },
      },
    })) as Rolldown.RolldownOutput;
    const chunks = result.output.filter((each) => each.type === "chunk");
    return chunks.map(({ code }) => code).join("\n");
  }

  function gzip(code: string): number {
    return gzipSync(code, { level: 9 }).length;
  }
});

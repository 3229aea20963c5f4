import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build, type Rolldown } from "vite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sha256, writeContent } from "../content.ts";
import { homeOf, makePackage, publishedManifest } from "../release/package.ts";
import { findRuntime } from "../runtimes/find-runtime.ts";
import { scratchFolder } from "../scratch.ts";
import { useService } from "../service/use-service.ts";
import { ROOT, run, succeed } from "./run.ts";

interface Packed {
  filename: string;
  size: number;
  unpackedSize: number;
  files: { path: string }[];
}

interface Runtimes {
  devDependencies: { bun: string };
  optionalDependencies: { "deno-least": string };
}

interface Engines {
  engines: { node: string };
}

interface LockFile {
  packages: Record<string, { hasInstallScript?: true }>;
}

/** Where the tests say that it is published from. */
const HOME = { server: "https://github.com", repository: "owner/name" };

/** The program of a linter of packages, pinned with the runtimes. */
function linter(name: string): string {
  const path = { publint: "publint/src/cli.js", attw: "@arethetypeswrong/cli/dist/index.js" }[name] ?? "";
  return join(ROOT, "test/runtimes/node_modules", path);
}

/**
 * The oldest Deno that the README promises, pinned with the runtimes: the first of the one before it can't write a journal. npm
 * has a package of it for each platform, and the runtimes ask for that of Linux alone.
 */
const LEAST_DENO =
  process.platform === "linux" && process.arch === "x64"
    ? [["the least Deno", join(ROOT, "test/runtimes/node_modules/deno-least/deno")] as const]
    : [];

/** Each expected error shows that a type is more than `any`. */
const TYPED_CONSUMER = `
import { type Asset, type Progress, upload } from "@upcut/core";
import { createClient } from "@upcut/core/client";
import { fileJournal, openFile } from "@upcut/core/file";
import { indexedDbJournal } from "@upcut/core/journals/indexed-db";
import { uploadAll } from "@upcut/core/upload-all";

const client = createClient({ baseUrl: "https://video.example", token: () => "<API_KEY>" });

export async function send(path: string): Promise<Asset> {
  const { asset } = await upload(client, await openFile(path), {
    journal: fileJournal(".uploads"),
    onProgress({ state, fraction }: Progress) {
      // @ts-expect-error: there is no such state
      if (state === "nowhere") console.log(fraction);
    },
  });
  for await (const { source, result, error } of uploadAll(client, [{ source: () => openFile(path), data: 5 }])) {
    source.data.toFixed();
    if (error === undefined) console.log(result.asset.id);
    // @ts-expect-error: where it failed there is no result
    else console.log(result.asset.id);
  }
  console.log((await indexedDbJournal().list()).map(({ acknowledged }) => acknowledged));
  // @ts-expect-error: a file is opened before it is uploaded
  await upload(client, path);
  // @ts-expect-error: a stream has an id
  await client.terminateStream();
  return asset;
}
`;

/** What a worker at the edge gives: its bindings as Cloudflare's own types know them. */
const EDGE_CONSUMER = `
import { createClient, upload } from "@upcut/core";
import { durableObjectJournal } from "@upcut/core/journals/durable-object";
import { openR2Object } from "@upcut/core/r2";

export { JournalObject } from "@upcut/core/journals/durable-object";

interface Env {
  BUCKET: R2Bucket;
  JOURNAL: DurableObjectNamespace;
  TOKEN: string;
}

export default {
  async fetch(request, env) {
    const client = createClient({ baseUrl: "https://video.example", token: env.TOKEN });
    const journal = durableObjectJournal(env.JOURNAL);
    const { asset } = await upload(client, await openR2Object(env.BUCKET, "launch.mp4"), { journal });
    // @ts-expect-error: a bucket is no namespace of objects
    durableObjectJournal(env.BUCKET);
    // @ts-expect-error: an object is opened by its key
    await openR2Object(env.BUCKET);
    return Response.json(asset);
  },
} satisfies ExportedHandler<Env>;
`;

let scratch: { path: string; remove(): Promise<void> };
let packed: Packed;
/** A project of somebody who installed the package. */
let project: string;

beforeAll(async () => {
  scratch = await scratchFolder("packaging");
  packed = await pack(join(scratch.path, "package"), scratch.path);
  project = join(scratch.path, "project");
  await mkdir(project);
  await writeFile(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const quiet = ["--no-audit", "--no-fund", "--prefer-offline"];
  await succeed("npm", ["install", ...quiet, join(scratch.path, packed.filename)], project);
}, 180_000);
afterAll(() => scratch.remove());

/** Makes the package and packs it: what npm would get. */
async function pack(folder: string, destination: string): Promise<Packed> {
  await makePackage(folder, HOME);
  const [first] = JSON.parse(
    await succeed("npm", ["pack", "--json", "--pack-destination", destination], folder),
  ) as [Packed];
  return first;
}

test("the package holds the built module, its examples and texts, and nothing else", async () => {
  const paths = packed.files.map(({ path }) => path).sort();
  console.log(`package: ${packed.size} bytes packed, ${packed.unpackedSize} unpacked, ${paths.length} files`);
  const core = (await readdir(join(ROOT, "core"), { recursive: true })).map((path) =>
    path.replaceAll("\\", "/"),
  );
  const built = core
    .filter((path) => /(?<!\.d)\.ts$/.test(path) && !path.startsWith("examples/"))
    .map((path) => `dist/${path.slice(0, -".ts".length)}`)
    .flatMap((path) => [`${path}.d.ts`, `${path}.js`]);
  const examples = core.filter((path) => /^examples\/[^/]+\.ts$/.test(path));
  const texts = ["CHANGELOG.md", "LICENSE", "README.md", "package.json"];
  expect(paths).toEqual([...built, ...examples, ...texts].sort());
  expect(await readFile(join(scratch.path, "package/README.md"), "utf8")).toMatch(/^# @upcut\/core\n/);
});

test("the package says where it was published from, and nothing of how it is developed", async () => {
  const manifest = JSON.parse(await readFile(join(project, "node_modules/@upcut/core/package.json"), "utf8"));
  expect(manifest).toMatchObject({
    homepage: "https://github.com/owner/name#readme",
    bugs: "https://github.com/owner/name/issues",
    repository: { type: "git", url: "git+https://github.com/owner/name.git" },
    keywords: expect.arrayContaining(["upload"]),
  });
  expect(Object.keys(manifest)).not.toEqual(
    expect.arrayContaining(["scripts", "devDependencies", "private"]),
  );
});

test("a copy that is published from nowhere names no address", () => {
  expect(homeOf({})).toBeUndefined();
  expect(publishedManifest({ name: "@upcut/core", scripts: {}, private: true })).toEqual({
    name: "@upcut/core",
  });
});

test.each([
  ["publint", () => ["run", join(scratch.path, packed.filename), "--strict"]],
  ["attw", () => [join(scratch.path, packed.filename), "--profile", "esm-only"]],
])("%s finds nothing wrong with the package", async (program, args) => {
  await succeed("node", [linter(program), ...args()], project);
});

test("publint and attw would find what is wrong", async () => {
  const folder = join(scratch.path, "wrong");
  await cp(join(scratch.path, "package"), folder, { recursive: true });
  await rm(join(folder, "dist/client.js"));
  await rm(join(folder, "dist/file.d.ts"));
  await mkdir(join(scratch.path, "wrong-packed"));
  await succeed("npm", ["pack", "--pack-destination", join(scratch.path, "wrong-packed")], folder);
  const wrong = join(scratch.path, "wrong-packed", packed.filename);
  const publint = await run("node", [linter("publint"), "run", wrong, "--strict"], project);
  expect(publint).toMatchObject({ code: 1, output: expect.stringContaining("dist/client.js") });
  const attw = await run("node", [linter("attw"), wrong, "--profile", "esm-only"], project);
  expect(attw).toMatchObject({ code: 1, output: expect.stringContaining("@upcut/core/file") });
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
    ...LEAST_DENO.map(([name, program]) => [name, () => [program, "run", "-A"]] as const),
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

describe("an example of the package", () => {
  const service = useService();

  test.for([
    ["Node with tsx", () => ["node", "--import", join(ROOT, "node_modules/tsx/dist/loader.mjs")]],
    ["Bun", () => [findRuntime("bun")]],
  ] as const)("uploads a file in %s", async ([, command]) => {
    const path = join(project, "example.mp4");
    const expected = await writeContent(path, 3_000_017);
    const [program = "", ...args] = command();
    const example = "node_modules/@upcut/core/examples/upload.ts";
    const printed = await succeed(program, [...args, example, path, "--new"], project, {
      UPCUT_URL: service.baseUrl,
      UPCUT_TOKEN: service.token,
      UPCUT_JOURNAL: join(scratch.path, "journal"),
    });
    const [asset] = await service.assets();
    expect(printed).toContain(`Asset ${asset?.asset.id}`);
    expect((await service.whole(asset?.asset.id ?? "")).sha256).toBe(expected);
  });
});

/** Where Deno finds the command in a project that installed the package. */
const COMMAND = "node_modules/@upcut/core/dist/cli/main.js";

describe("the command of the package", () => {
  const service = useService();

  describe.each([
    ["Node", () => ["npx", "--no-install", "upcut"]],
    ["Bun", () => [findRuntime("bun"), "--bun", "node_modules/.bin/upcut"]],
    ["Deno", () => [findRuntime("deno"), "run", "-A", COMMAND]],
    ...LEAST_DENO.map(([name, program]) => [name, () => [program, "run", "-A", COMMAND]] as const),
  ] as const)("in %s", (_, command) => {
    const settings = () => ({
      UPCUT_URL: service.baseUrl,
      UPCUT_TOKEN: service.token,
      UPCUT_JOURNAL: join(scratch.path, "journal"),
    });

    test("uploads a file, and tells it in plain lines where it prints into a pipe", async () => {
      const path = join(project, "command.mp4");
      const expected = await writeContent(path, 3_000_017);
      const [program = "", ...args] = command();
      const all = [...args, "upload", path, "--name", "By command"];
      const printed = await succeed(program, all, project, settings());
      const [asset] = await service.assets();
      expect(printed).toMatch(/^Uploaded .*command\.mp4: asset [\w-]+ \(3\.0 MB in .+\)\n$/);
      expect(printed).toContain(`asset ${asset?.asset.id}`);
      expect(asset?.asset.name).toBe("By command");
      expect((await service.whole(asset?.asset.id ?? "")).sha256).toBe(expected);
    });

    test("draws on a terminal", async () => {
      const path = join(project, "drawn.mp4");
      const expected = await writeContent(path, 12_000_017);
      await service.set({ throttle: 8_000_000 });
      const line = [...command(), "upload", path].map((word) => `'${word}'`).join(" ");
      const drawn = await succeed(
        "script",
        ["-qefc", `stty cols 120 rows 30; ${line}`, "/dev/null"],
        project,
        {
          TERM: "xterm",
          ...settings(),
        },
      );
      expect(drawn).toMatch(/drawn\.mp4 .*█+.* \d+ %/);
      expect(drawn).toContain("of 1 uploaded");
      const [asset] = await service.assets();
      expect((await service.whole(asset?.asset.id ?? "")).sha256).toBe(expected);
    });

    test("says what it can do, and what was wrong", async () => {
      const [program = "", ...args] = command();
      expect(await succeed(program, [...args, "--help"], project)).toContain("upcut upload FILE… | FOLDER…");
      const { code, output } = await run(program, [...args, "uplaod"], project);
      expect({ code, output }).toMatchObject({
        code: 2,
        output: expect.stringContaining("the command must be upload, list, discard or terminate"),
      });
    });
  });
});

/** The oldest TypeScript that the README promises, pinned with the runtimes. */
const LEAST = join(ROOT, "test/runtimes/node_modules/typescript-least");

/** The first two numbers of a version, as the READMEs name it. */
const shortened = (version: string) => version.split(".").slice(0, 2).join(".");

test("both READMEs name the least TypeScript that is tested", async () => {
  const { version } = JSON.parse(await readFile(join(LEAST, "package.json"), "utf8")) as { version: string };
  for (const path of ["README.md", "core/README.md"]) {
    const readme = await readFile(join(ROOT, path), "utf8");
    expect(readme).toContain(`TypeScript ${shortened(version)} or newer`);
  }
});

test("the module's README names the least runtimes that are tested", async () => {
  const runtimes = JSON.parse(await readFile(join(ROOT, "test/runtimes/package.json"), "utf8")) as Runtimes;
  const { engines } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as Engines;
  const node = engines.node.replace(">=", "");
  const bun = shortened(runtimes.devDependencies.bun);
  const deno = shortened(runtimes.optionalDependencies["deno-least"].replace(/.*@/, ""));
  const readme = await readFile(join(ROOT, "core/README.md"), "utf8");
  expect(readme).toContain(`Node ${node}, Bun ${bun} or Deno ${deno} (each or newer)`);
});

describe.each([
  ["the present TypeScript", join(ROOT, "node_modules/typescript"), ["--ignoreConfig"]],
  ["the least TypeScript", LEAST, []],
])("%s finds types that hold", (_, typescript, more) => {
  // Libraries are checked as well: no declaration of ours may hide behind skipLibCheck.
  const strict = [...more, "--noEmit", "--strict", "--exactOptionalPropertyTypes"];
  const compiler = [join(typescript, "bin/tsc"), ...strict, "--target", "es2023"];
  const page = ["--lib", "esnext,dom"];
  const cloudflare = join(ROOT, "test/runtimes/node_modules/@cloudflare");
  const worker = ["--lib", "esnext", "--types", "workers-types", "--typeRoots", cloudflare];
  const server = ["--lib", "esnext", "--types", "node", "--typeRoots", join(ROOT, "node_modules/@types")];

  async function compile(
    resolution: "bundler" | "nodenext",
    environment: string[],
    consumer = TYPED_CONSUMER,
  ): Promise<void> {
    await writeFile(join(project, "consumer.ts"), consumer);
    const module = resolution === "bundler" ? "esnext" : resolution;
    const args = ["--moduleResolution", resolution, "--module", module, ...environment];
    await succeed("node", [...compiler, ...args, "consumer.ts"], project);
  }

  test("as bundlers resolve them", () => compile("bundler", page));
  test("as Node resolves them", () => compile("nodenext", page));
  // `RequestCredentials` is known to the DOM alone. Becomes a plain test with the type spelled out.
  test("in a project that has Node's types and no DOM", () => compile("nodenext", server));
  test("in a worker that has Cloudflare's types", () => compile("bundler", worker, EDGE_CONSUMER));
});

describe("bundled for a page", () => {
  /** Only tus-js-client says this. */
  const TUS = "tus: failed to upload chunk at offset";

  /** Bytes, compressed: a little over what they are, so that a change that makes them larger is noticed. */
  const [MOST_CLIENT, MOST_EVERYTHING] = [18_500, 51_000];

  test("the client carries no upload code, and neither grows unnoticed", async () => {
    const client = await bundle('export * from "@upcut/core/client";');
    const everything = await bundle('export * from "@upcut/core";');
    console.log(`gzip: upcut/client ${gzip(client)} bytes, upcut ${gzip(everything)} bytes`);
    expect(everything).toContain(TUS);
    expect(client).not.toContain(TUS);
    expect(client).toContain("request-upload");
    expect(gzip(client)).toBeLessThan(MOST_CLIENT);
    expect(gzip(everything)).toBeLessThan(MOST_EVERYTHING);
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

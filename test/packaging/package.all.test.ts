/** The module as npm gets it, in every runtime and under every TypeScript that the README promises. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { findRuntime } from "../runtimes/find-runtime.ts";
import { useService } from "../service/use-service.ts";
import { writeContent } from "../support/content.ts";
import { type Compilation, compile, LEAST_TYPESCRIPT, PAGE, usePacked } from "./packed.ts";
import { ROOT, succeed } from "./run.ts";

const service = useService();
const packed = usePacked();
const SIZE = 3_000_017;

test("everybody who imports the package finds its types", async () => {
  const { href } = pathToFileURL(
    join(ROOT, "test/runtimes/node_modules/@arethetypeswrong/core/dist/index.js"),
  );
  const { checkPackage, createPackageFromTarballData } = await import(href);
  const { types, problems } = await checkPackage(
    createPackageFromTarballData(await readFile(packed.archive)),
  );
  expect(types).toMatchObject({ kind: "included" });
  // Resolutions that don't know modules, or `exports`, are none that the package is for.
  const others = ["node10", "node16-cjs"];
  expect(
    problems.filter(
      ({ resolutionKind }: { resolutionKind?: string }) => !others.includes(`${resolutionKind}`),
    ),
  ).toEqual([]);
});

/**
 * The oldest Deno that the README promises, pinned with the runtimes: the first of the one before it can't write a journal. npm
 * has a package of it for each platform, and the runtimes ask for that of Linux alone.
 */
const LEAST_DENO = join(ROOT, "test/runtimes/node_modules/deno-least/deno");
const isOnLinux = process.platform === "linux" && process.arch === "x64";

/** Where Deno finds the command in a project that installed the package. */
const COMMAND = "node_modules/@upcut/core/dist/cli/main.js";

interface Commands {
  /** Begins the call of a script. */
  script: string[];
  /** Begins the call of the package's own command. */
  upcut: string[];
}

const deno = (program: string): Commands => ({
  script: [program, "run", "-A"],
  upcut: [program, "run", "-A", COMMAND],
});
const bun = findRuntime("bun");
const runtimes: [string, Commands][] = [
  ["Node", { script: ["node"], upcut: ["npx", "--no-install", "upcut"] }],
  ["Bun", { script: [bun], upcut: [bun, "--bun", "node_modules/.bin/upcut"] }],
  ["Deno", deno(findRuntime("deno"))],
  ...(isOnLinux ? [["the least Deno", deno(LEAST_DENO)] as [string, Commands]] : []),
];

const settings = () => ({
  UPCUT_URL: service.baseUrl,
  UPCUT_TOKEN: service.token,
  UPCUT_JOURNAL: join(packed.scratch, "journal"),
});
const call = ([program = "", ...args]: string[], environment: Record<string, string> = {}) =>
  succeed(program, args, packed.project, { ...settings(), ...environment });

/** Looks at all assets that the service has; returns their ids. */
async function expectStored(sha256: string): Promise<string[]> {
  const ids = (await service.assets()).map(({ asset }) => asset.id);
  for (const id of ids) expect((await service.whole(id)).sha256).toBe(sha256);
  return ids;
}

describe.each(runtimes)("in %s", (_, { script, upcut }) => {
  test("a script uploads a file", async () => {
    const sha256 = await writeContent(join(packed.project, "video.mp4"), SIZE);
    const printed = await call([...script, "consumer.mjs", "video.mp4"]);
    expect(JSON.parse(printed)).toHaveLength(2);
    expect((await expectStored(sha256)).sort()).toEqual(JSON.parse(printed).sort());
  });

  test("the command uploads a file, and tells it in plain lines where it prints into a pipe", async () => {
    const sha256 = await writeContent(join(packed.project, "command.mp4"), SIZE);
    const printed = await call([...upcut, "upload", "command.mp4", "--new", "--name", "By command"]);
    expect(printed).toMatch(/^Uploaded .*command\.mp4: asset [\w-]+ \(3\.0 MB in .+\)\n$/);
    const [id] = await expectStored(sha256);
    expect(printed).toContain(`asset ${id}`);
    expect((await service.assets())[0]?.asset.name).toBe("By command");
  });

  test("the command draws on a terminal", async () => {
    const sha256 = await writeContent(join(packed.project, "drawn.mp4"), 12_000_017);
    await service.set({ throttle: 8_000_000 });
    const line = [...upcut, "upload", "drawn.mp4"].map((word) => `'${word}'`).join(" ");
    const terminal = ["script", "-qefc", `stty cols 120 rows 30; ${line}`, "/dev/null"];
    const drawn = await call(terminal, { TERM: "xterm" });
    expect(drawn).toMatch(/drawn\.mp4 .*█+.* \d+ %/);
    expect(drawn).toContain("Uploaded drawn.mp4: asset ");
    expect(await expectStored(sha256)).toHaveLength(1);
  });
});

/** What a worker at the edge gives: its bindings as Cloudflare's own types know them. */
const EDGE_CONSUMER = `
import { createClient, upload } from "@upcut/core";
import { durableObjectJournal, openR2Object } from "@upcut/core/edge";

export { JournalObject } from "@upcut/core/edge";

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

describe.each([
  ["the present TypeScript", {}],
  ["the least TypeScript", { typescript: LEAST_TYPESCRIPT }],
])("%s finds types that hold", (_, compiler) => {
  const worker = join(ROOT, "test/runtimes/node_modules/@cloudflare");
  const typesOf = (name: string, roots: string) => [
    ...["--lib", "esnext", "--types", name],
    ...["--typeRoots", roots],
  ];

  test.each<[string, Compilation]>([
    ["as bundlers resolve them", { resolution: "bundler", environment: [...PAGE] }],
    ["as Node resolves them", { resolution: "nodenext", environment: [...PAGE] }],
    [
      // `RequestCredentials` is known to the DOM alone. Becomes a plain test with the type spelled out.
      "in a project that has Node's types and no DOM",
      { resolution: "nodenext", environment: typesOf("node", join(ROOT, "node_modules/@types")) },
    ],
    [
      "in a worker that has Cloudflare's types",
      { resolution: "bundler", environment: typesOf("workers-types", worker), consumer: EDGE_CONSUMER },
    ],
  ])("%s", (_title, how) => compile(packed.project, { ...compiler, ...how }));
});

/**
 * The code of all documents: strict TypeScript finds nothing in it, what can run without more than Node does so, and each
 * command is one that exists, with options that it has. code-blocks.all.test.ts runs the commands.
 */
import { access, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readArguments } from "../../core/cli/arguments.ts";
import { useService } from "../service/use-service.ts";
import { writeContent } from "../support/content.ts";
import { useHls } from "../support/hls/use-hls.ts";
import { inAll } from "../support/in-all.ts";
import { useFolder } from "../support/use-folder.ts";
import { ROOT, succeed } from "./run.ts";
import { blocks, commandsOf, DOCUMENTS, wordsOf } from "./written.ts";

const service = useService({ assetCall: true });
const hls = useHls();
const folder = useFolder("documents");
const BLOCKS = await blocks();

const { exports: ENTRIES } = JSON.parse(await readFile(join(ROOT, "core/deno.json"), "utf8")) as {
  exports: Record<string, string>;
};

/**
 * How the functions are called that blocks export. Tests of their own call the others: they need a page, Redis, a
 * bucket, or the time that a service takes.
 */
const CALLS: Record<string, string> = {
  publish: 'publish(new File(["bytes of a video"], "video.mp4", { type: "video/mp4" }), "launch-stream")',
  send: 'send("video.mp4", new AbortController().signal)',
  sendAll: 'sendAll((async function* () { yield* ["videos/1.mp4", "videos/2.mp4"]; })())',
};
const NOT_CALLED = ["gatewayAt", "uploadChosen", "sendVideo", "sendObject", "untilReady", "JournalObject"];

/** A block as it runs here: with the sources, and with the servers of this test. */
function asRunHere(block: string): string {
  // A token in a file would be found as a leak.
  return block
    .replace(/"@upcut\/core(\/[\w-]+)?"/g, (_, entry = "") => `"./core/${ENTRIES[`.${entry}`]}"`)
    .replaceAll('"./core/', `"${ROOT}core/`)
    .replaceAll("https://video.example", service.baseUrl)
    .replaceAll('"<API_KEY>"', 'process.env.UPCUT_TOKEN ?? ""')
    .replaceAll("https://store.example", hls.origin);
}

inAll("the TypeScript of all documents holds, and runs", async () => {
  const typed = BLOCKS.filter(({ language }) => language === "ts");
  console.log(
    `blocks of TypeScript: ${typed.length}, in ${new Set(typed.map(({ path }) => path)).size} documents`,
  );
  expect(typed.length).toBeGreaterThan(12);
  const at = (name: string) => join(folder.path, name);
  await mkdir(at("videos"));
  await writeFile(at("package.json"), '{ "type": "module" }');
  // What a page brings along, from among our own packages.
  await mkdir(at("node_modules"));
  await symlink(join(ROOT, "node_modules/hash-wasm"), at("node_modules/hash-wasm"), "junction");
  const known = await Promise.all(
    ["video.mp4", "videos/1.mp4", "videos/2.mp4"].map((name, seed) => writeContent(at(name), 5_000, seed)),
  );
  const playlist = hls.files.get("/separate/main.m3u8");
  hls.files.set("/launch/main.m3u8", typeof playlist === "string" ? playlist : "");
  hls.files.set("/video.mp4", await readFile(at("video.mp4")));
  await service.startSession("launch-stream");

  const calls: { lines: string[]; takesList: boolean }[] = [];
  for (const [index, { code, path }] of typed.entries()) {
    await writeFile(at(`block-${index}.ts`), `// ${path}\n${asRunHere(code)}\nexport {};\n`);
    const exported = [...code.matchAll(/^export (?:(?:async )?function |\{ )(\w+)/gm)].map(
      ([, name = ""]) => name,
    );
    expect(exported.filter((name) => !(name in CALLS) && !NOT_CALLED.includes(name))).toEqual([]);
    const called = exported.filter((name) => name in CALLS);
    const taken = called.length === 0 ? "" : `const { ${called} } = `;
    const lines = [
      `${taken}await import("./block-${index}.ts");`,
      ...called.map((name) => `await ${CALLS[name]};`),
    ];
    calls.push({ lines, takesList: code.includes("uploadAll(") });
  }
  // What takes a list is run again, as its document says.
  const main = { "main.ts": calls, "again.ts": calls.filter(({ takesList }) => takesList) };
  for (const [name, run] of Object.entries(main))
    await writeFile(at(name), `${run.flatMap(({ lines }) => lines).join("\n")}\nexport {};\n`);
  await writeFile(
    at("tsconfig.json"),
    JSON.stringify({
      extends: join(ROOT, "tsconfig.json"),
      compilerOptions: { types: ["node"], typeRoots: [join(ROOT, "node_modules/@types")] },
      include: ["*.ts"],
    }),
  );
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  const loader = import.meta.resolve("tsx");
  const run = (name: string) =>
    succeed("node", ["--import", loader, at(name)], folder.path, { UPCUT_TOKEN: service.token });
  await Promise.all([
    succeed("node", [compiler, "-p", folder.path], folder.path),
    run("main.ts").then(() => run("again.ts")),
  ]);

  const stored = await service.assets();
  const hashes = await Promise.all(stored.map(async ({ asset }) => (await service.whole(asset.id)).sha256));
  for (const [index, hash] of known.entries()) {
    const count = hashes.filter((each) => each === hash).length;
    // Each video of a list once, however often it was run; all else once more.
    if (index > 0) expect(count).toBe(1);
    else expect(count).toBeGreaterThan(1);
  }
  expect((await service.streams()).find(({ id }) => id === "launch-stream")).toMatchObject({ live: false });
});

/** The command line, as documents call it. */
const UPCUT =
  /^(?:npx tsx core\/cli\/main\.ts|deno run -A core\/cli\/main\.ts|bun core\/cli\/main\.ts|npx @upcut\/core|bunx @upcut\/core|deno run -A jsr:@upcut\/core\/cli) /;

/** Beginnings of other commands, and what shows that they work. */
const OTHERS: [RegExp, string][] = [
  [/^npm (?:ci|test|start|install|run|--prefix)\b/, "test/packaging/documents.test.ts"],
  [/^(?:export|cd|cp|cat|echo) /, "test/packaging/code-blocks.all.test.ts"],
  [
    /^(?:npx tsx|bun|deno run -A|node --import tsx) (?:send\.ts|[\w/@.-]*(?:core|test)\/)/,
    "test/packaging/code-blocks.all.test.ts",
  ],
  [/^deno run --allow-net=/, "test/works-with/permissions.all.test.ts"],
  [/^deno serve -A core\/examples\/edge\.ts$/, "test/core/examples/examples.all.test.ts"],
  [/^(?:npm install|deno add) /, "test/packaging/package.all.test.ts"],
  [/^(?:npm (?:init|pkg) |node with-express\.js$)/, "test/works-with/recipes-servers.all.test.ts"],
  [
    /^(?:redis-server|docker compose|bun worker\.ts|deno run -A --node-modules-dir=manual worker\.ts)\b/,
    "test/fleet/fleet.all.test.ts",
  ],
  [/^(?:npx wrangler|curl -H) /, "test/runtimes/edge-fleet.all.test.ts"],
  [/^npx vitest run /, "vitest.config.ts"],
  [/^find .* -print0$/, "test/core/cli/videos.test.ts"],
  [/^git (?:push|clone|switch|add|commit) /, "test/packaging/publishing.test.ts"],
];

test("the commands of all documents are there, with the options that they have", async () => {
  const commands = BLOCKS.filter(({ language }) => language === "sh").flatMap(({ code }) => commandsOf(code));
  console.log(
    `commands: ${commands.length}, of the command line ${commands.filter((each) => UPCUT.test(each)).length}`,
  );
  const unknown: string[] = [];
  for (const command of commands) {
    for (const [, file = ""] of command.matchAll(
      /(?<= |^)(?:node_modules\/@upcut\/)?((?:core|test)\/[\w/-]+\.ts)/g,
    ))
      await access(join(ROOT, file));
    if (UPCUT.test(command))
      expect(() => readArguments(wordsOf(command.replace(UPCUT, ""))), command).not.toThrow();
    else if (!OTHERS.some(([begins]) => begins.test(command))) unknown.push(command);
  }
  expect(unknown).toEqual([]);
  for (const [, shownBy] of OTHERS) await access(join(ROOT, shownBy));
});

test("every block names its language", () => {
  // Recipes are plain scripts, for bundlers and Node: test/works-with/ runs them.
  const known = ["ts", "sh", "json", "text", "js", "jsx", "yaml"];
  expect(BLOCKS.filter(({ language }) => !known.includes(language))).toEqual([]);
  expect(DOCUMENTS.length).toBeGreaterThan(20);
});

test("the policy in the document is one that an organization can set", async () => {
  const schema = JSON.parse(await readFile(join(ROOT, "public/managed-schema.json"), "utf8"));
  const policies = BLOCKS.filter(({ language }) => language === "json");
  expect(policies.length).toBeGreaterThan(0);
  for (const { code } of policies)
    expect(Object.keys(JSON.parse(code))).toEqual(Object.keys(schema.properties));
});

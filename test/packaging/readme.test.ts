/** The code of the READMEs: strict TypeScript finds nothing in it, and it does what its document says. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { COMMANDS } from "../../core/cli/commands.ts";
import { writeContent } from "../content.ts";
import { scratchFolder } from "../scratch.ts";
import { useService } from "../service/use-service.ts";
import { useHls } from "../use-hls.ts";
import { ROOT, succeed } from "./run.ts";

const service = useService();
const hls = useHls();

const { exports: ENTRIES } = JSON.parse(await readFile(join(ROOT, "core/deno.json"), "utf8")) as {
  exports: Record<string, string>;
};

/** How the functions are called that blocks export. */
const CALLS: Record<string, string> = {
  publish: 'publish(new File(["bytes of a video"], "video.mp4", { type: "video/mp4" }), "launch-stream")',
  send: 'send("video.mp4", new AbortController().signal)',
  sendAll: 'sendAll((async function* () { yield* ["videos/1.mp4", "videos/2.mp4"]; })())',
};

async function blocksOf(path: string, language: "ts" | "sh"): Promise<string[]> {
  const text = await readFile(join(ROOT, path), "utf8");
  const fences = text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm);
  return [...fences].filter(([, name]) => name === language).map(([, , block = ""]) => block);
}

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

const READMES = ["README.md", "core/README.md"];

test("the TypeScript of both READMEs holds, and runs", async () => {
  const each = await Promise.all(READMES.map((path) => blocksOf(path, "ts")));
  for (const blocks of each) expect(blocks.length).toBeGreaterThan(2);
  const blocks = each.flat();
  const folder = await scratchFolder("readme");
  const at = (name: string) => join(folder.path, name);
  await mkdir(at("videos"));
  await writeFile(at("package.json"), '{ "type": "module" }');
  const known = await Promise.all(
    ["video.mp4", "videos/1.mp4", "videos/2.mp4"].map((name, seed) => writeContent(at(name), 5_000, seed)),
  );
  const playlist = hls.files.get("/separate/main.m3u8");
  hls.files.set("/launch/main.m3u8", typeof playlist === "string" ? playlist : "");
  hls.files.set("/video.mp4", await readFile(at("video.mp4")));
  await service.startSession("launch-stream");

  const main: string[] = [];
  for (const [index, block] of blocks.entries()) {
    await writeFile(at(`block-${index}.ts`), `${asRunHere(block)}\nexport {};\n`);
    const exported = [...block.matchAll(/^export async function (\w+)/gm)].map(([, name = ""]) => name);
    const taken = exported.length === 0 ? "" : `const { ${exported} } = `;
    main.push(`${taken}await import("./block-${index}.ts");`);
    for (const name of exported) main.push(`await ${CALLS[name]};`);
  }
  await writeFile(at("main.ts"), `${main.join("\n")}\nexport {};\n`);
  await writeFile(
    at("tsconfig.json"),
    JSON.stringify({
      extends: join(ROOT, "tsconfig.json"),
      compilerOptions: { types: ["node"], typeRoots: [join(ROOT, "node_modules/@types")] },
      include: ["*.ts"],
    }),
  );
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  await succeed("node", [compiler, "-p", folder.path], folder.path);
  const loader = import.meta.resolve("tsx");
  // What takes a list is run again, as its document says.
  for (let runs = 0; runs < 2; runs++)
    await succeed("node", ["--import", loader, at("main.ts")], folder.path, { UPCUT_TOKEN: service.token });

  const stored = await service.assets();
  const hashes = await Promise.all(stored.map(async ({ asset }) => (await service.whole(asset.id)).sha256));
  for (const [index, hash] of known.entries()) {
    const count = hashes.filter((each) => each === hash).length;
    // Each video of a list once, however often it was run; all else once more.
    if (index > 0) expect(count).toBe(1);
    else expect(count).toBeGreaterThan(1);
  }
  expect((await service.streams()).find(({ id }) => id === "launch-stream")).toMatchObject({ live: false });
  await folder.remove();
});

test.each(READMES)("the commands of %s name files and commands that exist", async (path) => {
  const lines = (await blocksOf(path, "sh")).join("").split("\n");
  const files = lines.flatMap((line) => [
    ...line.matchAll(/(?<= |^)(?:node_modules\/@upcut\/)?(core\/[\w/-]+\.ts)/g),
  ]);
  for (const [, file = ""] of files) await readFile(join(ROOT, file));
  const commands = lines.flatMap((line) => [
    ...line.matchAll(
      /(?:npx @upcut\/core|bunx @upcut\/core|jsr:@upcut\/core\/cli|core\/cli\/main\.ts) ([\w-]+)/g,
    ),
  ]);
  expect(commands.length).toBeGreaterThan(2);
  for (const [line, command = ""] of commands) expect(Object.keys(COMMANDS), line).toContain(command);
});

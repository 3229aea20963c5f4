/** The commands of the pages, run as they stand: each block is a script of its own, in a folder like a checkout. */
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { findRuntime } from "../runtimes/find-runtime.ts";
import { useService } from "../service/use-service.ts";
import { writeContent } from "../support/content.ts";
import { useHls } from "../support/hls/use-hls.ts";
import { useFolder } from "../support/use-folder.ts";
import { ROOT, succeed } from "./run.ts";
import { blocks } from "./written.ts";

const service = useService({ assetCall: true, processingTime: 100 });
const hls = useHls();

/** What the others need (a build, Docker, a gateway's port, a published package) their own tests have. */
const RUNS = /^(?:npx tsx|deno run -A|bun) (?:core\/|send\.ts)/m;
const ALL = await blocks();
const BLOCKS = ALL.filter(({ language, code, path }) => {
  const isOfPackage = path.startsWith("core/") || path === "CONTRIBUTING.md";
  return language === "sh" && !isOfPackage && RUNS.test(code);
}).map((block) => ({ ...block, first: block.code.split(/ {2}|\n/)[0] }));
/** The script that the README says to save. */
const SCRIPT = ALL.find(({ language, path }) => language === "ts" && path === "README.md")?.code ?? "";

// The folder holds the journals, too.
const folder = useFolder("journal-commands");
let known: string[] = [];
const at = (name: string) => join(folder.path, name);

beforeAll(async () => {
  for (const name of ["core", "node_modules", "package.json"]) await symlink(join(ROOT, name), at(name));
  await mkdir(at("holiday"));
  known = [
    await writeContent(at("video.mp4"), 300_017, 1),
    await writeContent(at("holiday/beach.mov"), 100_003, 2),
  ];
});

test("pages with commands are found", () => expect(BLOCKS.length).toBeGreaterThan(8));

test.each(BLOCKS)("the commands of $path from $first on run", async ({ code }) => {
  const video = await readFile(at("video.mp4"));
  hls.files.set("/video.mp4", video);
  const playlist = hls.files.get("/separate/main.m3u8");
  hls.files.set("/launch/main.m3u8", typeof playlist === "string" ? playlist : "");
  await writeFile(at("list.txt"), `${hls.origin}/video.mp4\n`);
  const send = SCRIPT.replace('"<API_KEY>"', 'process.env.UPCUT_TOKEN ?? ""');
  await writeFile(at("send.ts"), send.replace("https://video.example", service.baseUrl));
  await writeFile(at("token.txt"), service.token, { mode: 0o600 });
  await service.startSession("launch-stream");
  const script = code
    .replaceAll("https://video.example", service.baseUrl)
    .replaceAll("https://store.example", hls.origin)
    .replaceAll("<API_KEY>", "$UPCUT_TOKEN")
    .replaceAll("STREAM_ID", "launch-stream")
    // Without a terminal: test/core/cli/main.test.ts types at one.
    .replace(/ login(?= +#| *$)/gm, ` login --url ${service.baseUrl} < token.txt`);
  const programs = ["bun", "deno"].map((name) => dirname(findRuntime(name as "bun" | "deno")));
  await succeed("bash", ["-euo", "pipefail", "-c", script], folder.path, {
    HOME: folder.path,
    XDG_CONFIG_HOME: folder.path,
    UPCUT_JOURNAL: at(crypto.randomUUID()),
    PATH: [...programs, process.env.PATH].join(delimiter),
    UPCUT_URL: service.baseUrl,
    UPCUT_TOKEN: service.token,
  });
  const made = await service.assets();
  if (/ upload |(?:upload|local|send)\.ts/.test(code)) expect(made).not.toEqual([]);
  for (const { asset } of made) {
    const { sha256 } = await service.whole(asset.id);
    // Of a video in pieces a file is made.
    if (!code.includes(".m3u8")) expect(known).toContain(sha256);
  }
});

/** Which files of a folder, or named by themselves, are videos. */
import { execFileSync } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { readArguments } from "../../../core/cli/arguments.ts";
import { type NamedVideo, rulesOf, videoAt, videosOf } from "../../../core/cli/videos.ts";
import { caught } from "../../support/caught.ts";
import { emptyPackets } from "../../support/hls/empty-packets.ts";
import { MARKER } from "../../support/marker.ts";
import { startCliHere } from "../../support/programs/run-here.ts";
import { useFolder } from "../../support/use-folder.ts";

const folder = useFolder("cli-folder");
const at = (...names: string[]) => join(folder.path, ...names);

async function make(files: Record<string, string | Uint8Array>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(at(name)), { recursive: true });
    await writeFile(at(name), content);
  }
}

async function found(...options: string[]): Promise<string[]> {
  const given = readArguments(["upload", folder.path, ...options]);
  const paths: string[] = [];
  for await (const { label } of videosOf(given.operands, rulesOf(given)))
    paths.push(relative(folder.path, label));
  return paths;
}

test("a folder gives its videos in order, and no sources, packages or what is hidden", async () => {
  const source = "export const GREETING = 'GGGG';\n".repeat(100);
  await make({
    "b/2.MOV": "video",
    "b/10.mp4": "video",
    "a.mp4": "video",
    "notes.txt": "text",
    hosts: "127.0.0.1 localhost",
    "src/main.ts": source,
    "src/main.mts": source,
    "src/empty.ts": "",
    "camera.ts": emptyPackets(188, 0),
    "camera.MTS": emptyPackets(192, 4),
    "node_modules/package/demo.mp4": "video",
    ".trash/c.mp4": "video",
    ".hidden.mp4": "video",
  });
  await symlink(at("b"), at("linked"));
  await symlink(at("b", "2.MOV"), at("linked.mov"));
  const all = ["a.mp4", "b/10.mp4", "b/2.MOV", "camera.MTS", "camera.ts", "linked.mov"];
  expect(await found()).toEqual(all);
  expect(await found("--include", "*.mov")).toEqual(["b/2.MOV", "linked.mov"]);
  const included = ["--include", "b/**", "--include", "a.mp4", "--exclude", "*.mov"];
  expect(await found(...included)).toEqual(["a.mp4", "b/10.mp4"]);
  // A folder that is left out is not walked.
  expect(await found("--exclude", "b", "--exclude", "camera.*")).toEqual(["a.mp4", "linked.mov"]);
  expect(await caught(found("--name", "Holiday"))).toMatchObject({
    name: "UsageError",
    message: "--name is for one video, not for a folder: name a single file or address",
  });
});

test("a file that is named by itself is refused where neither its name nor its content is a video's", async () => {
  await make({
    hosts: "127.0.0.1 localhost",
    "main.ts": "export {};",
    film: "\0\0\0\x18ftypmp42",
    "film.mp4": "any",
  });
  for (const name of ["hosts", "main.ts"])
    expect(await caught((await videoAt(at(name))).open())).toMatchObject({ code: "not-a-video" });
  for (const name of ["film", "film.mp4"])
    expect(await (await videoAt(at(name))).open()).toMatchObject({ name });
});

test("upcut upload --dry-run shows what it would upload, and asks nobody", async () => {
  await make({ "dry/a.mp4": "video", "dry/main.ts": "export {};" });
  const missing = at("missing.mp4");
  const list = `# a list\n\n${at("dry")}\nhttp://127.0.0.1:9/video.mp4\n${missing}\n`;
  expect(await startCliHere(["upload", "-", "--dry-run"], {}, list).ended()).toEqual({
    code: 1,
    stdout: `Would upload ${at("dry", "a.mp4")} (5 B)\nWould upload http://127.0.0.1:9/…/video.mp4\n`,
    stderr:
      `Failed ${missing}: there is no such file\n` +
      "2 videos, 5 B; 1 would fail. Those that are there already will be left out\n",
  });
  const empty = await startCliHere(["upload", "-", "--dry-run"], {}, "# nothing\n").ended();
  expect(empty).toEqual({ code: 1, stdout: "", stderr: "The list names no video\n" });
});

describe("a word", () => {
  test.each([
    [" https://a.example/v.mp4?X-Amz-Signature=", "https://a.example/…/v.mp4"],
    ["\ufeffhttps://a.example/v?sig=", "https://a.example"],
    ["HTTP://u:p@a.example/v.mp4?sig=", "http://a.example/…/v.mp4"],
  ])("that is an address but for blanks is opened as such: %j", async (word, label) => {
    const video = await videoAt(`${word}${MARKER}\t`);
    expect(video.label).toBe(label);
    expect(await video.open()).toEqual(new URL(`${word.trim()}${MARKER}`));
  });

  test.each([
    ["'https://a.example/MARKER.mp4'", "https://a.example"],
    ['"https://[MARKER', "https:…"],
    ["<https://a.example:8443/v.mp4?sig=MARKER>", "https://a.example:8443"],
    ["\u200bhttps://a.example/MARKER", "https://a.example"],
    ["s3://u:MARKER@bucket/v.mp4", "s3://bucket"],
    ["s3://u:MARKER/@bucket/v.mp4", "s3:…"],
    ["https:/a.example/MARKER.mp4", "https://a.example"],
    ["https:\\\\a.example\\MARKER", "https://a.example"],
    ["MARKER=ftp://a.example", "ftp://a.example"],
    ["a.example/v.mp4?sig=MARKER", "a.example/v.mp4?…"],
    ["v.mp4&token=MARKER", "v.mp4&token=[removed]"],
  ])("that nearly is an address is refused, and shows no secret: %j", async (word, label) => {
    const video = await videoAt(word.replace("MARKER", MARKER));
    expect(video.label).toBe(label);
    const error = await caught(video.open());
    expect(error).toMatchObject({ code: "invalid-source" });
    expect(`${error}`).not.toContain(MARKER);
  });

  test("that looks like an address is a file where there is one", async () => {
    await mkdir(join(folder.path, "https:", "a.example"), { recursive: true });
    const path = join(folder.path, "https:", "a.example", "v.mp4?a=b");
    await writeFile(path, "video");
    const video = await videoAt(path);
    expect(video.label).toBe(path);
    expect(await video.open()).toMatchObject({ size: 5 });
  });
});

describe("a folder", () => {
  test("gives what can't be opened, too, so that it fails by its name", async () => {
    const path = join(folder.path, "videos");
    await mkdir(path);
    await writeFile(join(path, "good.mp4"), "video");
    await symlink(join(path, "gone.mp4"), join(path, "dangling.mp4"));
    await symlink(path, join(path, "linked-folder.mp4"));
    // By a shell, since not every runtime can make such a name.
    const inLatin1 = (command: string) =>
      execFileSync("sh", ["-c", `${command} "$0/caf$(printf '\\351').mp4"`, path]);
    inLatin1("printf video >");
    const found: NamedVideo[] = [];
    const rules = rulesOf(readArguments(["upload", path]));
    for await (const video of videosOf([path], rules)) found.push(video);
    const names = ["caf\ufffd.mp4", "dangling.mp4", "good.mp4"].map((name) => join(path, name));
    expect(found.map(({ label }) => label)).toEqual(names);
    const [bad, dangling, good] = found;
    for (const video of [bad, dangling])
      expect(await caught(() => video?.open())).toMatchObject({ code: "invalid-source" });
    expect(await good?.open()).toMatchObject({ size: 5 });
    inLatin1("rm");
  });
});

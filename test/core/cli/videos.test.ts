/** Which files of a folder, or named by themselves, are videos. */
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";
import { readArguments } from "../../../core/cli/arguments.ts";
import { rulesOf, videoAt, videosOf } from "../../../core/cli/videos.ts";
import { beginsAsVideo, isTransportStream } from "../../../core/source/beginning.ts";
import { caught } from "../../support/caught.ts";
import { startCliHere } from "../../support/programs/run-here.ts";
import { useFolder } from "../../support/use-folder.ts";

const folder = useFolder("cli-folder");
const at = (...names: string[]) => join(folder.path, ...names);

/** A transport stream of empty packets. */
function packets(size: number, sync: number, amount = 20): Uint8Array {
  const bytes = new Uint8Array(size * amount);
  for (let at = sync; at < bytes.length; at += size) bytes[at] = 0x47;
  return bytes;
}

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
    "camera.ts": packets(188, 0),
    "camera.MTS": packets(192, 4),
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

test.each([
  [188, 0],
  [192, 4],
  [204, 0],
])("a transport stream has its sync byte each %d bytes", (size, sync) => {
  const stream = packets(size, sync);
  expect(isTransportStream(stream.subarray(0, 1024))).toBe(true);
  stream[size * 3 + sync] = 0x46;
  expect(isTransportStream(stream.subarray(0, 1024))).toBe(false);
  expect(isTransportStream(packets(size, sync, 1))).toBe(false);
});

test.each([
  ["\0\0\0\x18ftypmp42", true],
  ["\x1aE\xdf\xa3", true],
  ["RIFF....AVI LIST", true],
  ["RIFF....WAVEfmt ", false],
  ["\0\0\x01\xba", true],
  ["\x7fELF", false],
  ["127.0.0.1 localhost", false],
  ["", false],
])("a file without an ending that begins with %j is a video: %j", (text, isVideo) => {
  const bytes = Uint8Array.from(text, (sign) => sign.charCodeAt(0));
  expect(beginsAsVideo("film", bytes)).toBe(isVideo);
  // A name that promises a transport stream must be one.
  expect(beginsAsVideo("film.ts", bytes)).toBe(false);
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

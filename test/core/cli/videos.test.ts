/** Which files of a folder, or named by themselves, are videos. */
import { execFileSync } from "node:child_process";
import { mkdir, symlink, utimes, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { readArguments } from "../../../core/cli/arguments.ts";
import { expanded, type NamedVideo, rulesOf, videoAt, videosOf } from "../../../core/cli/videos.ts";
import { run } from "../../packaging/run.ts";
import { caught } from "../../support/caught.ts";
import { emptyPackets } from "../../support/hls/empty-packets.ts";
import { MARKER } from "../../support/marker.ts";
import { cliCommand } from "../../support/programs/cli-process.ts";
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
  for await (const { label } of videosOf(
    given.operands,
    rulesOf(given, () => {}),
  ))
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
    message: expect.stringContaining("--name is for one video, not for a folder"),
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

/** Makes a name in Latin-1 by a shell, since not every runtime can. */
const inLatin1 = (command: string, path: string) =>
  execFileSync("sh", ["-c", `${command} "$0/caf$(printf '\\351').mp4"`, path]);

describe("a folder", () => {
  const walk = async (path: string, ...options: string[]) => {
    const found: NamedVideo[] = [];
    const told: string[] = [];
    const given = readArguments(["upload", path, ...options]);
    const rules = rulesOf(given, (reason, label) => told.push(`${reason} ${relative(path, label)}`));
    for await (const video of videosOf([path], rules)) found.push(video);
    return { found, told, paths: found.map(({ label }) => relative(path, label)) };
  };

  test("tells empty files, and links that lead nowhere or to folders", async () => {
    const path = join(folder.path, "videos");
    await make({
      "videos/good.mp4": "video",
      "videos/empty.mp4": "",
      "videos/empty.ts": "",
      "elsewhere/b.mp4": "video",
    });
    await symlink(join(path, "gone.mp4"), join(path, "dangling.mp4"));
    await symlink(at("elsewhere"), join(path, "linked"));
    await symlink(path, join(path, "linked-folder.mp4"));
    const { paths, told } = await walk(path);
    expect(paths).toEqual(["good.mp4"]);
    expect(told).toEqual([
      "dangling-link dangling.mp4",
      "empty empty.mp4",
      "linked-folder linked",
      "linked-folder linked-folder.mp4",
    ]);
    // Links may lead in a circle.
    await symlink(path, at("elsewhere", "back"));
    expect((await walk(path, "--follow")).paths).toEqual(["good.mp4", "linked/b.mp4"]);
    expect((await walk(path, "--exclude", "linked*")).told).toHaveLength(2);
  });

  test("leaves out files that changed within --min-age", async () => {
    const path = join(folder.path, "growing");
    await make({ "growing/new.mp4": "video", "growing/old.mp4": "video", "growing/ahead.mp4": "video" });
    const second = Date.now() / 1000;
    await utimes(join(path, "old.mp4"), second - 400, second - 400);
    await utimes(join(path, "ahead.mp4"), second + 400, second + 400);
    const { paths, told } = await walk(path, "--min-age", "5m");
    expect(paths).toEqual(["old.mp4"]);
    expect(told).toEqual(["too-young ahead.mp4", "too-young new.mp4"]);
  });

  test("gives files whose names are no UTF-8, which Deno alone can't open", async () => {
    const path = join(folder.path, "latin1");
    await mkdir(path);
    inLatin1("printf video >", path);
    const { found } = await walk(path);
    const [video] = found;
    expect(found).toHaveLength(1);
    if ("Deno" in globalThis)
      expect(await caught(() => video?.open())).toMatchObject({
        message: expect.stringContaining("Deno can't open"),
      });
    else {
      expect(video?.label).toBe(join(path, "caf\\xE9.mp4"));
      expect(await video?.open()).toMatchObject({ size: 5, name: "caf\\xE9.mp4" });
    }
    inLatin1("rm", path);
  });
});

describe("a list", () => {
  const listed = async (input: Uint8Array | string, ...options: string[]) => {
    const outcome = await startCliHere(["upload", "-", "--dry-run", ...options], {}, input).ended();
    return {
      ...outcome,
      paths: [...outcome.stdout.matchAll(/^Would upload (.*) \(5 B\)$/gm)].map(([, path]) => path),
    };
  };

  test("keeps blanks and # of names, and has comments where there is no such file", async () => {
    await make({
      "list/a.mp4": "video",
      "list/a.mp4 ": "video",
      "list/#1 take.mp4": "video",
      "list/b.mp4": "video",
    });
    const list = "# a comment\na.mp4\n\na.mp4 \n \n  b.mp4\t\r\n#1 take.mp4\r\n#1 take.mp4\n#b.mp4\n";
    const [program, ...words] = cliCommand(["upload", "-", "--dry-run"]);
    const input = ["-c", `printf %s "$0" | "$@"`, list, program, ...words];
    const { code, stdout } = await run("sh", input, at("list"), { UPCUT_URL: "" });
    expect({ code, lines: stdout.trim().split("\n") }).toEqual({
      code: 0,
      lines: ["a.mp4", "a.mp4 ", "b.mp4", "#1 take.mp4", "#1 take.mp4"].map(
        (name) => `Would upload ${name} (5 B)`,
      ),
    });
  });

  test("of names that end with NUL takes each as it is", async () => {
    await make({ "nul/#1.mp4": "video", "nul/ 2\n.mp4": "video" });
    inLatin1("printf video >", at("nul"));
    const input = execFileSync("find", [at("nul"), "-name", "*.mp4", "-print0"]);
    const { code, stdout } = await listed(input, "-0", "--json");
    const events = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const names = events.map(({ source }) => source && relative(at("nul"), source)).sort();
    const expected = [" 2\n.mp4", "#1.mp4", "caf\\xE9.mp4"];
    if ("Deno" in globalThis) expect(code).toBe(1);
    else expect({ code, names }).toEqual({ code: 0, names: [...expected, undefined] });
    inLatin1("rm", at("nul"));
    expect(await listed(input)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("is read with -0"),
    });
  });
});

describe("a word of Windows", () => {
  test("is expanded, since its shells leave that to programs", async () => {
    await make({
      "wild/a.mp4": "",
      "wild/B.MP4": "",
      "wild/[c].mp4": "",
      "wild/.d.mp4": "",
      "wild/deep/e.mov": "",
      "wild/n.txt": "",
    });
    const path = at("wild");
    const names = async (word: string) =>
      (await expanded(`${path}\\${word}`, "win32")).map((each) => relative(path, each));
    expect((await names("*.mp4")).sort()).toEqual(["B.MP4", "[c].mp4", "a.mp4"]);
    expect(await names("?.mp4")).toEqual(["B.MP4", "a.mp4"]);
    expect(await names("d*\\*.mov")).toEqual(["deep/e.mov"]);
    expect(await expanded("none-*.mp4", "win32")).toEqual(["none-*.mp4"]);
    expect(await expanded("https://a.example/*.mp4", "win32")).toEqual(["https://a.example/*.mp4"]);
    expect(await expanded(`${path}/*.mp4`, "linux")).toEqual([`${path}/*.mp4`]);
  });
});

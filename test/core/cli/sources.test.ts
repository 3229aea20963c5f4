/** What the command line makes of words, folders and lists, and what it shows of them. */
import { execFileSync } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { readArguments } from "../../../core/cli/arguments.ts";
import { jsonLine, plain } from "../../../core/cli/format.ts";
import { terminalRows } from "../../../core/cli/terminal.ts";
import { type NamedVideo, rulesOf, videoAt, videosOf } from "../../../core/cli/videos.ts";
import { HIDDEN } from "../../../core/redaction/redaction.ts";
import { caught } from "../../support/caught.ts";
import { startHostileHost, TOKEN } from "../../support/hosts/hostile-host.ts";
import { rawAnswer } from "../../support/hosts/raw-server.ts";
import { MARKER } from "../../support/marker.ts";
import { startCliHere } from "../../support/programs/run-here.ts";
import { useFolder } from "../../support/use-folder.ts";

const folder = useFolder("cli-sources");

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

describe("a list", () => {
  const run = (input: string) =>
    startCliHere(
      ["upload", "-", "--json"],
      { UPCUT_URL: "http://127.0.0.1:9", UPCUT_TOKEN: MARKER, UPCUT_JOURNAL: join(folder.path, "journal") },
      input,
    ).ended();
  const failures = (stdout: string) =>
    stdout
      .split("\n")
      .filter((line) => line.includes('"event":"failed"'))
      .map((line) => (JSON.parse(line) as { source: string }).source);

  test("is read without marks and blanks around its lines", async () => {
    const { code, stdout } = await run(
      `\ufeff one.mp4 \r\n\ufeff\n\ufefftwo.mp4\t\n  "https://a.example/${MARKER}"`,
    );
    expect(code).toBe(1);
    expect(failures(stdout).sort()).toEqual(["https://a.example", "one.mp4", "two.mp4"]);
  });

  test("without line ends is refused as one line, and what follows is read", async () => {
    const { code, stdout } = await run(`one.mp4\n${"x".repeat(64 * 1024 * 1024)}\ntwo.mp4`);
    expect(code).toBe(1);
    expect(failures(stdout).sort()).toEqual(["line 2 of the list", "one.mp4", "two.mp4"]);
    expect(stdout).toContain("it is longer than 65536 characters");
  });
});

test("an asset's id that repeats the token is shown nowhere", async () => {
  const id = `asset ${encodeURIComponent(encodeURIComponent(`${TOKEN}=`))}`;
  const host = await startHostileHost({
    "request-upload": (_, socket) => {
      const [url, tusEndpoint] = [`${host.origin}/direct`, `${host.origin}/tus`];
      const text = JSON.stringify({ asset: { id }, task: { id: TOKEN }, url, tusEndpoint });
      socket.end(rawAnswer(200, { "content-length": text.length, connection: "close" }, text));
    },
  });
  await writeFile(join(folder.path, "small.mp4"), "video");
  for (const words of [["--json"], []]) {
    const environment = {
      UPCUT_URL: host.origin,
      UPCUT_TOKEN: TOKEN,
      UPCUT_JOURNAL: join(folder.path, "ids-journal"),
    };
    const args = ["upload", join(folder.path, "small.mp4"), "--new", ...words];
    const { code, stdout } = await startCliHere(args, environment).ended();
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining(HIDDEN) });
  }
});

const EMOJI = ["👩🏽‍💻", "🏳️‍🌈", "❤️‍🔥", "👨‍👩‍👧‍👦"];
const UNSEEN =
  "\u061c\u00ad\u180e\u200b\u200c\u200d\u200e\u200f\u202e\u2060\u2066\u3164\ufeff\ufff9\u{e0001}\u{e0041}";

test("a text in a terminal has nothing that turns it around or isn't seen", () => {
  for (const sign of [...UNSEEN, "\u001b", "\u009b", "\n", "\u2028", "\ud800"])
    expect(plain(`pay${sign}pal.mp4`)).toBe("pay\ufffdpal.mp4");
  for (const text of [...EMOJI, "می\u200cخواهم", "क्\u200dष", "é", "日本語.mp4"])
    expect(plain(text)).toBe(text);
  expect(plain("🎬\u200da\u200d🎬")).toBe("🎬\ufffda\ufffd🎬");
});

test("a line of JSON shows emoji, and has what isn't seen as escapes", () => {
  const line = jsonLine({ name: `${EMOJI.join(" ")} ${UNSEEN}` });
  expect(line).toContain(EMOJI.join(" "));
  expect(line).toContain("\\u200b\\u200c\\u200d");
  expect(line).toContain("\\udb40\\udc41");
  expect(JSON.parse(line)).toEqual({ name: `${EMOJI.join(" ")} ${UNSEEN}` });
});

test("a line of JSON has nothing that a terminal obeys, and the same value", () => {
  const value = {
    name: "\u001b[31m\u007f\u0080\u009b\u009f\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069é😀",
  };
  const line = jsonLine(value);
  expect(line).toMatch(/^[^\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]*\n$/u);
  expect(line).toContain("é😀");
  expect(line).toContain("\\u009b");
  expect(JSON.parse(line)).toEqual(value);
});

describe("the rows of a terminal", () => {
  afterEach(() => void vi.unstubAllEnvs());

  test.each([
    [{ NO_COLOR: "1" }, false],
    [{ TERM: "dumb" }, false],
    // A build server sets it, and the standard output is no terminal here: neither takes them away.
    [{ CI: "1" }, true],
  ])("have colours with %o: %s", (variables, hasColours) => {
    for (const [name, value] of Object.entries({ NO_COLOR: "", TERM: "xterm", ...variables }))
      vi.stubEnv(name, value);
    expect(terminalRows().red("a").includes("\u001b[31m")).toBe(hasColours);
  });
});

/** What the commands do and say; main.test.ts has what only a process shows. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { fileJournal, openFile } from "../../../core/file.ts";
import { upload } from "../../../core/mod.ts";
import { useService } from "../../service/use-service.ts";
import { caught } from "../../support/caught.ts";
import { content, contentHash, MiB, sha256, writeContent } from "../../support/content.ts";
import { serveVideo } from "../../support/hosts/video-server.ts";
import { MARKER } from "../../support/marker.ts";
import { type CliOutcome, cliCommand, runCli, startOnTerminal } from "../../support/programs/cli-process.ts";
import { startCliHere } from "../../support/programs/run-here.ts";
import { follow } from "../../support/programs/script.ts";
import { useFolder } from "../../support/use-folder.ts";
import { useOpened } from "../../support/use-opened.ts";

const SIZE = 300_017;
const service = useService();
const folder = useFolder("cli");
const journals = useFolder("journal");
const server = useOpened(() => serveVideo(SIZE, { seed: 9 }));
let journal = "";
beforeEach(() => {
  journal = join(journals.path, crypto.randomUUID());
});

const at = (...names: string[]) => join(folder.path, ...names);
const settings = (more: Record<string, string> = {}) => ({
  UPCUT_URL: service.baseUrl,
  UPCUT_TOKEN: service.token,
  UPCUT_JOURNAL: journal,
  ...more,
});
const asIs = ({ UPCUT_TOKEN: _, ...rest } = settings()) => rest;
const cli = async (args: string[], input?: string) => await startCliHere(args, settings(), input).ended();
const ESCAPE = "\u001b";

/** Starts an upload of 20 MiB, and stops it once 1 MiB arrived. */
async function pause(
  args: string[],
  signal: "SIGINT" | "SIGTERM" | "SIGHUP" = "SIGINT",
): Promise<CliOutcome> {
  await service.set({ throttle: 8 * MiB });
  const before = (await service.uploads()).length;
  const run = startCliHere(["upload", ...args], settings());
  const arrived = async () => (await service.uploads())[before]?.arrived ?? 0;
  await expect.poll(arrived).toBeGreaterThanOrEqual(MiB);
  run.signal(signal);
  const outcome = await run.ended();
  await service.set({ throttle: 0 });
  return outcome;
}

async function makeVideo(name: string, seed: number, size = SIZE): Promise<string> {
  await mkdir(dirname(at(name)), { recursive: true });
  await writeContent(at(name), size, seed);
  return at(name);
}

/** The hashes of what is stored, by the names of the assets. */
async function stored() {
  const found: Record<string, unknown> = {};
  for (const { asset } of await service.assets())
    found[`${asset.name}`] = (await service.whole(asset.id)).sha256;
  return found;
}

describe("upcut upload", () => {
  test("uploads files, the videos of folders, and addresses", async () => {
    await mkdir(at("videos", "holiday", ".trash"), { recursive: true });
    await makeVideo("videos/b.mp4", 1);
    await makeVideo("videos/a.webm", 2);
    await makeVideo("videos/holiday/c.mov", 3);
    await makeVideo("videos/holiday/.trash/d.mp4", 4);
    await writeFile(at("videos", "notes.txt"), "no video");
    const single = await makeVideo("single.mp4", 5);
    const { code, stdout, stderr } = await cli(["upload", at("videos"), single, server.url]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "5 videos\n5 uploaded\n" });
    const hash = (seed: number) => contentHash(SIZE, seed);
    expect(await stored()).toEqual({
      "b.mp4": hash(1),
      "a.webm": hash(2),
      "c.mov": hash(3),
      "single.mp4": hash(5),
      "video.mp4": hash(9),
    });
    for (const { asset } of await service.assets())
      expect(stdout).toContain(`asset ${asset.id} (300.0 kB in `);
    expect(stdout.trim().split("\n")).toHaveLength(5);
    expect(stdout).not.toContain(ESCAPE);
  });

  test("tells what fails among good ones, and ends with 1", async () => {
    const good = await makeVideo("good.mp4", 1);
    const gone = await serveVideo(10, { status: 404 });
    await writeFile(at("notes.txt"), "no video");
    const bad = [at("missing.mp4"), gone.url, "https://", at("notes.txt")];
    const { code, stdout, stderr } = await cli(["upload", ...bad, good, "--at-a-time", "2"]);
    await gone.close();
    expect(code).toBe(1);
    expect(stdout).toMatch(/^Uploaded .*good\.mp4: asset [\w-]+ \(300\.0 kB in .* s\)\n$/);
    expect(stderr).toMatch(/^5 videos\n(Failed .*\n){4}1 uploaded, 4 failed\n( {2}\S.*: .*\n){4}$/);
    // Named again by path and reason, for who has not seen a thousand lines pass.
    expect(stderr).toContain(`\n  ${at("missing.mp4")}: there is no such file\n`);
    expect(stderr).toContain(`Failed ${at("missing.mp4")}: there is no such file\n`);
    expect(stderr).toContain("answered 404");
    expect(stderr).toContain("its address is not a valid one");
    expect(stderr).toContain(`Failed ${at("notes.txt")}: neither its type`);
  });

  test("ends where every other video would fail as well", async () => {
    const paths = await Promise.all([1, 2, 3, 4].map((seed) => makeVideo(`many-${seed}.mp4`, seed)));
    const wrong = settings({ UPCUT_TOKEN: `${MARKER}-unknown` });
    const { code, stderr } = await startCliHere(["upload", ...paths, "--at-a-time", "1"], wrong).ended();
    expect(code).toBe(1);
    expect(stderr.match(/401/g)).toHaveLength(1);
    expect(stderr).toContain("for the same reason, so 3 were not started\n");
    const alone = await startCliHere(["upload", paths[0] ?? ""], wrong).ended();
    expect(alone.stderr).not.toContain("other videos");
  });

  test("tells how many were stopped and how many were not started, once the token is revoked", async () => {
    const big = await Promise.all([1, 2, 3].map((seed) => makeVideo(`revoked-${seed}.mp4`, seed, 20 * MiB)));
    const others = await Promise.all(
      [4, 5, 6].map((seed) => makeVideo(`revoked-${seed}.mp4`, seed, 4 * MiB)),
    );
    await service.set({ throttle: 2 * MiB });
    const run = startCliHere(["upload", ...big, ...others], settings());
    const asked = async () => (await service.requests("POST")).filter(({ host }) => host === "api");
    await expect.poll(asked).toHaveLength(4);
    await service.set({ throttle: 2 * MiB, answerStatus: [{ host: "api", method: "POST", status: 401 }] });
    const { code, stdout, stderr } = await run.ended();
    expect({ code, lines: stdout.match(/^Uploaded /gm) }).toEqual({ code: 1, lines: ["Uploaded "] });
    expect(stderr.match(/401/g)).toHaveLength(2);
    const stopped = "so 1 were not started, and 3 under way were stopped: the same command resumes them\n";
    expect(stderr).toContain(stopped);
    expect(stderr).toContain("1 of 6 uploaded, 1 failed\n");
  });

  test("passes on name, MP4 and method", async () => {
    const path = await makeVideo("named.mp4", 1, 2 * MiB);
    const { code } = await cli(["upload", path, "--name", "Launch “1”", "--mp4", "--method", "direct"]);
    expect(code).toBe(0);
    expect((await service.assets())[0]?.received).toEqual({ name: "Launch “1”", staticMp4: true });
    expect(await service.requests("PUT")).toHaveLength(1);
  });

  test("prints JSON lines that tell the same", async () => {
    const path = await makeVideo("json.mp4", 1, 3 * MiB);
    const { code, stdout, stderr } = await cli(["upload", path, at("missing.mp4"), "--json"]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
    const lines = stdout.trim().split("\n");
    const events: { event: string }[] = lines.map((line) => JSON.parse(line));
    const all = (name: string) => events.filter(({ event }) => event === name);
    const [asset] = await service.assets();
    const uploaded = { source: path, number: 1, assetId: asset?.asset.id, size: 3 * MiB, resumed: false };
    expect(all("uploaded")).toMatchObject([uploaded]);
    const error = { code: "invalid-source", retryable: false };
    expect(all("failed")).toMatchObject([{ source: at("missing.mp4"), number: 2, error }]);
    expect(all("progress").length).toBeGreaterThan(0);
    expect(all("total").at(-1)).toMatchObject({ uploaded: 1, failed: 1 });
  });

  test.each([[], ["--at-a-time", "1", "--new"]])(
    "uploads a video that is named twice once, with %o",
    async (...options) => {
      const path = await makeVideo("twice.mp4", 1, 3 * MiB);
      const { code, stdout, stderr } = await cli(["upload", path, path, ...options]);
      expect(code).toBe(0);
      expect(stdout).toMatch(/^Uploaded .*twice\.mp4: asset .*\nAlready there .*twice\.mp4: asset .*\n$/);
      expect(stderr).toContain("1 uploaded, 1 was there already");
      expect(await service.assets()).toHaveLength(1);
    },
  );

  test("counts a video once that another one of the command is waited for", async () => {
    const path = await makeVideo("counted.mp4", 1, 3 * MiB);
    const { stdout } = await cli(["upload", path, path, "--json"]);
    const events = stdout.split("\n").filter((line) => line.includes('"event":"total"'));
    expect(JSON.parse(events.at(-1) ?? "")).toMatchObject({ started: 2, uploaded: 1, alreadyThere: 1 });
  });

  test("prints with --quiet what fails, and nothing else", async () => {
    const video = await makeVideo("quiet.mp4", 1);
    expect(await cli(["upload", video, at("missing.mp4"), "--quiet"])).toEqual({
      code: 1,
      stdout: "",
      stderr: `Failed ${at("missing.mp4")}: there is no such file\n`,
    });
    const json = (await cli(["upload", video, at("missing.mp4"), "-q", "--json"])).stdout;
    const events = json
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { event: string }).event);
    expect(events).toEqual(["failed"]);
  });

  test("takes a video from the standard input by its name, and no video for a list", async () => {
    const bytes = content(SIZE, 6);
    const upload = async (args: string[], input: Uint8Array) =>
      await startCliHere(["upload", "-", ...args], settings(), input).ended();
    const nameless = await upload([], bytes);
    expect(nameless).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("--stdin-name") });
    const list = await upload(["--stdin-name", "film.mp4"], Buffer.from("a.mp4\nb.mp4\n"));
    expect(list).toMatchObject({ code: 2, stderr: expect.stringContaining("is a text, not a video") });
    const named = await upload(["--stdin-name", "film.mp4"], bytes);
    expect(named).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Uploaded film\.mp4: asset /) });
    expect(await stored()).toEqual({ "film.mp4": sha256(bytes) });
  });

  test("says so where there is no video", async () => {
    await mkdir(at("empty"), { recursive: true });
    const { code, stderr } = await cli(["upload", at("empty")]);
    expect(code).toBe(1);
    expect(stderr).toContain("No video was found");
  });

  test("shows a name without what a terminal would obey", async () => {
    const path = await makeVideo(`a\u001b[31m\u202eb.mp4`, 1);
    const { code, stdout } = await cli(["upload", path]);
    expect(code).toBe(0);
    expect(stdout).toContain("a�[31m�b.mp4");
  });
});

describe("upcut upload, stopped", () => {
  test("and run again, leaves out what it had uploaded and resumes the rest", async () => {
    await mkdir(at("many"));
    for (const seed of [1, 2, 3])
      await makeVideo(join("many", `${seed}.mp4`), seed, seed === 3 ? 20 * MiB : SIZE);
    const args = ["upload", at("many"), server.url, "--at-a-time", "1"];
    await cli(["upload", at("many", "1.mp4"), at("many", "2.mp4")]);
    await pause([at("many", "3.mp4")]);
    expect(await cli(args)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /Already there .*1\.mp4: asset .*\nAlready there .*2\.mp4.*\nResumed .*3\.mp4/,
      ),
      stderr: expect.stringContaining("2 uploaded, 2 were there already. --new uploads those again\n"),
    });
    const third = await cli([...args, "--json"]);
    expect([third.code, third.stdout.match(/"event":"already-there"/g)?.length]).toEqual([0, 4]);
    const totals = { uploaded: 0, alreadyThere: 4, failed: 0 };
    expect(JSON.parse(third.stdout.trim().split("\n").at(-1) ?? "")).toMatchObject({
      event: "summary",
      ...totals,
    });
    expect(await service.assets()).toHaveLength(4);
    // An address that was signed again is the same one.
    const signed = `${server.url}?signature=${MARKER}\n`;
    expect((await cli(["upload", "-"], signed)).stdout).toMatch(/^Already there /);
    // Another file at its place is another video, and so is another request.
    await makeVideo(join("many", "1.mp4"), 4, SIZE + 1);
    expect((await cli(args)).stdout).toMatch(/^Uploaded .*1\.mp4: asset /);
    expect((await cli(["upload", at("many", "2.mp4"), "--mp4"])).stdout).toMatch(/^Uploaded .*2\.mp4/);
    expect((await cli(["upload", at("many", "2.mp4"), "--new"])).stdout).toMatch(/^Uploaded .*2\.mp4/);
    expect(await service.assets()).toHaveLength(7);
  });

  test.each([
    ["SIGHUP", 129],
    ["SIGTERM", 143],
  ] as const)("by %s is paused, and ends with %i", async (signal, code) => {
    const path = await makeVideo(`${signal}.mp4`, code, 20 * MiB);
    const paused = await pause([path], signal);
    expect(paused).toMatchObject({
      code,
      stderr: expect.stringContaining("run the same command again to resume"),
    });
    expect((await cli(["upload", path])).stdout).toMatch(/^Resumed /);
  });

  test("while it uploads a video once more, resumes that by the same command without --new", async () => {
    const path = await makeVideo("start-over.mp4", 7, 20 * MiB);
    expect((await cli(["upload", path])).stdout).toMatch(/^Uploaded .*start-over\.mp4: asset /);
    const paused = await pause([path, "--new"]);
    expect(paused.stderr).toContain("run the same command without --new to resume");
    // Another request has nothing that is unfinished.
    expect((await cli(["upload", path, "--name", "other"])).stdout).toMatch(/^Uploaded .*start-over\.mp4/);
    expect((await cli(["upload", path])).stdout).toMatch(/^Resumed .*start-over\.mp4: asset /);
    expect((await cli(["upload", path])).stdout).toMatch(/^Already there .*start-over\.mp4: asset /);
    expect(await service.assets()).toHaveLength(3);
    expect((await cli(["list"])).stderr).toBe("Nothing is unfinished\n");
  });

  test("by a kill while it asked for an asset, begins anew and tells that there may be an empty one", async () => {
    const path = await makeVideo("asked.mp4", 1);
    await service.set({ stallAfter: [{ host: "api", method: "POST", bytes: 0, times: 1 }] });
    const stopper = new AbortController();
    // An abort waits for the answer as long as that may take.
    const client = service.client({ timeout: 3_000 });
    const options = { journal: fileJournal(journal), once: true, signal: stopper.signal };
    const asked = caught(upload(client, await openFile(path), options));
    await expect.poll(() => service.requests("POST")).toHaveLength(1);
    stopper.abort();
    await asked;
    const sentence = `asked for an asset of ${path}: the account may have an empty one\n`;
    // On a full disk the note stays, where something else is in its entry.
    const store = fileJournal(journal);
    const [{ journalKey = "" } = {}] = await store.list();
    const other = { method: "direct", asset: { id: "other" }, mismatches: [] };
    await store.set(journalKey, { ...((await store.get(journalKey)) as object), uploads: { other } });
    const [program, ...words] = cliCommand(["upload", path]);
    const full = ["-c", 'trap "" XFSZ; ulimit -f 0; exec "$0" "$@"', program, ...words];
    const { code: failed, output } = await follow("bash", full, settings()).ended();
    expect([failed, output.split(sentence).length]).toEqual([1, 2]);
    const { code, stdout, stderr } = await cli(["upload", path]);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^Uploaded .*asked\.mp4: asset /),
    });
    expect(stderr).toContain(sentence);
  });

  test("twice at once uploads each video once", async () => {
    await mkdir(at("shared"));
    for (let seed = 1; seed <= 8; seed++) await makeVideo(join("shared", `${seed}.mp4`), seed, 2 * MiB);
    const args = ["upload", at("shared"), "--at-a-time", "1"];
    const [here, there] = await Promise.all([cli(args), runCli(args, settings())]);
    // What one is at, the other one waits for.
    for (const { code, stderr } of [here, there])
      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining("failed") });
    expect(await service.assets()).toHaveLength(8);
  });
});

describe("upcut terminate", () => {
  test("ends a session, and tells a failure", async () => {
    await service.startSession("launch-stream");
    expect(await cli(["terminate", "launch-stream"])).toMatchObject({
      code: 0,
      stdout: "Ended launch-stream, if it was live. The streamer can start again at once\n",
    });
    expect((await service.streams()).find(({ id }) => id === "launch-stream")).toMatchObject({ live: false });
    const unknown = await cli(["terminate", "nobody"]);
    expect(unknown).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("404: stream not found"),
    });
    const json = await cli(["terminate", "nobody", "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({ event: "failed", error: { code: "not-found" } });
  });
});

describe("the options of upcut", () => {
  test("are refused with 2 where they are wrong, before anything is sent", async () => {
    const { code, stdout, stderr } = await cli(["upload", "a.mp4", "--mp5"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toBe("upcut: Unknown option '--mp5'. Did you mean --mp4? See upcut --help\n");
    expect(await service.requests()).toEqual([]);
  });
});

test("upcut asks for the token until Ctrl-C", async () => {
  const run = startOnTerminal(["terminate", "nobody"], asIs());
  await expect.poll(run.printed).toContain("Token of the account");
  run.type("abc\u0003");
  expect([130, null]).toContain((await run.ended()).code);
  expect(await service.requests()).toEqual([]);
});

test("upcut advises in its own options", async () => {
  const text = join(folder.path, "notes.txt");
  await writeFile(text, "no video");
  const other = await cli(["upload", text]);
  expect(other.stderr).toContain("nor its name is a video's. Rename it if it is a video");
  const elsewhere = settings({ UPCUT_TERMINATE_PATH: "/elsewhere/{id}" });
  expect((await startCliHere(["terminate", "a"], elsewhere).ended()).stderr).toContain(
    "heck --url and UPCUT_TERMINATE_PATH",
  );
  const wrongPath = await startCliHere(
    ["terminate", "a"],
    settings({ UPCUT_TERMINATE_PATH: "/elsewhere" }),
  ).ended();
  expect(wrongPath).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("UPCUT_TERMINATE_PATH is wrong"),
  });
  for (const { stderr } of [other, wrongPath]) expect(stderr).not.toMatch(/baseUrl|paths|"any"/);
});

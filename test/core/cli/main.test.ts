/** The command line as a process: its outputs, its exit codes, its signals and its terminal, in each runtime. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { fileJournal } from "../../../core/file.ts";
import { useService } from "../../service/use-service.ts";
import { contentHash, MiB, writeContent } from "../../support/content.ts";
import { serveVideo } from "../../support/hosts/video-server.ts";
import { tableElsewhere } from "../../support/in-all.ts";
import { cliCommand, runCli, startCli, startOnTerminal } from "../../support/programs/cli-process.ts";
import { follow } from "../../support/programs/script.ts";
import { useFolder } from "../../support/use-folder.ts";

const service = useService();
const folder = useFolder("cli");
const journals = useFolder("journal");
let journal = "";
let [first, second] = ["", ""];

beforeAll(async () => {
  [first, second] = [join(folder.path, "first.mp4"), join(folder.path, "second.mp4")];
  await writeContent(first, 300_017, 1);
  await writeContent(second, 20 * MiB, 2);
});
beforeEach(() => {
  journal = join(journals.path, crypto.randomUUID());
});

const withoutToken = () => ({ UPCUT_URL: service.baseUrl, UPCUT_JOURNAL: journal });
const settings = () => ({ ...withoutToken(), UPCUT_TOKEN: service.token });
const ESCAPE = "\u001b";
/** Deno's child_process gives `null` for a code that stands for a signal. */
const STOPPED = [130, null];

/** Waits until most of the second video arrived. */
const arrived = async () =>
  await expect.poll(async () => (await service.uploads()).at(-1)?.arrived ?? 0).toBeGreaterThan(9 * MiB);

test("upcut uploads a file and an address, and ends with 0", async () => {
  const server = await serveVideo(300_017, { seed: 9 });
  const { code, stdout, stderr } = await runCli(["upload", first, server.url], settings());
  await server.close();
  expect({ code, stderr }).toEqual({ code: 0, stderr: "2 videos\n2 uploaded\n" });
  expect(stdout.match(/^Uploaded .*: asset \S+ \(300\.0 kB in .*\)$/gm)).toHaveLength(2);
  expect(stdout).not.toContain(ESCAPE);
  const hashes: unknown[] = [];
  for (const { asset } of await service.assets()) hashes.push((await service.whole(asset.id)).sha256);
  expect(hashes.sort()).toEqual([1, 9].map((seed) => contentHash(300_017, seed)).sort());
});

test("upcut ends with 1 after a failure and with 2 after wrong words, and its arguments hold no token", async () => {
  const file = join(journals.path, "token");
  await writeFile(file, `${service.token}\n`, { mode: 0o600 });
  await service.set({ stallAfter: [{ host: "api", method: "DELETE", bytes: 0, times: 1 }] });
  const run = startCli(["terminate", "nobody", "--token-file", file], withoutToken());
  await expect.poll(() => service.requests("DELETE")).toHaveLength(1);
  const words = await readFile(`/proc/${run.process.pid}/cmdline`, "utf8");
  expect(words).toContain("terminate");
  expect(words).not.toContain(service.token);
  run.process.kill("SIGINT");
  expect(STOPPED).toContain((await run.ended()).code);
  const failed = await runCli(["terminate", "nobody"], settings());
  expect(failed).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("404") });
  const wrong = await runCli(["list", "--frames"], settings());
  expect(wrong).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringMatching(/[^.?]\. See upcut --help\n$/),
  });
});

test("upcut whose output can't be written ends with 1, and quietly where nobody reads it any more", async () => {
  const [program, ...words] = cliCommand(["help", "upload"]);
  const run = async (script: string) => await follow("bash", ["-c", script, program, ...words], {}).ended();
  const full = await run('"$0" "$@" > /dev/full');
  expect(full).toEqual({ code: 1, output: "Cannot write the output: the disk is full (ENOSPC)\n" });
  const unread = await run('exec 3> >(true); wait $!; "$0" "$@" >&3');
  expect(unread).toEqual({ code: 141, output: "" });
});

test.each(tableElsewhere(["SIGINT", "SIGKILL"] as const))(
  "upcut upload that ends by %s is resumed",
  async (signal) => {
    await service.set({ throttle: 8 * MiB });
    const args = ["upload", first, second, "--at-a-time", "1"];
    const run = startCli(args, settings());
    await arrived();
    run.process.kill(signal);
    const { stderr } = await run.ended();
    if (signal === "SIGINT") expect(stderr).toContain("run the same command again to resume");
    const [, begun] = await service.assets();
    const listed = { name: "second.mp4", size: 20 * MiB, assetId: begun?.asset.id, method: "resumable" };
    expect(await fileJournal(journal).list()).toMatchObject([listed]);
    await service.set({ throttle: 0 });
    const again = await runCli(args, settings());
    expect(again).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Already there .*first\.mp4: asset .*\nResumed .*second\.mp4: asset /),
    });
    expect(await service.assets()).toHaveLength(2);
    const uploads = await service.uploads();
    expect(uploads.at(-1)?.bytesReceived).toBeLessThanOrEqual(28 * MiB);
    expect((await service.whole(begun?.asset.id ?? "")).sha256).toBe(contentHash(20 * MiB, 2));
  },
);

test("upcut upload ends at once while it waits for more of its list", async () => {
  const run = startCli(["upload", "-"], settings(), null);
  run.process.stdin?.write(`${first}\n`);
  await expect.poll(run.printed).toContain("Uploaded");
  run.process.kill("SIGINT");
  expect(STOPPED).toContain((await run.ended()).code);
});

test("upcut asks for the token on a terminal, draws a row for each upload, and is paused by Ctrl-C", async () => {
  await service.set({ throttle: 4 * MiB });
  const third = join(folder.path, "third.mp4");
  await writeContent(third, 20 * MiB, 3);
  const run = startOnTerminal(["upload", first, second, third], withoutToken());
  await expect.poll(run.printed).toContain("Token of the account");
  run.type(`${service.token}x\u007f\r`);
  await expect.poll(run.printed).toMatch(/second\.mp4 .*█+.* [1-9]\d? %/);
  await expect.poll(run.printed).toContain("1 of 3 uploaded");
  await expect.poll(run.printed).toMatch(/MB\/s/);
  run.type("\u0003");
  const { code, stdout } = await run.ended();
  expect(STOPPED).toContain(code);
  expect(stdout).toContain("run the same command again to resume");
  expect(stdout).toMatch(/Uploaded .*first\.mp4: asset/);
  // Two uploads and the row of all of them are drawn anew.
  expect(stdout).toContain(`${ESCAPE}[3A`);
  expect(stdout).toContain(`${ESCAPE}[32m█`);
  expect(stdout).not.toContain(service.token.slice(0, 8));
});

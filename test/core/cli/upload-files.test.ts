/** Files that are odd, or change while they are uploaded. */
import { execFileSync } from "node:child_process";
import { appendFile, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { useService } from "../../service/use-service.ts";
import { content, MiB, sha256, writeContent } from "../../support/content.ts";
import { cliCommand, startCli } from "../../support/programs/cli-process.ts";
import { startCliHere } from "../../support/programs/run-here.ts";
import { follow } from "../../support/programs/script.ts";
import { useFolder } from "../../support/use-folder.ts";

const service = useService();
const folder = useFolder("cli-files");
const journals = useFolder("journal");
const at = (...names: string[]) => join(folder.path, ...names);
const settings = () => ({
  UPCUT_URL: service.baseUrl,
  UPCUT_TOKEN: service.token,
  UPCUT_JOURNAL: journals.path,
});
const cli = async (args: string[]) => await startCliHere(args, settings()).ended();

test("a name that is no UTF-8 is uploaded from a word, a list and a folder, and shown escaped", async () => {
  await mkdir(at("latin1"));
  const bytes = content(1000, 1);
  await writeFile(at("plain.mp4"), bytes);
  const make = `cp "$0/plain.mp4" "$0/latin1/caf$(printf '\\351').mp4"`;
  execFileSync("sh", ["-c", make, folder.path]);
  const [program, ...words] = cliCommand(["upload"]);
  const upload = async (script: string) =>
    await follow(
      "sh",
      ["-c", `cd "$0/latin1"; ${script}`, folder.path, program, ...words],
      settings(),
    ).ended();
  const first = await upload('"$@" *.mp4');
  if ("Deno" in globalThis) {
    expect(first).toMatchObject({ code: 1, output: expect.stringContaining("Deno can't open") });
    return;
  }
  expect(first).toMatchObject({ code: 0, output: expect.stringMatching(/^Uploaded caf\\xE9\.mp4: asset /) });
  expect(await upload('ls | "$@" -')).toMatchObject({
    code: 0,
    output: expect.stringContaining("Already there caf\\xE9"),
  });
  expect(await upload('"$@" .')).toMatchObject({
    code: 0,
    output: expect.stringContaining("Already there caf\\xE9"),
  });
  const [asset] = await service.assets();
  expect(asset?.received).toEqual({ name: "caf\\xE9.mp4" });
  expect((await service.whole(asset?.asset.id ?? "")).sha256).toBe(sha256(bytes));
  execFileSync("sh", ["-c", `rm "$0"/latin1/*`, folder.path]);
});

test("an empty file and a link that leads nowhere are named, and fail nothing", async () => {
  await writeContent(at("good.mp4"), 1000, 2);
  await writeFile(at("empty.mp4"), "");
  await symlink(at("gone.mp4"), at("dangling.mp4"));
  const paths = ["dangling.mp4", "empty.mp4", "good.mp4"].map((name) => at(name));
  expect(await cli(["upload", ...paths])).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^Uploaded .*good\.mp4/),
    stderr:
      `Left out ${at("dangling.mp4")}: it is a link that leads nowhere\n` +
      `Left out ${at("empty.mp4")}: it has no bytes\n`,
  });
  const { stdout } = await cli(["upload", ...paths, "--json"]);
  const events = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(events.filter(({ event }) => event === "left-out")).toMatchObject([
    { reason: "dangling-link", source: at("dangling.mp4") },
    { reason: "empty", source: at("empty.mp4") },
  ]);
  expect(events.at(-1)).toMatchObject({ event: "summary", alreadyThere: 1, leftOut: 2 });
  // Where nothing else is there, nothing was uploaded.
  expect(await cli(["upload", at("empty.mp4")])).toMatchObject({ code: 1 });
});

test("a file that grows while it is uploaded is told so", async () => {
  const path = at("growing.mp4");
  await writeContent(path, 12 * MiB, 3);
  await service.set({ throttle: 4 * MiB });
  const run = startCli(["upload", path], settings());
  await expect.poll(async () => (await service.uploads()).at(-1)?.arrived ?? 0).toBeGreaterThan(MiB);
  await appendFile(path, "more");
  await service.set({ throttle: 0 });
  const { code, stderr } = await run.ended();
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `Failed ${path}: the file grew while it was uploaded. Upload it once nothing writes it any more, or leave out such files by --min-age\n`,
  });
});

test("--name with places to fill names many", async () => {
  await mkdir(at("named"));
  await writeContent(at("named", "a.b.mp4"), 1000, 4);
  await writeContent(at("named", "c.mov"), 1000, 5);
  expect(await cli(["upload", at("named"), "--name", "{folder}: {stem}"])).toMatchObject({ code: 0 });
  const names = (await service.assets()).map(({ received }) => (received as { name: string }).name);
  expect(names.sort()).toEqual(["named: a.b", "named: c"]);
});

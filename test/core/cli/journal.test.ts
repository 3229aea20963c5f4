/** Where uploads are remembered, for users with and without a folder of their own. */
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { run } from "../../packaging/run.ts";
import { useService } from "../../service/use-service.ts";
import { writeContent } from "../../support/content.ts";
import { cliCommand, runCli } from "../../support/programs/cli-process.ts";
import { startCliHere } from "../../support/programs/run-here.ts";
import { useFolder } from "../../support/use-folder.ts";

const service = useService();
const folder = useFolder("journal-place");
const at = (...names: string[]) => join(folder.path, ...names);
let videos: string[] = [];
beforeAll(async () => {
  videos = [at("a.mp4"), at("b.mp4")];
  for (const [seed, video] of videos.entries()) await writeContent(video, 1000, seed);
});

const account = () => ({ UPCUT_URL: service.baseUrl, UPCUT_TOKEN: service.token });
const cli = async (args: string[], more: Record<string, string>) =>
  await startCliHere(args, { ...account(), UPCUT_JOURNAL: "", XDG_STATE_HOME: "", ...more }).ended();

/** Runs it as a user that the system has no entry of, without any variable. */
async function asNobody(args: string[], variables: Record<string, string> = {}) {
  const given = Object.entries({ PATH: process.env.PATH ?? "", ...variables });
  const names = given.map(([name, value]) => `${name}=${value}`);
  const user = ["setpriv", "--reuid", "12345", "--regid", "12345", "--clear-groups"];
  return await run("env", ["-i", ...names, ...user, ...cliCommand(args)], folder.path);
}

// Root alone can become another user.
const isRoot = process.getuid?.() === 0;

describe.runIf(isRoot)("a user without HOME and without an entry", () => {
  test.each([["--help"], ["--version"], ["help", "upload"], ["completion", "bash"], ["logout", "--help"]])(
    "has %j %j",
    async (...args) => {
      expect(await asNobody(args)).toMatchObject({ code: 0, stdout: expect.stringMatching(/\S/) });
    },
  );

  test.each([["list"], ["discard", "--all"], ["upload", "a.mp4"]])(
    "is told of --journal by %j",
    async (...args) => {
      const { code, output } = await asNobody(args, account());
      expect({ code, output }).toEqual({
        code: 2,
        output: expect.stringContaining(
          "the folder of the journal is not known: give --journal, or set UPCUT_JOURNAL",
        ),
      });
      expect(output).not.toMatch(/\n\s+at /);
    },
  );

  test.each([["login", "--url", "http://127.0.0.1:9"], ["logout"]])(
    "is told of the variable by %j",
    async (...args) => {
      const { code, output } = await asNobody(args, { UPCUT_TOKEN_FILE: "/dev/null" });
      expect(code).toBe(2);
      expect(output).not.toMatch(/\n\s+at /);
    },
  );
});

test.each([
  { HOME: "/" },
  { HOME: "/dev/null" },
  { HOME: "/nonexistent" },
  { XDG_STATE_HOME: "/root/state" },
])("a folder that can't be made is named with --journal, once for all videos: %o", async (variables) => {
  await chmod(folder.path, 0o755);
  for (const args of [["list"], ["upload", ...videos, "--at-a-time", "1"]]) {
    const { code, output } = await asNobody(args, { ...account(), ...variables });
    expect(code).toBe(1);
    const place = "HOME" in variables ? `${variables.HOME}/.local/state`.replace("//", "/") : "/root/state";
    expect(output).toContain(`the journal in ${place}/upcut/journal: E`);
    expect(output).toContain("Give another folder by --journal, or set UPCUT_JOURNAL");
    if (args[0] === "upload") expect(output).toContain("for the same reason, so 1 were not started\n");
  }
});

test("a folder that others can read is named with --journal", async () => {
  await mkdir(at("open"), { mode: 0o755 });
  await writeFile(at("open", "notes.txt"), "");
  const { stderr } = await cli(["upload", ...videos], { UPCUT_JOURNAL: at("open") });
  expect(stderr).toContain(`the journal in ${at("open")}: its folder is open to other users`);
  expect(stderr).toContain("Give another folder by --journal, or set UPCUT_JOURNAL");
});

test.runIf(isRoot)("an empty HOME is none: nothing is written into the current folder", async () => {
  const { code, output } = await run(
    "env",
    [
      "-i",
      `PATH=${process.env.PATH}`,
      "HOME=",
      `UPCUT_URL=${service.baseUrl}`,
      ...cliCommand(["--journal", "", "--version"]),
    ],
    folder.path,
  );
  expect({ code, output }).toMatchObject({ code: 2 });
  const nobody = await asNobody(["list"], { ...account(), HOME: "" });
  expect(nobody.output).toContain("the folder of the journal is not known: give --journal");
});

test("uploads are remembered in the folder for states, or in ~/.upcut where that is there", async () => {
  const HOME = at("home");
  await mkdir(HOME);
  const upload = async (...more: string[]) =>
    (
      await runCli(["upload", videos[0] ?? "", ...more], {
        ...account(),
        HOME,
        XDG_STATE_HOME: "",
        UPCUT_JOURNAL: "",
      })
    ).stdout;
  expect(await upload()).toMatch(/^Uploaded /);
  expect(await upload("--journal", join(HOME, ".local/state/upcut/journal"))).toMatch(/^Already there /);
  await mkdir(join(HOME, ".upcut"));
  expect(await upload()).toMatch(/^Uploaded /);
  expect(await upload("--journal", join(HOME, ".upcut"))).toMatch(/^Already there /);
});

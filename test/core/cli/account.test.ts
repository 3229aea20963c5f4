/** Where the command line takes address and token from. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { useService } from "../../service/use-service.ts";
import { MARKER } from "../../support/marker.ts";
import { startCliHere } from "../../support/programs/run-here.ts";
import { useFolder } from "../../support/use-folder.ts";

const service = useService();
const folder = useFolder("journal");
let config = "";
beforeEach(() => {
  config = join(folder.path, crypto.randomUUID());
});

const cli = async (args: string[], more: Record<string, string> = {}, input = "") =>
  await startCliHere(args, { XDG_CONFIG_HOME: config, ...more }, input).ended();
const login = async () => await cli(["login", "--url", `${service.baseUrl}/`], {}, `${service.token}\n`);
const WRONG = `${MARKER}-wrong`;
/** A service that knows no stream answers so to the right token alone. */
const ACCEPTED = { code: 1, stderr: expect.stringContaining("404: stream not found") };
const REFUSED = { code: 1, stderr: expect.stringContaining("401") };

describe("address and token", () => {
  test("come from options, then from the environment, then from login", async () => {
    await login();
    const right = join(folder.path, "right");
    const wrong = join(folder.path, "wrong");
    await writeFile(right, `${service.token}\n`);
    await writeFile(wrong, WRONG);
    const call = ["terminate", "nobody"];
    expect(await cli(call, { UPCUT_TOKEN: WRONG })).toMatchObject(REFUSED);
    expect(await cli(call, { UPCUT_TOKEN_FILE: wrong })).toMatchObject(REFUSED);
    expect(await cli(call, { UPCUT_TOKEN: service.token, UPCUT_TOKEN_FILE: wrong })).toMatchObject(ACCEPTED);
    expect(await cli([...call, "--token-file", right], { UPCUT_TOKEN: WRONG })).toMatchObject(ACCEPTED);
    expect(await cli([...call, "--token-file", wrong], { UPCUT_TOKEN: service.token })).toMatchObject(
      REFUSED,
    );
    const { stdout } = await cli(["whoami", "--json", "--token-file", right], { UPCUT_URL: service.baseUrl });
    const facts = {
      url: service.baseUrl,
      urlFrom: "UPCUT_URL",
      tokenFrom: "--token-file",
      check: "accepted",
    };
    expect(JSON.parse(stdout)).toEqual({ event: "account", ...facts });
    expect((await cli(["logout"], { UPCUT_TOKEN: WRONG })).stderr).toContain(
      "UPCUT_TOKEN is set, and comes before",
    );
  });

  test("of a login stay together: the token goes to no other address", async () => {
    await login();
    const others = [service.baseUrl.replace("127.0.0.1", "localhost"), "http://127.0.0.1:9"];
    for (const other of others)
      expect(await cli(["terminate", "nobody", "--url", other])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`no token is known for ${other}: run`),
      });
    expect(await service.requests("DELETE")).toHaveLength(1);
  });

  test("are missing or wrong: told with what to do", async () => {
    const { baseUrl: UPCUT_URL, token: UPCUT_TOKEN } = service;
    const call = ["terminate", "a"];
    expect((await cli(call, { UPCUT_TOKEN })).stderr).toContain(
      "run upcut login, set UPCUT_URL, or give --url",
    );
    expect((await cli(call, { UPCUT_URL })).stderr).toContain("set UPCUT_TOKEN, or give --token-file");
    expect(await cli(call, { UPCUT_TOKEN, UPCUT_URL: "video.example" })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('UPCUT_URL, or --url) is wrong: it is "video.example"'),
    });
    const gone = await cli([...call, "--token-file", join(folder.path, "gone")], { UPCUT_URL });
    expect(gone).toMatchObject({ code: 2, stderr: expect.stringContaining("can't be read (ENOENT)") });
  });
});

test("upcut upload of a folder checks the account once, before it asks for anything", async () => {
  const videos = join(folder.path, "videos");
  await mkdir(videos);
  for (let at = 0; at < 20; at++) await writeFile(join(videos, `${at}.mp4`), "video");
  const environment = {
    UPCUT_URL: service.baseUrl,
    UPCUT_TOKEN: WRONG,
    UPCUT_JOURNAL: join(config, "journal"),
  };
  const { code, stdout, stderr } = await cli(["upload", videos], environment);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr.match(/401/g)).toHaveLength(1);
  expect(await service.requests("POST")).toEqual([]);
});

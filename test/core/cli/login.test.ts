/** The commands `login`, `whoami` and `logout`, and what they store. */
import { chmod, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { useService } from "../../service/use-service.ts";
import { MARKER } from "../../support/marker.ts";
import type { CliOutcome } from "../../support/programs/cli-process.ts";
import { startCliHere } from "../../support/programs/run-here.ts";
import { useFolder } from "../../support/use-folder.ts";

const service = useService();
const folder = useFolder("journal");
let config = "";
beforeEach(() => {
  config = join(folder.path, crypto.randomUUID());
});

const file = () => join(config, "upcut", "account.json");
const cli = async (args: string[], more: Record<string, string> = {}, input = ""): Promise<CliOutcome> =>
  await startCliHere(args, { XDG_CONFIG_HOME: config, ...more }, input).ended();
const login = async () => await cli(["login", "--url", `${service.baseUrl}/`], {}, `${service.token}\n`);
const WRONG = `${MARKER}-wrong`;
/** A service that knows no stream answers so to the right token alone. */
const ACCEPTED = { code: 1, stderr: expect.stringContaining("404: stream not found") };
const REFUSED_STREAM = { code: 1, stderr: expect.stringContaining("404: not found. Check the stream's id") };
const REFUSED = { code: 1, stderr: expect.stringContaining("401") };

describe("upcut login", () => {
  test("stores what the service accepts for the user alone, until logout", async () => {
    expect(await login()).toEqual({
      code: 0,
      stdout: `The service accepts the token. Stored in ${file()}, for you alone\n`,
      stderr: "",
    });
    expect((await stat(file())).mode & 0o777).toBe(0o600);
    expect(await readdir(join(config, "upcut"))).toEqual(["account.json"]);
    expect(await cli(["terminate", "nobody"])).toMatchObject(ACCEPTED);
    expect(await cli(["whoami"])).toEqual({
      code: 0,
      stdout: `Address ${service.baseUrl}, from upcut login\nToken from upcut login\nThe service accepts the token\n`,
      stderr: "",
    });
    expect((await cli(["logout"])).stdout).toBe("Logged out. The token itself stays valid\n");
    expect((await cli(["logout"])).stdout).toBe("Nobody is logged in\n");
    expect(await cli(["whoami"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("run upcut login"),
    });
  });

  test("stores nothing that the service refuses, and no empty token", async () => {
    const refused = await cli(["login", "--url", service.baseUrl], {}, WRONG);
    const sentence = "Cannot check the account: the service answered 401: it doesn't know this token";
    expect(refused).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining(sentence) });
    expect(await cli(["login", "--url", service.baseUrl])).toMatchObject({ code: 2 });
    expect(await cli(["login"], {}, service.token)).toMatchObject({ code: 2 });
    expect(await cli(["login", "--url", "video.example"], {}, service.token)).toMatchObject({ code: 2 });
    await expect(stat(file())).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("takes the place of an earlier one, and leaves none that can't be read or is open to others", async () => {
    await mkdir(join(config, "upcut"), { recursive: true });
    await writeFile(file(), "{", { mode: 0o600 });
    expect(await cli(["whoami"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("it is damaged"),
    });
    for (const mode of [0o640, 0o604]) {
      await login();
      await chmod(file(), mode);
      expect(await cli(["whoami"])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("others can read"),
      });
    }
    await login();
    expect(JSON.parse(await readFile(file(), "utf8"))).toEqual({
      url: service.baseUrl,
      token: service.token,
    });
    expect(await cli(["whoami", "--json"])).toMatchObject({ code: 0 });
  });
});

test("upcut whoami finds the path of a service that has its calls under a prefix", async () => {
  await service.set({ streamPrefix: "/api" });
  const right = { UPCUT_URL: service.baseUrl, UPCUT_TOKEN: service.token };
  expect(await cli(["whoami"], right)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("set UPCUT_TERMINATE_PATH=/api/stream/{id}/terminate"),
  });
  expect(await cli(["whoami"], { ...right, UPCUT_TOKEN: WRONG })).toMatchObject(REFUSED);
  await service.set({ streamPrefix: "/elsewhere" });
  const unknown = await cli(["whoami"], right);
  expect(unknown).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(
      /didn't tell whether it accepts the token.*set UPCUT_TERMINATE_PATH to its path, such as/,
    ),
  });
});

describe("a service that says the same of whatever it doesn't have", () => {
  const PREFIXED = "/api/stream/{id}/terminate";
  beforeEach(() => service.set({ streamPrefix: "/api", saysNotFound: true, assetCall: true }));

  test("is connected by upcut login, which stores the paths of its calls", async () => {
    expect((await login()).stdout).toBe(
      `The service accepts the token. Stored in ${file()}, for you alone, with ${PREFIXED} and /api/asset/{id}\n`,
    );
    expect(JSON.parse(await readFile(file(), "utf8"))).toMatchObject({
      paths: { terminate: PREFIXED, asset: "/api/asset/{id}" },
    });
    expect(await cli(["whoami"])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/The service accepts the token\n$/),
    });
    expect(await cli(["status", "nobody"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("404: asset not found"),
    });
    expect(await cli(["terminate", "launch-stream"])).toMatchObject({ code: 0 });
    expect((await service.requests("DELETE")).at(-1)).toMatchObject({
      path: "/api/stream/launch-stream/terminate",
      status: 204,
    });
    // The paths are those of one address.
    expect(await cli(["status", "a"], { UPCUT_URL: "http://video.example", UPCUT_TOKEN: "a" })).toMatchObject(
      {
        code: 2,
        stderr: expect.stringContaining("set UPCUT_ASSET_PATH"),
      },
    );
  });

  test("has a stream ended in one command, also where only the documented path was known", async () => {
    await service.set({ streamPrefix: "", saysNotFound: false, assetCall: false });
    await login();
    await service.set({ streamPrefix: "/api", saysNotFound: true });
    expect(await cli(["terminate", "launch-stream"])).toMatchObject({ code: 0 });
    expect(JSON.parse(await readFile(file(), "utf8"))).toMatchObject({ paths: { terminate: PREFIXED } });
    expect(await cli(["terminate", "nobody"])).toMatchObject(REFUSED_STREAM);
  });
});

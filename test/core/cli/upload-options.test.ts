/** Options of `upload` that other programs have, too. */
import { readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { useService } from "../../service/use-service.ts";
import { MiB, writeContent } from "../../support/content.ts";
import { serveVideo } from "../../support/hosts/video-server.ts";
import { startCliHere } from "../../support/programs/run-here.ts";
import { useFolder } from "../../support/use-folder.ts";

const service = useService();
const folder = useFolder("cli-options");
const journals = useFolder("journal");
let journal = "";
beforeEach(() => {
  journal = join(journals.path, crypto.randomUUID());
});

const at = (name: string) => join(folder.path, name);
const start = (args: string[], more: Record<string, string> = {}) =>
  startCliHere(args, {
    UPCUT_URL: service.baseUrl,
    UPCUT_TOKEN: service.token,
    UPCUT_JOURNAL: journal,
    ...more,
  });
const cli = async (...args: string[]) => await start(args).ended();
let seed = 0;
async function makeVideo(name: string, size = 3000): Promise<string> {
  await writeContent(at(name), size, ++seed);
  return at(name);
}
const isThere = async (path: string) =>
  await stat(path).then(
    () => true,
    () => false,
  );

test("--field passes on further fields, as text and as JSON", async () => {
  const path = await makeVideo("field.mp4");
  const fields = ["description=A = b", 'tags:=[1,"a"]', "empty="].flatMap((field) => ["--field", field]);
  expect(await cli("upload", path, ...fields)).toMatchObject({ code: 0 });
  expect((await service.assets())[0]?.received).toEqual({
    name: "field.mp4",
    description: "A = b",
    tags: [1, "a"],
    empty: "",
  });
  for (const [field, sentence] of [
    ["name=x", "--name"],
    ["a", "it is like"],
    ["a:=x", "is no JSON"],
  ] as const)
    expect(await cli("upload", path, "--field", field)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(sentence),
    });
});

describe("--move", () => {
  const PATHS = { UPCUT_ASSET_PATH: "/api/asset/{id}" };
  const move = async (...args: string[]) => await start(["upload", ...args, "--move"], PATHS).ended();
  beforeEach(() => service.set({ assetCall: true }));

  test("deletes what is proved by its hash, be it there already, and no link", async () => {
    const [first, second, target] = [
      await makeVideo("first.mp4"),
      await makeVideo("second.mp4"),
      await makeVideo("target.mp4"),
    ];
    await symlink(target, at("link.mp4"));
    await cli("upload", second);
    const { code, stderr } = await move(first, second, at("link.mp4"));
    expect(stderr).toContain(`Deleted ${first}\n`);
    expect(stderr).toContain(`Deleted ${second}\n`);
    expect(stderr).toContain(`Not deleted ${at("link.mp4")}: it is a link\n`);
    expect(code).toBe(1);
    expect(await Promise.all([first, second, target, at("link.mp4")].map(isThere))).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });

  test("needs a call that reads an asset, and keeps the file without", async () => {
    const path = await makeVideo("kept.mp4");
    expect(await cli("upload", path, "--move")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--move needs a call of the service that reads an asset"),
    });
    expect(await isThere(path)).toBe(true);
  });

  test("leaves addresses alone", async () => {
    const server = await serveVideo(3000, { seed: 99 });
    expect(await move(server.url)).toMatchObject({ code: 0 });
    await server.close();
  });
});

test("--max-duration pauses, and the same command resumes", async () => {
  const path = await makeVideo("long.mp4", 20 * MiB);
  await service.set({ throttle: 4 * MiB });
  const { code, stderr } = await cli("upload", path, "--max-duration", "2s");
  expect({ code, stderr }).toEqual({
    code: 124,
    stderr: "Paused, as --max-duration says. What was sent is kept: run the same command again to resume\n",
  });
  await service.set({ throttle: 0 });
  expect((await cli("upload", path)).stdout).toMatch(/^Resumed /);
});

test("--max-wait pauses where too many requests are said for longer", async () => {
  const path = await makeVideo("limited.mp4", 2 * MiB);
  await service.set({ answerStatus: [{ host: "upload", status: 429, retryAfter: "60" }] });
  const { code, stderr } = await cli("upload", path, "--max-wait", "5s");
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining("Paused, as --max-wait says. What was sent is kept"),
  });
});

test.each([[], ["--quiet"], ["--json"]])(
  "--log-file adds a line for each outcome, with %j",
  async (...how) => {
    const [log, path] = [at(`log-${how}`), await makeVideo(`logged-${how}.mp4`)];
    await writeFile(log, "before\n");
    const { stdout } = await cli("upload", path, at("missing.mp4"), "--log-file", log, ...how);
    if (how[0] === "--quiet") expect(stdout).toBe("");
    const lines = (await readFile(log, "utf8")).trim().split("\n");
    expect(lines.shift()).toBe("before");
    for (const line of lines) expect(line).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z .*\S/);
    const text = lines.join("\n");
    expect(text).toContain(how[0] === "--json" ? '"event":"uploaded"' : `Uploaded ${path}`);
    expect(text).toContain("there is no such file");
    expect(await cli("upload", path, "--log-file", at("none/log"))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("the --log-file can't be written (ENOENT)"),
    });
  },
);

test("--verbose tells each request, without the upload's address", async () => {
  const path = await makeVideo("verbose.mp4");
  const { stderr } = await cli("upload", path, "--verbose");
  expect(stderr).toMatch(/^POST http:\S+ \(request-upload\): 20\d in \d+ ms/m);
  expect(stderr).toMatch(/^\w+ http:\S+ \((create|content)\): 20\d in \d+ ms, 3\.0 kB of 3\.0 kB$/m);
  for (const [origin = ""] of stderr.matchAll(/http:\/\/\S+/g)) expect(new URL(origin).pathname).toBe("/");
  const { stdout } = await cli("upload", path, "--new", "--verbose", "--json");
  const requests = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
    .filter(({ event }) => event === "request");
  expect(requests.map(({ kind }) => kind)).toContain("request-upload");
  expect(requests[0]).toMatchObject({
    method: "POST",
    status: expect.any(Number),
    milliseconds: expect.any(Number),
  });
});

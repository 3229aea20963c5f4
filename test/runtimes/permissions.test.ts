/** A question that the runtime refuses to answer is one without an answer: nothing ends because of it. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { useService } from "../service/use-service.ts";
import { MiB, writeContent } from "../support/content.ts";
import { useFolder } from "../support/use-folder.ts";
import { DENO_ABILITIES, denoRunner, type Places, useAbility } from "./permissions.ts";

const service = useService({ assetCall: true });
const folder = useFolder("permissions-and-journal");
const SIZE = 2 * MiB;
let sha256 = "";
let places = {} as Places;

beforeAll(async () => {
  const inside = (name: string) => join(folder.path, name);
  sha256 = await writeContent(inside("video.mp4"), SIZE);
  await writeFile(inside("token"), service.token);
  await mkdir(inside("config"));
  places = {
    ADDRESS: service.baseUrl,
    ASSET: "none",
    CONFIG: inside("config"),
    FILE: inside("video.mp4"),
    HOSTS: [service.baseUrl, service.uploadUrl].map((url) => new URL(url).host).join(),
    JOURNAL: inside("journal"),
    PLAYLIST: "",
    PROGRAM: "",
    TOKEN: service.token,
    "TOKEN-FILE": inside("token"),
    VIDEO: "",
    "VIDEO-HOST": "127.0.0.1:9",
  };
});

const abilityNamed = (name: string) => {
  const found = DENO_ABILITIES.find((each) => each.name === name);
  if (found === undefined) throw new Error(`the table has no ${name}`);
  return found;
};

test.each(["openFile() and fileJournal()", "upcut upload"])(
  "%s works in Deno with the flags that it needs, and no other",
  async (name) => {
    const ability = abilityNamed(name);
    const { code, output } = await useAbility(denoRunner(), ability, ability.flags, places);
    expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/\S/) });
    const [{ asset } = { asset: { id: "" } }] = await service.assets();
    expect(output).toContain(asset.id);
    expect(await service.whole(asset.id)).toMatchObject({ sha256 });
  },
);

test("a host that Deno may not connect to is told at once, and nothing is said to be unknown", async () => {
  for (const name of ["calls of a client", "upload() of bytes"]) {
    const { code, output } = await useAbility(denoRunner(), abilityNamed(name), [], places);
    expect(code).toBe(1);
    expect(output).toContain(
      "could not be reached: this program may not connect to it. Nothing was sent. Allow it, as by --allow-net",
    );
  }
});

test("a file that Deno may not read is told in words", async () => {
  const { output } = await useAbility(denoRunner(), abilityNamed("openFile()"), [], places);
  expect(output).toContain('Cannot open "video.mp4": reading it is not allowed');
});

test("a command that needs a folder tells how to name one where the person's own isn't known", async () => {
  const given = { ...abilityNamed("upcut list"), words: ["list"] };
  expect(await useAbility(denoRunner(), given, [], places)).toEqual({
    code: 2,
    output:
      "upcut: the folder of the journal is not known: give --journal, or set UPCUT_JOURNAL. See upcut --help\n",
  });
  expect(await useAbility(denoRunner(), { ...given, words: ["logout"] }, [], places)).toMatchObject({
    code: 2,
    output: expect.stringContaining("the folder of the stored account is not known: set XDG_CONFIG_HOME"),
  });
  expect(await useAbility(denoRunner(), { ...given, words: ["whoami"] }, [], places)).toMatchObject({
    code: 2,
    output: expect.stringContaining("the service's address is not known"),
  });
});

/** The commands `list` and `discard`. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { fileJournal, openFile } from "../../../core/file.ts";
import { accountOf } from "../../../core/service/requester.ts";
import { useService } from "../../service/use-service.ts";
import { MiB, writeContent } from "../../support/content.ts";
import type { CliOutcome } from "../../support/programs/cli-process.ts";
import { startCliHere } from "../../support/programs/run-here.ts";
import { stopUpload } from "../../support/programs/stopped-upload.ts";
import { useFolder } from "../../support/use-folder.ts";

const service = useService();
const folder = useFolder("cli");
const journals = useFolder("journal");
let journal = "";
beforeEach(() => {
  journal = join(journals.path, crypto.randomUUID());
});

const at = (name: string) => join(folder.path, name);
const settings = () => ({
  UPCUT_URL: service.baseUrl,
  UPCUT_TOKEN: service.token,
  UPCUT_JOURNAL: journal,
});
const cli = async (args: string[]) => await startCliHere(args, settings()).ended();

/** Starts an upload of 20 MiB, and stops it once 1 MiB arrived. */
async function pause(args: string[], signal: "SIGINT" | "SIGTERM" = "SIGINT"): Promise<CliOutcome> {
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

async function makeVideo(name: string, seed: number, size = 1000): Promise<string> {
  await writeContent(at(name), size, seed);
  return at(name);
}

test("upcut list says that none is confirmed where the service hasn't told what arrived", async () => {
  const path = await makeVideo("told.mp4", 1, 20 * MiB);
  // More than connections hold by themselves: a request that was handed over whole is waited for.
  const options = { journal: fileJournal(journal), chunkSize: 16 * MiB };
  await stopUpload(service, await openFile(path), options, ({ sent }) => sent > 0, MiB / 4);
  expect((await cli(["list"])).stdout).toContain("  none confirmed of 21.0 MB  ");
  await stopUpload(service, await openFile(path), options, ({ acknowledged }) => acknowledged > 0);
  expect((await cli(["list"])).stdout).toMatch(/ {2}[\d.]+ [kM]B of 21\.0 MB {2}/);
});

test("upcut list and discard tell in a sentence that the journal can't be read", async () => {
  await writeFile(journal, "no folder");
  const failed = {
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(
      /^Cannot use the journal in .*: EEXIST\. Give another folder by --journal, or set UPCUT_JOURNAL\n$/,
    ),
  };
  expect(await cli(["list"])).toEqual(failed);
  expect(await cli(["discard", "--all"])).toEqual(failed);
});

describe("upcut discard", () => {
  test("ends what is listed, by its file, by its key, or all", async () => {
    const paths = await Promise.all(
      ["one", "two", "three"].map((name, at) => makeVideo(`${name}.mp4`, at + 1, 20 * MiB)),
    );
    const [one = "", two = "", three = ""] = paths;
    expect((await pause([one])).code).toBe(130);
    const lines = (await cli(["list"])).stdout;
    expect(lines).toContain(`asset ${(await service.assets())[0]?.asset.id}`);
    expect(lines).toMatch(/^[\da-f]{12} {2}one\.mp4 .* of 21\.0 MB {2}\d+ s old\n$/);
    expect((await pause([two], "SIGTERM")).code).toBe(143);
    await pause([three]);
    const listed = await fileJournal(journal).list();
    const byFile = await cli(["discard", one]);
    expect(byFile).toMatchObject({ code: 0, stdout: expect.stringContaining("stays in the account") });
    const key = listed.find(({ name }) => name === "two.mp4")?.journalKey ?? "";
    const byKey = await cli(["discard", key.slice(0, 12), "--json"]);
    expect(JSON.parse(byKey.stdout)).toMatchObject({ event: "discarded", what: "two.mp4", ended: 1 });
    expect((await fileJournal(journal).list()).map(({ name }) => name)).toEqual(["three.mp4"]);
    expect((await cli(["discard", "--all"])).code).toBe(0);
    expect(await cli(["list"])).toMatchObject({ code: 0, stdout: "", stderr: "Nothing is unfinished\n" });
    expect((await service.requests("DELETE")).filter(({ status }) => status === 204)).toHaveLength(3);
  });

  test("tells what isn't there", async () => {
    const { code, stderr } = await cli(["discard", "0123456789ab"]);
    const sentence = "no unfinished upload has this key. upcut list shows their keys";
    expect({ code, stderr }).toEqual({ code: 1, stderr: `Failed 0123456789ab: ${sentence}\n` });
    expect((await cli(["discard", at("gone.mp4")])).stderr).toContain("there is no such file");
    const none = await cli(["discard", await makeVideo("never.mp4", 1)]);
    expect(none).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("This account has no unfinished upload"),
    });
  });
});

test("upcut list and discard --all leave out what belongs to another address or token", async () => {
  const [own, others] = ["a", "b"].map((sign) => sign.repeat(64)) as [string, string];
  const record = {
    method: "resumable",
    asset: { id: "asset-1" },
    mismatches: [],
    source: { name: "of.mp4" },
  } as const;
  const account = await accountOf(await service.client().scope());
  const store = fileJournal(journal);
  await store.set(own, { version: 1, uploads: { c: { ...record, account } } });
  await store.set(others, {
    version: 1,
    uploads: { d: { ...record, account: "other" } },
    requested: ["other.e"],
  });
  expect(await cli(["list"])).toEqual({
    code: 0,
    stdout: `${own.slice(0, 12)}  of.mp4  asset asset-1  none confirmed so far\n`,
    stderr: "Left out: 2 of other addresses or tokens. upcut list --all shows them\n",
  });
  const { stdout } = await cli(["list", "--all"]);
  expect(stdout.split("\n")).toHaveLength(4);
  expect(stdout).toContain(`${others.slice(0, 12)}  its asset was asked for, and no answer came`);
  // Nobody knows whose they are.
  expect((await startCliHere(["list"], { UPCUT_JOURNAL: journal }).ended()).stdout).toBe(stdout);
  const malformed = { UPCUT_URL: "video.example", UPCUT_TOKEN: "a-token", UPCUT_JOURNAL: journal };
  expect(await startCliHere(["list"], malformed).ended()).toEqual({
    code: 0,
    stdout,
    stderr: expect.stringContaining('UPCUT_URL, or --url) is wrong: it is "video.example"'),
  });
  // Two have the name, and one of them is this account's.
  expect((await cli(["discard", "of.mp4"])).stdout).toBe(
    "Discarded of.mp4. Asset asset-1 stays in the account\n",
  );
  const nothing = { code: 0, stdout: "", stderr: "Nothing of this account is unfinished\n" };
  expect(await cli(["discard", "--all"])).toEqual(nothing);
  expect((await store.list()).map(({ journalKey }) => journalKey)).toEqual([others, others]);
});

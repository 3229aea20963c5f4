/** Claims of a journal in a folder: who may still be there. */
import { link, mkdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { claimsOf, claimText, someHeld } from "../../../core/disk/claim.ts";
import { removeObserved } from "../../../core/disk/observation.ts";
import { fileJournal } from "../../../core/file.ts";
import { useFolder } from "../../support/use-folder.ts";

const TIMEOUT = 60_000;
/** No process has this number. */
const GONE = 2 ** 30;
const scratch = useFolder("claim");
let number = 0;

async function folderWith(files: Record<string, string>): Promise<string> {
  const folder = join(scratch.path, `${++number}`);
  await mkdir(folder, { mode: 0o700 });
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

async function isHeld(text: string, age = 0): Promise<boolean> {
  const folder = await folderWith({ "key.1.claim": text });
  const date = new Date(Date.now() - age);
  await utimes(join(folder, "key.1.claim"), date, date);
  return await someHeld(folder, await claimsOf(folder, "key"), TIMEOUT);
}

test("claimsOf() gives the claims of one key, the newest last", async () => {
  const names = [
    "key.10.claim",
    "key.9.claim",
    "key.1x.claim",
    "key..claim",
    "key.1.claim.old",
    "other.1.claim",
  ];
  const folder = await folderWith(Object.fromEntries(names.map((name) => [name, ""])));
  expect(await claimsOf(folder, "key")).toEqual([
    { name: "key.9.claim", key: "key", generation: 9 },
    { name: "key.10.claim", key: "key", generation: 10 },
  ]);
  await removeObserved(folder, "key.9.claim");
  expect((await claimsOf(folder, "key")).map(({ generation }) => generation)).toEqual([10]);
});

test("a claim of a process that is gone is taken over, and removed", async () => {
  const gone = JSON.stringify({ ...JSON.parse(claimText("a")), process: GONE });
  const folder = await folderWith({ "key.1.claim": gone });
  const lease = await fileJournal(folder).claim("key");
  expect(await claimsOf(folder, "key")).toEqual([{ name: "key.2.claim", key: "key", generation: 2 }]);
  await lease?.();
});

describe("someHeld()", () => {
  const claim = (more: object) => JSON.stringify({ ...JSON.parse(claimText("a")), process: GONE, ...more });

  test("is true of a process that runs here, and not of one that is gone or gives no sign of life", async () => {
    expect(await isHeld(claimText("a"), TIMEOUT - 10_000)).toBe(true);
    expect(await isHeld(claimText("a"), TIMEOUT + 1)).toBe(false);
    expect(await isHeld(claim({}))).toBe(false);
  });

  test("is true of a recent claim whose process cannot be looked up here", async () => {
    for (const text of ["", "no JSON", "7", claim({ host: "elsewhere" }), claim({ namespace: "pid:[1]" })])
      expect(await isHeld(text)).toBe(true);
    for (const process of ["7", 0, -1, 1.5, 2 ** 60]) expect(await isHeld(claim({ process }))).toBe(true);
  });

  test("is true of a claim that took the place of one of the same size and date", async () => {
    const folder = await folderWith({});
    const isHeldBy = async (id: string) => {
      await writeFile(join(folder, "key.1.claim"), claim({ host: "elsewhere", id }));
      await utimes(join(folder, "key.1.claim"), 1, 1);
      return await someHeld(folder, await claimsOf(folder, "key"), TIMEOUT);
    };
    expect(await isHeldBy("a")).toBe(true);
    await utimes(join(folder, "key.1.seen"), 1, 1);
    expect([await isHeldBy("a"), await isHeldBy("b")]).toEqual([false, true]);
  });

  test("is false of all claims of a process, once one was found abandoned", async () => {
    const text = claim({ host: "elsewhere", id: crypto.randomUUID() });
    const folder = await folderWith({ "key.1.claim": text });
    await link(join(folder, "key.1.claim"), join(folder, "other.1.claim"));
    const held = async (key: string) => await someHeld(folder, await claimsOf(folder, key), TIMEOUT);
    expect(await held("key")).toBe(true);
    await utimes(join(folder, "key.1.seen"), 1, 1);
    expect([await held("key"), await held("other")]).toEqual([false, false]);
    // A sign of life.
    await utimes(join(folder, "key.1.claim"), 1, 1);
    expect([await held("key"), await held("other")]).toEqual([true, true]);
  });

  test("reads no more than 4096 bytes of a claim", async () => {
    const sized = (size: number) => claim({ id: "a".repeat(size - claim({ id: "" }).length) });
    expect(await isHeld(sized(4096))).toBe(false);
    expect(await isHeld(sized(4097))).toBe(true);
  });

  test("is false of no claims, and of one that is gone by now", async () => {
    const folder = await folderWith({});
    expect(await someHeld(folder, [], TIMEOUT)).toBe(false);
    expect(await someHeld(folder, [{ name: "key.1.claim", key: "key", generation: 1 }], TIMEOUT)).toBe(false);
  });
});

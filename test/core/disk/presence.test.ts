/** Leases of one process in a folder. */
import { readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { claimText } from "../../../core/disk/claim.ts";
import { fileJournal } from "../../../core/file.ts";
import { useFolder } from "../../support/use-folder.ts";

const LEASE = 3000;
const journals = useFolder("presence");
const newJournal = () => join(journals.path, crypto.randomUUID());
const open = (path: string) => fileJournal(path, { leaseTimeout: LEASE });
const passTime = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds);
const claimsIn = async (path: string) => (await readdir(path)).filter((name) => name.endsWith(".claim"));
const HOUR = 60 * 60 * 1000;
afterEach(() => {
  vi.useRealTimers();
});

test("a lease shares its sign of life with the others of the process, and not its name", async () => {
  const path = newJournal();
  const [one, two] = [await open(path).claim("one"), await open(path).claim("two")];
  const files = ["one.1.claim", "two.1.claim"].map((name) => join(path, name));
  expect(new Set(await Promise.all(files.map(async (file) => (await stat(file)).ino))).size).toBe(1);
  await utimes(join(path, "one.1.claim"), 1, 1);
  passTime(1_000);
  expect(await two?.isHeld?.()).toBe(true);
  for (const file of files) expect((await stat(file)).mtimeMs).toBeGreaterThan(1_000);
  // Taken over and ended by another process, then leased once more by this one.
  await rm(join(path, "one.1.claim"));
  const again = await open(path).claim("one");
  passTime(1_000);
  expect(await Promise.all([one, again].map((lease) => lease?.isHeld?.()))).toEqual([false, true]);
  await one?.();
  expect(await claimsIn(path)).toEqual(["one.1.claim", "two.1.claim"]);
  await two?.();
  await again?.();
  expect(await readdir(path)).toEqual([]);
});

test("what a killed process had claimed for writing is cleared away when a journal is opened", async () => {
  const path = newJournal();
  const lease = await open(path).claim("held");
  // No process has this number.
  const text = claimText("gone").replace(/"process":\d+/, `"process":${2 ** 30}`);
  for (const name of ["one.done.write.1.claim", "one.write.7.claim", "slot.1.claim"])
    await writeFile(join(path, name), text);
  const others = ["other.write.1.claim", "unknown.write.1.claim"];
  await writeFile(join(path, "other.write.1.claim"), text.replace(/"host":"/, "$&not-"));
  await writeFile(join(path, "unknown.write.1.claim"), "");
  await open(path).list();
  expect((await claimsIn(path)).sort()).toEqual(["held.1.claim", "slot.1.claim", ...others].sort());
  await lease?.();
});

test("a lease is held where the clock of the folder is behind that of this machine", async () => {
  const path = newJournal();
  passTime(HOUR);
  const lease = await open(path).claim("key");
  expect(await open(path).claim("key")).toBeUndefined();
  await lease?.();
});

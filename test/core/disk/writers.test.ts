/** Entries that the uploads of a process store again and again, and who may write them meanwhile. */
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fileJournal } from "../../../core/file.ts";
import type { JournalEntry, UploadRecord } from "../../../core/journal/journal.ts";
import { openSlot } from "../../../core/journal/slot.ts";
import { useFolder } from "../../support/use-folder.ts";

const journals = useFolder("writers");
const newJournal = () => join(journals.path, crypto.randomUUID());

const key = "0f".repeat(32);
const address = (letter: string) => ({ key, account: "cc".repeat(8), context: letter.repeat(64) });
const record = (id: string): UploadRecord => ({
  ...{ method: "resumable", asset: { id }, mismatches: [] },
  location: "https://upload.example/tus",
});
const idsIn = async (path: string) => {
  const { uploads = {} } = ((await fileJournal(path).get(key)) ?? {}) as Partial<JournalEntry>;
  return Object.values(uploads).map(({ asset }) => asset.id);
};

test("an upload stores its entry again in the room of one file, and leaves nothing once it is forgotten", async () => {
  const path = newJournal();
  const slot = await openSlot(fileJournal(path), address("a"));
  await slot.noteRequest();
  const file = join(path, `${key}.json`);
  const { ino, size } = await stat(file);
  const names = await readdir(path);
  // The note has brought room for the record.
  await slot.reserve();
  expect(await readdir(path)).toEqual(names);
  for (const id of ["one", "two", "three"]) {
    await slot.save(record(id));
    // Others read it at once.
    expect(await idsIn(path)).toEqual([id]);
    expect(await stat(file)).toMatchObject({ ino, size });
  }
  await slot.forget();
  expect(await idsIn(path)).toEqual([]);
  await slot.save(record("four"));
  expect(await idsIn(path)).toEqual(["four"]);
  await slot.forget();
  await slot.release();
  expect(await readdir(path)).toEqual([]);
});

test("an upload that stays unfinished leaves its entry as one text, which earlier versions read, and no room", async () => {
  const path = newJournal();
  const file = join(path, `${key}.json`);
  const entryOf = async () => {
    const text = await readFile(file, "utf8");
    expect(text).toBe(text.trim());
    return JSON.parse(text);
  };
  const journal = fileJournal(path);
  const slot = await openSlot(journal, address("a"));
  await slot.noteRequest();
  await slot.save(record("one"));
  await slot.save(record("two"));
  await expect(entryOf()).rejects.toThrow();
  await slot.release();
  expect(await entryOf()).toMatchObject({ uploads: { [address("a").context]: record("two") } });
  const again = await openSlot(journal, address("a"));
  await again.save(record("three"));
  await again.release();
  expect(await entryOf()).toMatchObject({ uploads: { [address("a").context]: record("three") } });
  expect(await readdir(path)).toEqual([`${key}.json`]);
});

test("uploads of one source store their records side by side, by journals of their own and by one", async () => {
  const path = newJournal();
  const journal = fileJournal(path);
  const all = [journal, journal, fileJournal(path), fileJournal(path)];
  const slots = await Promise.all(all.map((each, index) => openSlot(each, address("abcd"[index] ?? ""))));
  for (let round = 0; round < 5; round++)
    await Promise.all(slots.map((slot, index) => slot.save(record(`${index} ${round}`))));
  expect((await idsIn(path)).sort()).toEqual(["0 4", "1 4", "2 4", "3 4"]);
  expect(slots.map(({ isCurrent }) => isCurrent)).toEqual([true, true, true, true]);
  await Promise.all(slots.map(async (slot) => await slot.forget().then(slot.release)));
  expect(await readdir(path)).toEqual([]);
});

test("what is read without a lease meanwhile leaves the room alone", async () => {
  const path = newJournal();
  const journal = fileJournal(path);
  const slot = await openSlot(journal, address("a"));
  for (let round = 0; round < 30; round++) {
    const reading = Promise.all([1, 2, 3].map(() => journal.get(key)));
    await slot.save(record(`${round}`));
    await reading;
    expect(await idsIn(path)).toEqual([`${round}`]);
  }
  await slot.forget();
  await slot.release();
  expect(await readdir(path)).toEqual([]);
});

test("an entry whose folder is emptied between two writes is stored whole again", async () => {
  const path = newJournal();
  const slot = await openSlot(fileJournal(path), address("a"));
  await slot.save(record("one"));
  await fileJournal(path).delete(key);
  await slot.save(record("two"));
  expect(await idsIn(path)).toEqual(["two"]);
  await slot.release();
});

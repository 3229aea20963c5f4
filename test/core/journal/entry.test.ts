/** What a journal in a folder reads, and what it refuses: rights, owners, dates and shapes. */
import {
  chmod,
  chown,
  link,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fileJournal } from "../../../core/file.ts";
import type { JournalEntry } from "../../../core/journal/journal.ts";
import { discard, journalKey, memoryJournal, type UploadOptions, upload } from "../../../core/mod.ts";
import { useService } from "../../service/use-service.ts";
import { caught } from "../../support/caught.ts";
import { content, MiB, sha256 } from "../../support/content.ts";
import { MARKER } from "../../support/marker.ts";
import { stopUpload } from "../../support/programs/stopped-upload.ts";
import { useFolder } from "../../support/use-folder.ts";

const DAY = 24 * 60 * 60 * 1000;
const entry: JournalEntry = { version: 1, uploads: {} };
const service = useService();
const journals = useFolder("journal");

const newFolder = async (mode = 0o700) => {
  const path = join(journals.path, crypto.randomUUID());
  await mkdir(path);
  await chmod(path, mode);
  return path;
};
const modeOf = async (path: string) => (await stat(path)).mode & 0o7777;
const bytes = content(2 * MiB);
const video = () => new File([bytes], "video.mp4", { type: "video/mp4", lastModified: 1 });
const options = { method: "resumable", timeout: { settle: 50 } } as const;

/** Moves the dates of files by so many milliseconds, as if they had been written then. */
async function redate(files: string[], by: number): Promise<void> {
  for (const file of files) {
    const date = new Date((await stat(file)).mtimeMs + by);
    await utimes(file, date, date);
  }
}

/** Begins an upload and stops it, so that its record is stored. */
const begin = (journal: ReturnType<typeof fileJournal>, more: UploadOptions = {}) =>
  stopUpload(service, video(), { ...options, journal, ...more }, ({ sent }) => sent > MiB / 2);

describe("the folder of fileJournal()", () => {
  test.each(["777", "750", "701"])("is narrowed to its owner's rights from %s", async (rights) => {
    const mode = Number.parseInt(rights, 8);
    const path = await newFolder(mode);
    await writeFile(join(path, "key.json"), JSON.stringify(entry), { mode: 0o644 });
    expect(await fileJournal(path).get("key")).toEqual(entry);
    expect(await modeOf(path)).toBe(mode & 0o700);
  });

  test.each<[string, number, string[]]>([
    ["that holds other files too", 0o755, ["notes.txt"]],
    ["that is shared by all for temporary files", 0o1777, []],
  ])("is refused and left as it is where it is one %s", async (_, mode, names) => {
    const path = await newFolder(mode);
    for (const name of names) await writeFile(join(path, name), "");
    const journal = fileJournal(path);
    const calls = [
      () => journal.get("key"),
      () => journal.set("key", entry),
      () => journal.claim("key"),
      async () => journal.reserve?.("key"),
    ];
    for (const call of calls) {
      const error = await caught(call());
      expect(error).toMatchObject({ name: "UploadError", code: "journal-failed" });
      expect(error.message).toMatch(/^Cannot use the journal: its folder is open to other users, .*[^.]$/);
      expect(error.message).not.toContain(path);
    }
    expect(await modeOf(path)).toBe(mode);
    expect(await readdir(path)).toEqual(names);
    expect(await caught(upload(service.client(), video(), { journal }))).toMatchObject({
      code: "journal-failed",
    });
    expect(await caught(discard(service.client(), video(), { journal }))).toMatchObject({
      code: "journal-failed",
    });
    expect(await service.assets()).toEqual([]);
  });
});

test("an evening under a clock of the year 2000 makes no second asset, that day or later", async () => {
  const path = await newFolder();
  const open = () => fileJournal(path);
  const videos = [1, 2, 3].map(
    (seed) => new File([content(1000, seed)], `${seed}.mp4`, { type: "video/mp4", lastModified: seed }),
  );
  const send = async (source: File) =>
    await upload(service.client(), source, { ...options, journal: open(), once: true });
  for (const each of videos.slice(1)) await send(each);
  await begin(open(), { once: true });
  // As that clock has it, all of this is to come.
  const century = 26 * 365 * DAY;
  const all = async () =>
    (await readdir(path, { recursive: true }))
      .filter((name) => /json$/.test(name))
      .map((name) => join(path, name));
  await redate(await all(), century);
  for (const each of videos) await send(each);
  expect(await upload(service.client(), video(), { ...options, journal: open(), once: true })).toMatchObject({
    resumed: true,
  });
  // Back at its own time.
  await redate(await all(), -century);
  for (const each of [...videos, video()]) expect(await send(each)).toMatchObject({ uploadedBefore: true });
  expect(await service.assets()).toHaveLength(4);
});

test("a finished upload that is seen again is remembered from then on", async () => {
  const path = await newFolder();
  const send = async () =>
    await upload(service.client(), video(), { ...options, journal: fileJournal(path), once: true });
  await send();
  const [name = ""] = await readdir(join(path, ".done"));
  const file = join(path, ".done", name);
  const stored = await readFile(file, "utf8");
  await writeFile(file, stored.replace(/"doneAt":\d+/, `"doneAt":${Date.now() - 89 * DAY}`));
  await redate([file], -89 * DAY);
  expect(await send()).toMatchObject({ uploadedBefore: true });
  expect(Date.now() - (await stat(file)).mtimeMs).toBeLessThan(DAY);
  const before = await readFile(file, "utf8");
  await send();
  // Not with each look.
  expect(await readFile(file, "utf8")).toBe(before);
});

describe("an entry of fileJournal()", () => {
  test.each([1, 7])("that was written more than %i days ago is forgotten", async (days) => {
    const path = await newFolder();
    // Seven are the default.
    const lifetimes = days === 7 ? {} : { maxAge: days * DAY };
    const find = () => fileJournal(path, lifetimes).get("key");
    await fileJournal(path, lifetimes).set("key", entry);
    const untouched = join(path, "other.json");
    await writeFile(untouched, "{}");
    await redate([join(path, "key.json"), untouched], -(days - 0.01) * DAY);
    expect(await find()).toEqual(entry);
    await redate([join(path, "key.json"), untouched], -0.02 * DAY);
    expect(await find()).toBeUndefined();
    expect(await readdir(path)).toEqual([]);
  });

  test("is swept with what else is too old: damaged ones, finished ones, room and notes", async () => {
    const path = await newFolder();
    const lifetimes = { maxAge: DAY, keepDoneFor: 3 * DAY };
    await fileJournal(path, lifetimes).set("old.done", entry);
    await fileJournal(path, lifetimes).set("young.done", entry);
    const names = ["a.json.damaged", "a.json.tmp", "a.1.seen", "a.1.claim"];
    for (const name of names) await writeFile(join(path, name), "{}");
    await redate(
      names.map((name) => join(path, name)),
      -2 * DAY,
    );
    const done = (name: string) => join(path, ".done", `${name}.done.json`);
    await redate([done("old")], -4 * DAY);
    await redate([done("young")], -2 * DAY);
    await fileJournal(path, lifetimes).list();
    expect((await readdir(path)).sort()).toEqual([".done", "a.1.claim"]);
    expect(await readdir(join(path, ".done"))).toEqual(["young.done.json"]);
  });

  test.each([2, 30_000])(
    "that is dated %i days in the future is forgotten once it was seen for its time",
    async (days) => {
      const path = await newFolder();
      const forgotten: unknown[] = [];
      const open = () =>
        fileJournal(path, { maxAge: DAY, onForget: (uploads) => forgotten.push(...uploads) });
      const location = `https://upload.example/tus?token=${MARKER}`;
      const record = { method: "resumable", asset: { id: "asset-1" }, mismatches: [], location } as const;
      const begun = { version: 1, uploads: { one: record } };
      await open().set("key", begun);
      await open().set("key.done", entry);
      await redate([join(path, "key.json"), join(path, ".done", "key.done.json")], days * DAY);
      expect(await open().get("key")).toEqual(begun);
      expect(await readFile(join(path, "key.json.seen"), "utf8")).not.toContain(MARKER);
      await redate([join(path, "key.json.seen")], -2 * DAY);
      const journal = open();
      expect(await journal.get("key")).toBeUndefined();
      // What is finished holds no location, and a date in the future is no age.
      expect(await journal.get("key.done")).toEqual(entry);
      expect(forgotten).toMatchObject([{ journalKey: "key", assetId: "asset-1" }]);
      expect(JSON.stringify(forgotten)).not.toContain(MARKER);
      expect(await readdir(path)).toEqual([".done"]);
    },
  );

  test("that is dated in the future leaves nothing of it when it is deleted", async () => {
    const path = await newFolder();
    await fileJournal(path).set("key", entry);
    await redate([join(path, "key.json")], 2 * DAY);
    const journal = fileJournal(path);
    await journal.get("key");
    expect(await readdir(path)).toContain("key.json.seen");
    await journal.delete("key");
    expect(await readdir(path)).toEqual([]);
  });

  test("keeps its own date beside one that is dated in the future", async () => {
    const path = await newFolder();
    await fileJournal(path).set("old", entry);
    await fileJournal(path).set("wrong", entry);
    await redate([join(path, "wrong.json")], 2 * DAY);
    await fileJournal(path).set("new", entry);
    expect((await stat(join(path, "new.json"))).mtimeMs).toBeLessThan(Date.now() + DAY);
  });

  test("of a finished upload lies in a folder of its own, since each lease lists the other one", async () => {
    const path = await newFolder();
    await fileJournal(path).set("key.done", entry);
    expect(await readdir(path)).toEqual([".done"]);
    expect(await modeOf(join(path, ".done"))).toBe(0o700);
  });

  test("of a finished upload is found where earlier versions kept it, for as long, and forgotten there", async () => {
    const path = await newFolder();
    const journal = fileJournal(path, { maxAge: DAY });
    await journal.set("key.done", entry);
    const old = join(path, "key.done.json");
    await rename(join(path, ".done", "key.done.json"), old);
    const date = new Date(Date.now() - 2 * DAY);
    await utimes(old, date, date);
    for (const each of [journal, fileJournal(path, { maxAge: DAY })]) {
      expect(await each.list()).toEqual([]);
      expect(await each.get("key.done")).toEqual(entry);
    }
    await journal.set("key.done", entry);
    await journal.delete("key.done");
    expect(await journal.get("key.done")).toBeUndefined();
  });

  /** What stands under an entry's name instead of a file of this user's. */
  const strangers: Record<string, (file: string) => Promise<void>> = {
    "a link to a file": async (file) => {
      await writeFile(`${file}.damaged`, JSON.stringify(entry));
      await symlink(`${file}.damaged`, file);
    },
    "a link to nothing": (file) => symlink(`${file}.nothing`, file),
    "a folder": async (file) => {
      await mkdir(file);
      await writeFile(join(file, "inner"), "");
    },
    ...(process.getuid?.() === 0 && {
      "another user's": async (file) => {
        await writeFile(file, JSON.stringify(entry));
        await chown(file, 12345, 12345);
      },
      "another user's with a second name": async (file) => {
        await writeFile(`${file}.damaged`, JSON.stringify(entry));
        await chown(`${file}.damaged`, 12345, 12345);
        await link(`${file}.damaged`, file);
      },
    }),
  };

  test.each(Object.entries(strangers))("that is %s is not read, and replaced on demand", async (_, make) => {
    for (const replaced of [entry, undefined]) {
      const path = await newFolder();
      const journal = fileJournal(path);
      const target = join(path, "key.json.damaged");
      await make(join(path, "key.json"));
      const before = await readFile(target, "utf8").catch(() => undefined);
      const error = await caught(journal.get("key"));
      expect(error).toMatchObject({ name: "UploadError", code: "journal-failed", retryable: false });
      expect(error.message).toContain("a link or another user's, and was not read");
      if (replaced === undefined) await journal.delete("key");
      else await journal.set("key", replaced);
      expect(await journal.get("key")).toEqual(replaced);
      expect(await readFile(target, "utf8").catch(() => undefined)).toBe(before);
    }
  });
});

// slot.test.ts has other shapes, and what is no record.
test("an entry of another shape is left alone until it is replaced", async () => {
  const shape = '{"version":2,"uploads":{}}';
  const path = await newFolder();
  const file = join(path, `${await journalKey(video())}.json`);
  const journal = fileJournal(path);
  await writeFile(file, shape);
  const error = await caught(upload(service.client(), video(), { ...options, journal }));
  expect(error).toMatchObject({ name: "UploadError", code: "journal-failed" });
  expect(error.message).toContain("has another shape");
  expect(error.message).toContain("Upload with resume: false, or discard() it");
  expect(await readFile(file, "utf8")).toBe(shape);
  expect(await service.assets()).toEqual([]);

  await begin(journal, { resume: false });
  const { resumed, asset } = await upload(service.client(), video(), { ...options, journal });
  expect(resumed).toBe(true);
  expect((await service.whole(asset.id)).sha256).toBe(sha256(bytes));
  expect(await readdir(path)).toEqual([]);

  await writeFile(file, shape);
  expect(await discard(service.client(), video(), { journal })).toEqual({ assets: [], ended: 0 });
  expect(await readdir(path)).toEqual([]);
});

describe("a bad record among good ones", () => {
  // slot.test.ts has what else is no record.
  const bad = { method: "resumable", asset: { id: "a" }, mismatches: [], uploadUrl: "file:///a" };

  /** Two uploads that were begun, of which the first one's record is another by now. */
  async function beginAndBreak(path: string) {
    const journal = fileJournal(path);
    await begin(journal, { name: "One" });
    await begin(journal, { name: "Two" });
    const key = (await journalKey(video())) ?? "";
    const stored = (await journal.get(key)) as JournalEntry | undefined;
    const uploads = Object.entries(stored?.uploads ?? {});
    const [context = ""] = uploads.find(([, { asset }]) => asset.name === "One") ?? [];
    expect(context).not.toBe("");
    const file = join(path, `${key}.json`);
    // As text, since a program can hardly write such a name.
    const others = `"bad":${JSON.stringify(bad)},"__proto__":${JSON.stringify(bad)},"constructor":null,`;
    const entry = { ...stored, requested: [5, null], uploads: { ...stored?.uploads, [context]: bad } };
    await writeFile(file, JSON.stringify(entry).replace('"uploads":{', `"uploads":{${others}`));
    const again = (name: string, resume = true) =>
      upload(service.client(), video(), { ...options, name, journal, resume });
    return { journal, key, context, again };
  }

  test("is left alone, hides none of them, and blocks its own upload", async () => {
    const path = await newFolder();
    const { journal, key, context, again } = await beginAndBreak(path);
    expect(await caught(again("One"))).toMatchObject({
      code: "journal-failed",
      message: expect.stringContaining("its record of this upload has another shape"),
    });
    const { resumed, asset } = await again("Two");
    expect(resumed).toBe(true);
    expect((await service.whole(asset.id)).sha256).toBe(sha256(bytes));
    // What could not be read is still there, for whoever can.
    const unread = { bad, ["__proto__"]: bad, constructor: null, [context]: bad };
    const stored = (await journal.get(key)) as JournalEntry | undefined;
    expect(Object.entries(stored?.uploads ?? {})).toEqual(Object.entries(unread));
    expect((await again("One", false)).resumed).toBe(false);
    expect((await discard(service.client(), video(), { journal })).assets).toEqual([]);
    expect(await readdir(path)).toEqual([]);
  });

  test("goes with the others by discard()", async () => {
    const path = await newFolder();
    const { journal, again } = await beginAndBreak(path);
    const { assets, ended } = await discard(service.client(), video(), { journal });
    expect([assets.length, ended]).toEqual([1, 1]);
    expect((await again("One")).resumed).toBe(false);
    expect(await readdir(path)).toEqual([]);
  });
});

test("discard() and resume: false pass a damaged entry, which is kept under another name", async () => {
  for (const pass of ["resume: false", "discard()"]) {
    const path = await newFolder();
    const journal = fileJournal(path);
    const key = (await journalKey(video())) ?? "";
    await writeFile(join(path, `${key}.json`), '{"version":1,"upl');
    if (pass === "discard()") await discard(service.client(), video(), { journal });
    else await upload(service.client(), video(), { ...options, journal, resume: false });
    expect(await readdir(path)).toEqual([`${key}.json.damaged`]);
    await rm(path, { recursive: true });
  }
});

test("a journal that fails is passed by nothing", async () => {
  const journal = {
    ...memoryJournal(),
    get: async () => {
      throw Object.assign(new Error(MARKER), { code: "EIO" });
    },
  };
  const calls = [
    () => upload(service.client(), video(), { ...options, journal, resume: false }),
    () => discard(service.client(), video(), { journal }),
  ];
  for (const call of calls)
    expect(await caught(call())).toMatchObject({
      code: "journal-failed",
      message: "Cannot read the journal: EIO",
      retryable: true,
    });
  expect(await service.assets()).toEqual([]);
});

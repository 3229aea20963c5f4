import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeEach, describe, expect, test } from "vitest";
import {
  closeRoom,
  draftOf,
  listedEntry,
  makeRoom,
  type Room,
  readEntryFile,
  writeNext,
  writeWhole,
  writeWithRoom,
} from "../../../core/disk/entry-file.ts";
import { caught } from "../../support/caught.ts";
import { inNode } from "../../support/in-all.ts";
import { useFolder } from "../../support/use-folder.ts";

const folder = useFolder("durable");
const script = fileURLToPath(new URL("../../support/programs/write-entry.ts", import.meta.url));

const readable = { maxAge: 60_000, owner: async () => process.getuid?.() ?? 0 };
let [own, file] = ["", ""];
beforeEach(async () => {
  own = join(folder.path, crypto.randomUUID());
  file = join(own, "entry.json");
  await mkdir(own);
});

describe("readEntryFile()", () => {
  test("gives an entry, and nothing where there is none, or where it is too old", async () => {
    expect(await readEntryFile(file, readable)).toBeUndefined();
    await writeFile(file, '{"version":1}');
    expect(await readEntryFile(file, readable)).toEqual({ version: 1 });
    const minutesAgo = new Date(Date.now() - 120_000);
    await utimes(file, minutesAgo, minutesAgo);
    expect(await readEntryFile(file, readable)).toBeUndefined();
    expect(await readdir(own)).toEqual([]);
  });

  test.each(["", "{", "null"])("renames a file of %j, which a list leaves as it is", async (text) => {
    await writeFile(file, text);
    expect((await listedEntry(file, readable)) ?? undefined).toBeUndefined();
    const error = await caught(readEntryFile(file, readable));
    expect(error).toMatchObject({ code: "journal-failed", message: expect.stringContaining("is damaged") });
    expect(await readdir(own)).toEqual(["entry.json.damaged"]);
  });

  test("reads no link, no folder, and no file of another user", async () => {
    const real = join(own, "real.json");
    await writeFile(real, '{"version":1}');
    await symlink(real, file);
    const other = { ...readable, owner: async () => -1 };
    for (const [path, by] of [
      [file, readable],
      [real, other],
      [own, readable],
    ] as const) {
      const error = await caught(readEntryFile(path, by));
      expect(error.message).toContain("is a link or another user's, and was not read");
    }
    expect(await listedEntry(file, readable)).toBeUndefined();
    expect(await listedEntry(real, readable)).toEqual({ version: 1 });
  });
});

describe("writeWhole()", () => {
  test("writes for the owner alone, in place of what was there, be it a folder", async () => {
    await writeWhole(file, "one");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await writeWhole(file, "two");
    const taken = join(own, "taken.json");
    await mkdir(join(taken, "folder"), { recursive: true });
    await writeWhole(taken, "three");
    expect([await readFile(file, "utf8"), await readFile(taken, "utf8")]).toEqual(["two", "three"]);
    expect((await readdir(own)).toSorted()).toEqual(["entry.json", "taken.json"]);
  });

  test("writes into the room that was made for it, and leaves nothing of that", async () => {
    const draft = draftOf(file);
    await makeRoom(draft);
    expect((await stat(draft)).size).toBe(16_384);
    await writeWhole(file, "short", draft);
    expect(await readFile(file, "utf8")).toBe("short");
    expect(await readdir(own)).toEqual(["entry.json"]);
  });

  test("leaves no draft where it fails", async () => {
    const [draft, gone] = [draftOf(file), join(own, "gone", "entry.json")];
    await makeRoom(draft);
    expect(await caught(writeWhole(gone, "text", draft))).toMatchObject({ code: "ENOENT" });
    expect(await caught(writeWhole(gone, "text"))).toMatchObject({ code: "ENOENT" });
    expect(await readdir(own)).toEqual([]);
  });
});

describe("writeNext()", () => {
  const read = () => readEntryFile(file, readable);

  test("writes versions into the room of a file, of which the last whole one is read", async () => {
    const room = await writeWithRoom(file, '{"version":1}');
    const facts = await stat(file);
    for (const version of [2, 3]) {
      expect(await writeNext(room, `{"version":${version}}`)).toBe(true);
      expect(await read()).toEqual({ version });
      expect(await listedEntry(file, readable)).toEqual({ version });
    }
    expect(await stat(file)).toMatchObject({ ino: facts.ino, size: facts.size });
    await closeRoom(room);
  });

  test("leaves the former version where it is cut anywhere, and writes the next one over the rest", async () => {
    const [long, short] = [`{"a":"${"é".repeat(40)}"}`, '{"b":1}'];
    const room = await writeWithRoom(file, '{"version":1}');
    const before = await readFile(file);
    await writeNext(room, long);
    const whole = await readFile(file);
    const end = whole.lastIndexOf("}") + 1;
    for (let cut = room.end - 1; cut > before.indexOf("\n"); cut--) {
      await writeFile(file, Buffer.concat([whole.subarray(0, cut), before.subarray(cut)]));
      expect(await read()).toEqual(cut < end ? { version: 1 } : JSON.parse(long));
      // Whoever goes on knows the file alone.
      let found: Room | undefined;
      await readEntryFile(file, readable, (each) => (found = each));
      if (found !== undefined) expect(await writeNext(found, short)).toBe(true);
      expect(await read()).toEqual({ b: 1 });
      await closeRoom(found);
    }
    await closeRoom(room);
  });

  test("writes an entry into no more than what was reserved for it", async () => {
    const draft = draftOf(file);
    await makeRoom(draft);
    const { size: reserved } = await stat(draft);
    const room = await writeWithRoom(file, '{"version":1}', draft);
    expect((await stat(file)).size).toBe(reserved);
    expect(await writeNext(room, '{"version":2}')).toBe(true);
    await closeRoom(room);
    expect(await readEntryFile(file, readable)).toEqual({ version: 2 });
  });

  test("writes nothing where the room is too small, and tells that its file is gone", async () => {
    const room = await writeWithRoom(file, "{}");
    expect(await writeNext(room, `{"a":"${"a".repeat(16_384)}"}`)).toBe(false);
    expect(await writeNext(room, '{"a":1}')).toBe(true);
    await rm(file);
    expect(await writeNext(room, '{"a":2}')).toBe(false);
    await closeRoom(room);
    expect(await writeNext(room, '{"a":3}')).toBe(false);
    await writeFile(file, '{"former":"version"}');
    expect(await read()).toEqual({ former: "version" });
    await readEntryFile(file, readable, (found) => expect(found.size).toBe(found.end));
  });
});

// What a power cut leaves: Node tells in which order it asked the system for what.
inNode(
  "an entry is written down before it gets its name, and its name before anything relies on it",
  async () => {
    const [journal, trace] = [join(folder.path, "journal"), join(folder.path, "trace.json")];
    const tracing = ["--trace-event-categories", "node.fs.async", "--trace-event-file-pattern", trace];
    await promisify(execFile)("node", [...tracing, "--import", "tsx", script, journal]);
    const { traceEvents } = JSON.parse(await readFile(trace, "utf8"));
    const calls = (traceEvents as { name: string; ph: string; ts: number; args: { path?: string } }[])
      .filter(({ name, ph, args }) => ph === "b" && (/^(fsync|rename)$/.test(name) || args.path === journal))
      .sort((a, b) => a.ts - b.ts);
    expect(calls.map(({ name }) => name).slice(-4)).toEqual(["fsync", "rename", "open", "fsync"]);
  },
);

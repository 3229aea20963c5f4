import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { fileJournal } from "../../../core/file.ts";
import type { Journal, UploadRecord } from "../../../core/journal/journal.ts";
import { memoryJournal } from "../../../core/journal/memory.ts";
import { contextsOf, openSlot } from "../../../core/journal/slot.ts";
import { caught } from "../../support/caught.ts";
import { type JournalPlace, journalContract } from "../../support/core/journal-contract.ts";
import { MARKER } from "../../support/marker.ts";
import { scratchFolder } from "../../support/scratch.ts";

const key = "0f".repeat(32);
const context = "aa".repeat(32);
const record = (id: string): UploadRecord => ({
  method: "resumable",
  asset: { id },
  mismatches: [],
  location: `https://upload.example/tus?token=${MARKER}`,
});
const account = "cc".repeat(8);
const open = (journal: Journal, of = context) => openSlot(journal, { key, account, context: of });

const folders: Awaited<ReturnType<typeof scratchFolder>>[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await folder.remove();
});

/** Each place is a new one; what `open` gives belongs to it. */
const places: Record<string, () => Promise<JournalPlace>> = {
  async "memoryJournal()"() {
    const [journal, other] = [memoryJournal(), memoryJournal()];
    return {
      open: (lifetimes) => (lifetimes?.keepDoneFor === undefined ? journal : memoryJournal(lifetimes)),
      openOther: () => other,
      isAgeless: true,
    };
  },
  async "fileJournal()"() {
    const folder = await scratchFolder("journal");
    folders.push(folder);
    const [path, other] = [join(folder.path, "one"), join(folder.path, "other")];
    return { open: (lifetimes) => fileJournal(path, lifetimes), openOther: () => fileJournal(other) };
  },
};

describe.each(Object.entries(places))("%s", (_, place) => {
  test.each(Object.entries(journalContract))("%s", async (_, run) => {
    await run(await place());
  });
});

test("memoryJournal() forgets the oldest of more than 10,000 finished uploads", async () => {
  const journal = memoryJournal();
  const [first, second, last] = ["0.done", "1.done", "10000.done"];
  for (let at = 0; at <= 10_000; at++) await journal.set(`${at}.done`, { version: 1, uploads: {} });
  expect(await journal.get(first ?? "")).toBeUndefined();
  for (const kept of [second, last]) expect(await journal.get(kept ?? "")).toBeDefined();
});

describe("openSlot()", () => {
  test("loses nothing when many contexts are written at once", async () => {
    const journal = memoryJournal();
    const slow: Journal = {
      ...journal,
      get: async (name) => {
        await new Promise((resolve) => setTimeout(resolve, 2));
        return await journal.get(name);
      },
    };
    const contexts = Array.from({ length: 12 }, (_, at) => at.toString(16).padStart(2, "0").repeat(32));
    await Promise.all(contexts.map(async (each) => (await open(slow, each)).save(record(each.slice(0, 2)))));
    expect((await contextsOf(journal, key, account)).sort()).toEqual(contexts);
  });

  const holding = (upload: object) => ({ version: 1, uploads: { [context]: upload } });
  test.each<[string, unknown]>([
    ["a text", "{}"],
    ["another version", { version: 2, uploads: {} }],
    ["no uploads", { version: 1 }],
    ["a list of uploads", { version: 1, uploads: [] }],
    ["an upload without an asset", holding({ method: "resumable", mismatches: [] })],
    ["an upload whose location is no text", holding({ ...record("a"), location: { href: MARKER } })],
    ["an upload of another method", holding({ ...record("a"), method: MARKER })],
    ...[
      "no address",
      "javascript:alert(1)",
      "file:///etc/passwd",
      "http://user:password@a.example/b",
      "",
    ].map((uploadUrl): [string, unknown] => [
      `an upload at "${uploadUrl}"`,
      holding({ method: "resumable", asset: { id: "a" }, mismatches: [], uploadUrl }),
    ]),
  ])("refuses an entry that is %s, and gives the slot back", async (_, entry) => {
    const claimed = new Set<string>();
    const journal: Journal = {
      ...memoryJournal(),
      get: async () => entry as never,
      claim: async (name) => {
        claimed.add(name);
        return async () => void claimed.delete(name);
      },
    };
    const error = await caught(open(journal));
    expect(error).toMatchObject({ name: "UploadError", code: "journal-failed" });
    expect(error.message).toMatch(/^Cannot resume from the journal: .*[^.]$/);
    expect(claimed.size).toBe(0);
  });

  test("takes null for no entry, as many stores say it", async () => {
    const slot = await open({ ...memoryJournal(), get: async () => null });
    expect(slot.record).toBeUndefined();
  });

  test.each<[string, unknown, string, object?]>([
    ["an error", new Error(`disk ${MARKER} is full`), "Error", { name: "Error" }],
    [
      "an error with a code",
      Object.assign(new Error(MARKER), { code: "ENOSPC" }),
      "ENOSPC",
      { name: "Error", code: "ENOSPC" },
    ],
    [
      "a DOMException",
      new DOMException(MARKER, "QuotaExceededError"),
      "QuotaExceededError",
      { name: "QuotaExceededError" },
    ],
    ["a text", MARKER, "unknown reason", { name: "string" }],
    ["nothing", undefined, "unknown reason"],
    [
      "an odd code",
      Object.assign(new Error("x"), { code: `${MARKER} /home`, name: "" }),
      "unknown reason",
      { name: "Error" },
    ],
  ])("tells only the kind of failure when the adapter throws %s", async (_, failure, reason, cause) => {
    const failing = async () => {
      throw failure;
    };
    const failingAtOnce = () => {
      throw failure;
    };
    for (const part of [{ get: failing }, { claim: failing }, { get: failingAtOnce }]) {
      const error = await caught(open({ ...memoryJournal(), ...part }));
      expect(error).toMatchObject({ name: "UploadError", code: "journal-failed", retryable: true });
      expect(error.message).toMatch(/^Cannot (read|take a lease in) the journal: /);
      expect(error.message.endsWith(reason)).toBe(true);
      expect(error.cause).toEqual(cause);
    }
    const slot = await open({ ...memoryJournal(), delete: failing, reserve: failing });
    await slot.save(record("asset-1"));
    for (const [work, words] of [
      [slot.reserve(), "make room in"],
      [slot.forget(), "write"],
    ] as const) {
      const error = await caught(work);
      expect(error).toMatchObject({ code: "journal-failed", retryable: true });
      expect(error.message).toContain(`Cannot ${words} the journal: `);
    }
  });

  test("remembers on its own what the journal can't store, and tells that nothing is stored", async () => {
    let full = true;
    const memory = memoryJournal();
    const journal: Journal = {
      ...memory,
      async set(...entry) {
        if (full) throw Object.assign(new Error("full"), { code: "ENOSPC" });
        await memory.set(...entry);
      },
    };
    const slot = await open(journal);
    await slot.save(record("asset-1"));
    expect(slot).toMatchObject({ stored: false, record: { asset: { id: "asset-1" } } });
    full = false;
    await slot.save(record("asset-1"));
    expect(slot.stored).toBe(true);
    full = true;
    await slot.save(record("asset-2"));
    expect(slot).toMatchObject({ stored: true, record: { asset: { id: "asset-2" } } });
    await slot.forget();
    expect(await journal.get(key)).toBeUndefined();
  });

  test("is current only once the last of overlapping records is stored", async () => {
    const memory = memoryJournal();
    let store = () => {};
    const writes = [
      () => new Promise<void>((resolve) => (store = resolve)),
      () => Promise.reject(new Error("full")),
    ];
    const set: Journal["set"] = async (...entry) => {
      await writes.shift()?.();
      await memory.set(...entry);
    };
    const slot = await open({ ...memory, set });
    const saving = ["asset-1", "asset-2"].map((id) => slot.save(record(id)));
    expect(slot.isCurrent).toBe(false);
    await expect.poll(() => writes.length).toBe(1);
    store();
    await Promise.all(saving);
    expect(slot).toMatchObject({ stored: true, isCurrent: false });
    await slot.save(record("asset-2"));
    expect(slot.isCurrent).toBe(true);
  });

  test("makes room, and gives it back with the slot, also when that fails", async () => {
    const events: string[] = [];
    const journal: Journal = {
      ...memoryJournal(),
      async reserve() {
        events.push("reserved");
        return async () => {
          events.push("given back");
          throw new Error(MARKER);
        };
      },
    };
    const slot = await open(journal);
    await slot.reserve();
    expect(await caught(slot.release())).toMatchObject({ code: "journal-failed" });
    expect(events).toEqual(["reserved", "given back"]);
    expect(await open(journal)).toBeDefined();
  });
});

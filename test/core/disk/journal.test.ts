import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { fileJournal, openFile } from "../../../core/file.ts";
import type { JournalEntry } from "../../../core/journal/journal.ts";
import { type Journal, memoryJournal, upload } from "../../../core/mod.ts";
import { useService } from "../../service/use-service.ts";
import { caught } from "../../support/caught.ts";
import { content, MiB, writeContent } from "../../support/content.ts";
import { IMPATIENT, PATIENT, startHostileHost } from "../../support/hosts/hostile-host.ts";
import { rawAnswer } from "../../support/hosts/raw-server.ts";
import { inNode } from "../../support/in-all.ts";
import { useFolder } from "../../support/use-folder.ts";

const service = useService();
const folder = useFolder("disk");
const journals = useFolder("journal");
let video: { path: string; sha256: string; size: number };

beforeAll(async () => {
  const path = join(folder.path, "video.mp4");
  video = { path, size: 24 * MiB + 5, sha256: await writeContent(path, 24 * MiB + 5, 7) };
});

const newJournal = () => join(journals.path, crypto.randomUUID());
describe.each(["resumable", "direct"] as const)("a file on disk by the %s method", (method) => {
  test("arrives whole, with its length and type announced", async () => {
    const path = method === "direct" ? pathToFileURL(video.path) : video.path;
    const { asset } = await upload(service.client(), await openFile(path), { method });
    expect((await service.whole(asset.id)).sha256).toBe(video.sha256);
    const bodies = await service.requests(method === "direct" ? "PUT" : "PATCH");
    // What is left below a part goes in a request of its own.
    const sizes = method === "direct" ? [video.size] : [24 * MiB, video.size - 24 * MiB];
    expect(bodies).toMatchObject(
      sizes.map((size) => ({ contentLength: `${size}`, transferEncoding: null, bytesReceived: size })),
    );
    if (method === "direct") expect(bodies[0]?.contentType).toBe("video/mp4");
  });
});

test.each([
  ["a file", () => openFile(video.path)],
  ["a Blob", async () => new File([content(MiB)], "video.mp4")],
])("a direct upload of %s is noted as handed over before the host can have all of it", async (_, open) => {
  const inner = memoryJournal();
  let stored: JournalEntry | undefined;
  // As a slow disk: whoever is killed meanwhile leaves what it holds.
  const journal: Journal = {
    ...inner,
    async set(key, entry: JournalEntry) {
      await delay(200);
      await inner.set(key, entry);
      stored = entry;
    },
  };
  let noted: unknown;
  const host = await startHostileHost({
    PUT(_, socket) {
      noted = Object.values(stored?.uploads ?? {}).map(({ handedOver }) => handedOver);
      socket.write(rawAnswer(200, { "content-length": 0 }));
    },
  });
  await upload(host.client(), await open(), { method: "direct", journal });
  expect(noted).toEqual([true]);
});

test("a resumable upload uses one connection for creation and content", async () => {
  await upload(service.client(), await openFile(video.path));
  const requests = (await service.requests()).filter(({ host }) => host === "upload");
  expect(requests.map(({ method }) => method)).toEqual(["POST", "PATCH", "PATCH"]);
  expect(new Set(requests.map(({ connection }) => connection)).size).toBe(1);
});

test("a request on a kept connection that breaks is repeated by the retries alone", async () => {
  const host = await startHostileHost({ PATCH: (_, socket) => void socket.destroy() });
  await caught(upload(host.client(), await openFile(video.path), { ...PATIENT, method: "resumable" }));
  // One attempt, and one more.
  expect(host.countOf("PATCH")).toBe(2);
});

test("a request without an answer on a kept connection ends it, and opens no other", async () => {
  // The offset has settled when two answers in a row agree: the second is asked for on the connection of the first.
  let heads = 0;
  const host = await startHostileHost({
    PATCH: (_, socket) => void socket.destroy(),
    HEAD(_, socket) {
      heads++;
      if (heads % 2 === 1)
        socket.write(rawAnswer(200, { "tus-resumable": "1.0.0", "upload-offset": 0, "content-length": 0 }));
    },
  });
  const timeout = { answer: 300, settle: 50 };
  await caught(
    upload(host.client(), await openFile(video.path), { ...IMPATIENT, timeout, method: "resumable" }),
  );
  expect(heads).toBeGreaterThan(1);
  await expect.poll(() => host.open).toBe(0);
});

test("upload() rejects with asset-unknown after a call that was stopped while it asked for a location", async () => {
  await service.set({ stallAfter: [{ host: "api", method: "POST", bytes: 0, times: 1 }] });
  const journal = fileJournal(newJournal());
  const stop = new AbortController();
  // An abort waits for the answer as long as that may take.
  const account = service.client({ timeout: 3_000 });
  const call = caught(upload(account, await openFile(video.path), { journal, signal: stop.signal }));
  await expect.poll(() => service.requests("POST", "request-upload")).toHaveLength(1);
  // Whoever is killed now leaves that.
  const unknown = [{ assetId: undefined, name: undefined, acknowledged: undefined }];
  expect(await journal.list()).toMatchObject(unknown);
  stop.abort();
  expect((await call).name).toBe("AbortError");
  expect(await journal.list()).toMatchObject(unknown);
  const again = () => openFile(video.path).then((file) => upload(service.client(), file, { journal }));
  expect(await caught(again())).toMatchObject({ code: "asset-unknown", retryable: false });
  expect(await service.requests("POST", "request-upload")).toHaveLength(1);
  const { asset } = await again();
  expect((await service.whole(asset.id)).sha256).toBe(video.sha256);
});

inNode("an answer that refuses a location leaves no note in the journal", async () => {
  const journal = fileJournal(newJournal());
  for (const status of [500, 403, 429]) {
    await service.set({ answerStatus: [{ host: "api", method: "POST", status, times: 1 }] });
    const options = { journal, retry: { attempts: 0 } };
    const error = await caught(upload(service.client(), await openFile(video.path), options));
    expect(error.httpStatus).toBe(status);
  }
  const { asset } = await upload(service.client(), await openFile(video.path), { journal });
  expect((await service.whole(asset.id)).sha256).toBe(video.sha256);
});

test("two uploads with one journal make one asset and patch no byte twice", async () => {
  await service.set({ throttle: 24 * MiB });
  const path = newJournal();
  const once = async () =>
    upload(service.client(), await openFile(video.path), { journal: fileJournal(path) });
  const first = once();
  await expect.poll(() => service.uploads()).toHaveLength(1);
  expect(await caught(once())).toMatchObject({ code: "in-progress" });
  expect(await first).toMatchObject({ resumed: false });
  expect(await service.assets()).toHaveLength(1);
  const [received] = await service.uploads();
  expect(received?.bytesReceived).toBe(video.size);
});

describe("fileJournal()", () => {
  const entry = { version: 1 as const, uploads: {} };

  test("keeps entries whole, for their owner alone, across instances", async () => {
    const path = newJournal();
    expect(await fileJournal(path).list()).toEqual([]);
    await fileJournal(path).set("key", entry);
    expect(await fileJournal(path).get("key")).toEqual(entry);
    const [name] = await readdir(path);
    expect((await stat(path)).mode & 0o777).toBe(0o700);
    expect((await stat(join(path, name ?? ""))).mode & 0o777).toBe(0o600);
    await Promise.all(Array.from({ length: 40 }, () => fileJournal(path).set("key", entry)));
    expect(await readdir(path)).toEqual([name]);
  });

  test("stores an entry in the room that was made for it, which a disk can't refuse any more", async () => {
    const path = newJournal();
    const journal = fileJournal(path);
    const release = await journal.reserve?.("key");
    const [draft = ""] = await readdir(path);
    const room = await stat(join(path, draft));
    expect(room.size).toBe(16_384);
    expect(room.mode & 0o777).toBe(0o600);
    await journal.set("key", entry);
    const [name = "", ...others] = await readdir(path);
    expect(others).toEqual([]);
    expect((await stat(join(path, name))).ino).toBe(room.ino);
    expect(await readFile(join(path, name), "utf8")).toBe(JSON.stringify(entry));
    await release?.();
    expect(await readdir(path)).toEqual([name]);
  });

  test("leaves no room behind that was not needed, and does without room that is gone", async () => {
    const path = newJournal();
    const journal = fileJournal(path);
    const releases = [await journal.reserve?.("key"), await journal.reserve?.("key")];
    for (const release of releases) await release?.();
    expect(await readdir(path)).toEqual([]);
    await journal.reserve?.("key");
    await rm(path, { recursive: true });
    await journal.set("key", entry);
    expect(await journal.get("key")).toEqual(entry);
  });

  test("moves a damaged entry aside and rejects once", async () => {
    const path = newJournal();
    const journal = fileJournal(path);
    await journal.set("key", entry);
    const [name] = await readdir(path);
    await writeFile(join(path, name ?? ""), '{"version":1,"upl');
    expect(await caught(journal.get("key"))).toMatchObject({ code: "journal-failed" });
    expect(await readdir(path)).toEqual([`${name}.damaged`]);
    expect(await readFile(join(path, `${name}.damaged`), "utf8")).toContain("upl");
    expect(await journal.get("key")).toBeUndefined();
  });
});

/** What a journal lists of real uploads that were stopped, killed or asked for in vain. */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fileJournal, openFile } from "../../core/file.ts";
import type { ListableJournal } from "../../core/journal/mod.ts";
import { createClient, discard, memoryJournal, type Uploadable, upload } from "../../core/mod.ts";
import { caught } from "../caught.ts";
import { writeContent } from "../content.ts";
import { MARKER } from "../marker.ts";
import { scratchFolder } from "../scratch.ts";
import { useService } from "../service/use-service.ts";
import { serveVideo } from "../video-server.ts";
import { runScript } from "./script.ts";

const MiB = 1024 * 1024;
const service = useService();
const client = () => createClient({ baseUrl: service.baseUrl, token: service.token });
const size = 24 * MiB + 5;
let folder: { path: string; remove(): Promise<void> };
let journals: { path: string; remove(): Promise<void> };
let path: string;

beforeAll(async () => {
  folder = await scratchFolder("journal-list");
  journals = await scratchFolder("journal");
  path = join(folder.path, "video.mp4");
  await writeContent(path, size, 7);
});
afterAll(async () => {
  await folder.remove();
  await journals.remove();
});

/** Stops an upload after its first part. */
async function begin(journal: ListableJournal, source: Uploadable): Promise<string> {
  const stop = new AbortController();
  await service.set({ throttle: 12 * MiB });
  const begun = upload(client(), source, {
    journal,
    method: "resumable",
    chunkSize: 8 * MiB,
    signal: stop.signal,
    onProgress: ({ acknowledged, sent }) => acknowledged > 0 && sent > acknowledged && stop.abort(),
  });
  expect((await caught(begun)).name).toBe("AbortError");
  const [stored] = await service.assets();
  return stored?.asset.id ?? "";
}

const journalsOf = {
  "memoryJournal()": () => memoryJournal(),
  "fileJournal()": () => fileJournal(join(journals.path, crypto.randomUUID())),
};

describe.each(Object.entries(journalsOf))("list() of %s", (_, open) => {
  test("names the file, the asset and the bytes of an upload that was stopped", async () => {
    const journal = open();
    const assetId = await begin(journal, await openFile(path));
    const listed = await journal.list();
    expect(listed).toEqual([
      {
        journalKey: expect.stringMatching(/^[\da-f]{64}$/),
        name: "video.mp4",
        origin: undefined,
        size,
        assetId,
        method: "resumable",
        acknowledged: expect.any(Number),
        age: expect.any(Number),
      },
    ]);
    expect(listed[0]?.age).toBeGreaterThanOrEqual(0);
    // As it was noted before one of its requests.
    expect([8 * MiB, 16 * MiB]).toContain(listed[0]?.acknowledged);
    await service.set({ throttle: 0 });
    await upload(client(), await openFile(path), { journal, timeouts: { settle: 50 } });
    expect(await journal.list()).toEqual([]);
  });

  test("names an address by its origin, and its key discards it", async () => {
    const journal = open();
    const server = await serveVideo(size);
    await begin(journal, new URL(`${server.url}?signature=${MARKER}`));
    await server.close();
    const listed = await journal.list();
    expect(listed).toMatchObject([{ name: "video.mp4", origin: server.origin, size }]);
    expect(JSON.stringify(listed)).not.toContain(MARKER);
    const [{ journalKey } = { journalKey: "" }] = listed;
    expect((await discard(client(), { journalKey }, { journal })).ended).toBe(1);
    expect(await journal.list()).toEqual([]);
  });
});

test("list() shows another process what a killed one left", async () => {
  await service.set({ stallAfter: [{ host: "upload", method: "PATCH", bytes: 17 * MiB, times: 1 }] });
  const journal = join(journals.path, crypto.randomUUID());
  const script = runScript("core/examples/upload.ts", [path], {
    UPCUT_URL: service.baseUrl,
    UPCUT_TOKEN: service.token,
    UPCUT_JOURNAL: journal,
  });
  await expect.poll(async () => (await service.uploads())[0]?.arrived).toBeGreaterThanOrEqual(17 * MiB);
  script.process.kill("SIGKILL");
  await script.ended();
  const [stored] = await service.assets();
  expect(await fileJournal(journal).list()).toMatchObject([
    { name: "video.mp4", size, assetId: stored?.asset.id, method: "resumable" },
  ]);
});

test("list() shows a request without an answer as one of which nobody knows the asset", async () => {
  await service.set({ stallAfter: [{ host: "api", method: "POST", bytes: 0, times: 1 }] });
  const journal = memoryJournal();
  const stop = new AbortController();
  const begun = caught(upload(client(), await openFile(path), { journal, signal: stop.signal }));
  await expect.poll(async () => (await service.requests("POST", "request-upload")).length).toBe(1);
  stop.abort();
  await begun;
  expect(await journal.list()).toMatchObject([{ assetId: undefined, name: undefined, acknowledged: 0 }]);
});

/** What a journal lists of real uploads that were stopped. */
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { openFile } from "../../../core/file.ts";
import { readJournalEntry } from "../../../core/journal/listing.ts";
import {
  discard,
  type Journal,
  memoryJournal,
  type Progress,
  type Uploadable,
  upload,
} from "../../../core/mod.ts";
import { useService } from "../../service/use-service.ts";
import { MiB, writeContent } from "../../support/content.ts";
import { serveVideo } from "../../support/hosts/video-server.ts";
import { MARKER } from "../../support/marker.ts";
import { stopUpload } from "../../support/programs/stopped-upload.ts";
import { useFolder } from "../../support/use-folder.ts";

const service = useService();
const size = 12 * MiB + 5;
const folder = useFolder("journal-list");
let path: string;

beforeAll(async () => {
  path = join(folder.path, "video.mp4");
  await writeContent(path, size, 7);
});

/** Stops an upload after its first part, and gives the asset. */
async function begin(journal: Required<Journal>, source: Uploadable): Promise<string> {
  await stopUpload(service, source, { journal, chunkSize: 8 * MiB }, ({ acknowledged }) => acknowledged > 0);
  const [stored] = await service.assets();
  return stored?.asset.id ?? "";
}

// What other journals list is in journal-contract.ts.
describe("list()", () => {
  test("names the file, the asset and the bytes of an upload that was stopped", async () => {
    const journal = memoryJournal();
    const assetId = await begin(journal, await openFile(path));
    const listed = await journal.list();
    expect(listed).toEqual([
      {
        journalKey: expect.stringMatching(/^[\da-f]{64}$/),
        account: expect.stringMatching(/^[\da-f]{16}$/),
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
    expect(listed[0]?.acknowledged).toBe(8 * MiB);
    await upload(service.client(), await openFile(path), { journal, timeout: { settle: 50 } });
    expect(await journal.list()).toEqual([]);
  });

  test("tells what the service had acknowledged when the upload was stopped, by an answer or a HEAD", async () => {
    const journal = memoryJournal();
    const stopWhen = async (isEnough: (progress: Progress) => boolean, bytesPerSecond?: number) => {
      const settings = { journal, chunkSize: 8 * MiB, timeout: { settle: 50 } };
      await stopUpload(service, await openFile(path), settings, isEnough, bytesPerSecond);
      return (await journal.list())[0]?.acknowledged;
    };
    // In the middle of the first request nobody has said anything.
    expect(await stopWhen(({ sent }) => sent > 0, MiB / 4)).toBeUndefined();
    let told = 0;
    const isTold = ({ acknowledged }: Progress) => {
      told = acknowledged;
      return acknowledged > 0;
    };
    expect(await stopWhen(isTold)).toBe(told);
    const first = told;
    expect(
      await stopWhen(({ acknowledged }) => acknowledged > first && isTold({ acknowledged } as Progress)),
    ).toBe(told);
    expect(told).toBeGreaterThan(first);
  });

  test("names an address by its origin, and its key discards it", async () => {
    const journal = memoryJournal();
    const server = await serveVideo(size);
    await begin(journal, new URL(`${server.url}?signature=${MARKER}`));
    await server.close();
    const listed = await journal.list();
    expect(listed).toMatchObject([{ name: "video.mp4", origin: server.origin, size }]);
    expect(JSON.stringify(listed)).not.toContain(MARKER);
    const [{ journalKey } = { journalKey: "" }] = listed;
    expect((await discard(service.client(), { journalKey }, { journal })).ended).toBe(1);
    expect(await journal.list()).toEqual([]);
  });
});

test("readJournalEntry() shows of what is stored only what is of its type", () => {
  const odd = { source: { name: 7, size: "9" }, acknowledged: "1", begunAt: Date.now() + 60_000 };
  const uploads = { one: { method: "resumable", asset: { id: "a", name: "film" }, mismatches: [], ...odd } };
  const entry = { version: 1, uploads, requested: ["mine.two"] };
  const [stored, asked] = readJournalEntry("key", entry);
  expect(stored).toMatchObject({ journalKey: "key", assetId: "a", method: "resumable", age: 0 });
  expect(stored).toMatchObject({ size: undefined, acknowledged: undefined });
  expect(asked).toMatchObject({ journalKey: "key", account: "mine", assetId: undefined, age: undefined });
});

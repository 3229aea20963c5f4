/** Files whose runtime reads whatever they hold by then, as Firefox does: no error tells that they have changed. */
import { readFileSync } from "node:fs";
import { open, truncate } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { memoryJournal, type UploadOptions, upload } from "../../../core/mod.ts";
import { blobSource } from "../../../core/source/blob.ts";
import { useService } from "../../service/use-service.ts";
import { caught } from "../../support/caught.ts";
import { content, contentHash, MiB, writeContent } from "../../support/content.ts";
import { useFolder } from "../../support/use-folder.ts";

const SIZE = 25 * MiB + 5;
const TIMEOUTS = { stall: 1000, answer: 5000, settle: 50 };
const service = useService({ throttle: 60 * MiB });
const folder = useFolder("overwritten");

/** A file that remembers its size and date, and reads what is on disk. */
class RememberedFile extends File {
  readonly #path: string;

  constructor(path: string, size: number) {
    super([new Uint8Array(size)], "video.mp4", { lastModified: 1 });
    this.#path = path;
  }

  override slice(start = 0, end = this.size): Blob {
    return new Blob([new Uint8Array(readFileSync(this.#path).subarray(start, end))]);
  }
}

async function overwrite(path: string, start: number, end: number): Promise<void> {
  const file = await open(path, "r+");
  await file.write(content(end, 2), start, end - start, start);
  await file.close();
}

async function openVideo(): Promise<{ path: string; file: File }> {
  const path = join(folder.path, "video.mp4");
  await writeContent(path, SIZE);
  return { path, file: new RememberedFile(path, SIZE) };
}

/** Changes something once the upload has come so far. */
function changing(
  counter: "sent" | "acknowledged",
  bytes: number,
  change: () => Promise<void>,
): UploadOptions["onProgress"] {
  let isBegun = false;
  return (progress) => {
    if (isBegun || progress[counter] < bytes) return;
    isBegun = true;
    void change();
  };
}

function afterFirstPart(change: () => Promise<void>): UploadOptions {
  const onProgress = changing("acknowledged", 8 * MiB, change);
  return { chunkSize: 8 * MiB, journal: memoryJournal(), onProgress, timeout: TIMEOUTS };
}

describe("a file that is overwritten while its runtime reads on", () => {
  test.each([
    ["all of it", 0, SIZE],
    ["the part that was sent", 0, 8 * MiB],
    ["less than a part of it", 2 * MiB, 5 * MiB],
  ])("%s, is found out before it is called whole", async (_, start, end) => {
    const { path, file } = await openVideo();
    const call = upload(
      service.client(),
      file,
      afterFirstPart(() => overwrite(path, start, end)),
    );
    expect(await caught(call)).toMatchObject({ code: "source-changed", resume: { possible: false } });
    for (const { sha256: stored } of await service.assets()) expect(stored).toBeNull();
  });

  test("and that is sent in one request, is found out", async () => {
    const { path, file } = await openVideo();
    const onProgress = changing("sent", 4 * MiB, () => overwrite(path, 0, SIZE));
    const call = upload(service.client(), file, { method: "direct", onProgress });
    expect(await caught(call)).toMatchObject({ code: "source-changed" });
  });

  test("in the last bytes of a request, is found out", async () => {
    const { path, file } = await openVideo();
    const source = await blobSource(file);
    await source.slice(0, 8 * MiB);
    await source.verify?.();
    await overwrite(path, 8 * MiB - 1000, 8 * MiB);
    expect(await caught(source.verify?.() ?? Promise.resolve())).toMatchObject({ code: "source-changed" });
  });

  test("is found out as soon as the line stands still", async () => {
    const { path, file } = await openVideo();
    const stall = async () => {
      await overwrite(path, 0, MiB);
      await service.set({ stallAfter: [{ host: "upload", method: "PATCH", bytes: MiB }] });
    };
    const call = upload(service.client(), file, afterFirstPart(stall));
    expect(await caught(call)).toMatchObject({ code: "source-changed" });
    // The host is asked for no offset.
    expect(await service.requests("HEAD")).toEqual([]);
  });
});

test("a file that is cut short while its runtime reads on is found out by the next request", async () => {
  const { path, file } = await openVideo();
  const call = upload(
    service.client(),
    file,
    afterFirstPart(() => truncate(path, 10 * MiB)),
  );
  expect(await caught(call)).toMatchObject({ code: "source-changed" });
});

test("a file that stays the same is stored whole, in spite of a line that breaks", async () => {
  await service.set({ resetAfter: [{ host: "upload", method: "PATCH", bytes: 5 * MiB, times: 1 }] });
  const { file } = await openVideo();
  const { asset } = await upload(
    service.client(),
    file,
    afterFirstPart(async () => {}),
  );
  expect((await service.whole(asset.id)).sha256).toBe(contentHash(SIZE));
});

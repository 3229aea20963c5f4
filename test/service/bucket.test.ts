/** The bucket behind the stores that real services run, while parts still come into it. */
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { scratchFolder } from "../support/scratch.ts";
import { type Bucket, openBucket } from "./s3/bucket.ts";

const AFTER_NOW = "9999";

test.each<[string, (bucket: Bucket, uploadId: string) => Promise<void>]>([
  ["sweep", (bucket) => bucket.sweep(AFTER_NOW)],
  ["abort", (bucket, uploadId) => bucket.abort(uploadId)],
  ["clear", (bucket) => bucket.clear()],
])("%s ends an upload while eight senders still write into it, ten times over", async (_, end) => {
  const { path, remove } = await scratchFolder("bucket");
  onTestFinished(remove);
  const bucket = await openBucket(path);
  for (let round = 0; round < 10; round++) {
    const uploadId = await bucket.createUpload("video", {});
    const stopped = new AbortController();
    let written = 0;
    const send = async (sender: number) => {
      for (let number = sender; !stopped.signal.aborted; number += 8) {
        const received = bucket.receivingPath();
        await writeFile(received, "part");
        await bucket.putPart(uploadId, number, received);
        written++;
      }
    };
    const sent = Promise.allSettled([1, 2, 3, 4, 5, 6, 7, 8].map(send));
    try {
      await expect.poll(() => written).toBeGreaterThan(30);
      await end(bucket, uploadId);
    } finally {
      stopped.abort();
      await sent;
    }
    await expect(bucket.listParts(uploadId)).rejects.toMatchObject({ code: "NoSuchUpload" });
    expect(await readdir(join(path, "uploads"))).toEqual([]);
  }
  // Bodies of parts that came too late lie there alone.
  const left = await readdir(join(path, "receiving"), { withFileTypes: true });
  expect(left.filter((entry) => entry.isDirectory())).toEqual([]);
});

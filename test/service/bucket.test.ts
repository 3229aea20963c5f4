/** The bucket behind the stores that real services run, while parts still come into it. */
import { writeFile } from "node:fs/promises";
import { expect, onTestFinished, test } from "vitest";
import { scratchFolder } from "../scratch.ts";
import { type Bucket, openBucket } from "./s3/bucket.ts";

const AFTER_NOW = "9999";

test.each<[string, (bucket: Bucket, uploadId: string) => Promise<void>]>([
  ["sweep", (bucket) => bucket.sweep(AFTER_NOW)],
  ["abort", (bucket, uploadId) => bucket.abort(uploadId)],
  ["clear", (bucket) => bucket.clear()],
])("%s ends an upload that eight senders go on with, each time of ten", async (_, end) => {
  const { path, remove } = await scratchFolder("bucket");
  onTestFinished(remove);
  const bucket = await openBucket(path);
  for (let round = 0; round < 10; round++) {
    const uploadId = await bucket.createUpload("video", {});
    let isEnding = false;
    let arrived = () => {};
    const arriving = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const senders = Array.from({ length: 8 }, async (_, sender) => {
      for (let number = sender + 1; !isEnding; number += 8) {
        const received = bucket.receivingPath();
        await writeFile(received, "part");
        await bucket.putPart(uploadId, number, received);
        if (number > 30) arrived();
      }
    });
    const sent = Promise.allSettled(senders);
    await arriving;
    await end(bucket, uploadId).finally(() => {
      isEnding = true;
    });
    await sent;
    await expect(bucket.listParts(uploadId)).rejects.toMatchObject({ code: "NoSuchUpload" });
  }
});

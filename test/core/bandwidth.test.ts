/** That a limit lets no more leave in a time: how long a machine takes beyond that is nobody's concern. */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openFile } from "../../core/file.ts";
import { createClient, type Progress, upload } from "../../core/mod.ts";
import { bandwidthLimit } from "../../core/transfer/bandwidth.ts";
import { caught } from "../caught.ts";
import { content, contentStream, sha256, writeContent } from "../content.ts";
import { scratchFolder } from "../scratch.ts";
import { useService } from "../service/use-service.ts";

const MiB = 1024 * 1024;
const service = useService();
const client = () => createClient({ baseUrl: service.baseUrl, token: service.token });
let folder: { path: string; remove(): Promise<void> };

beforeAll(async () => {
  folder = await scratchFolder("bandwidth");
});
afterAll(() => folder.remove());

const size = 2 * MiB + 5;
const sources = {
  "bytes in memory": async () => content(size),
  "a file on disk": async () => {
    const path = join(folder.path, "video.mp4");
    await writeContent(path, size);
    return await openFile(path);
  },
  "a stream": async () => contentStream(size),
};

describe.each(Object.entries(sources))("upload() of %s with a bandwidth", (_, open) => {
  test.each(["resumable", "direct"] as const)(
    "lets no more than that leave by the %s method",
    async (method) => {
      const began = performance.now();
      const reports: { at: number; sent: number }[] = [];
      const { asset } = await upload(client(), await open(), {
        filename: "video.mp4",
        size,
        method,
        bandwidth: 2 * MiB,
        onProgress: ({ sent }) => reports.push({ at: performance.now() - began, sent }),
      });
      expect((await service.whole(asset.id)).sha256).toBe(sha256(content(size)));
      // A piece leaves before its time has passed, and a buffer is filled while one is on its way.
      const slack = 3 * bandwidthLimit(2 * MiB).piece;
      for (const { at, sent } of reports) expect(sent).toBeLessThanOrEqual((at / 1000) * 2 * MiB + slack);
    },
  );
});

test("a limit that is waited for ends with the upload", async () => {
  const stop = new AbortController();
  const reports: Progress[] = [];
  const slow = upload(client(), content(8 * MiB), {
    filename: "video.mp4",
    method: "resumable",
    bandwidth: 1024,
    signal: stop.signal,
    onProgress(progress) {
      reports.push(progress);
      if (progress.sent > 200) stop.abort();
    },
  });
  expect((await caught(slow)).name).toBe("AbortError");
  expect(reports.at(-1)?.sent).toBeLessThan(8 * MiB);
});

test("those who share a limit take turns", async () => {
  const limit = bandwidthLimit(100_000);
  const { signal } = new AbortController();
  const order: string[] = [];
  const began = performance.now();
  const take = async (who: string) => {
    for (let piece = 0; piece < 3; piece++) {
      await limit.take(limit.piece, signal);
      order.push(who);
    }
  };
  await Promise.all([take("a"), take("b")]);
  expect(order).toEqual(["a", "b", "a", "b", "a", "b"]);
  // Six pieces of a tenth of a second each; the first leaves at once.
  expect(performance.now() - began).toBeGreaterThanOrEqual(490);
});

test.each([0, 1000, -5, Number.NaN, Number.POSITIVE_INFINITY, "1 MB"])(
  "a bandwidth of %s is refused",
  async (bandwidth) => {
    const error = await caught(upload(client(), content(5), { bandwidth: bandwidth as number }));
    expect(error).toMatchObject({ code: "invalid-option" });
    expect(error.message).toContain("bytes per second");
    expect(await service.requests()).toEqual([]);
  },
);

/** Limits of bandwidth, by a clock of the test's own. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { upload } from "../../../core/mod.ts";
import type { Slice } from "../../../core/source/source.ts";
import { bandwidthLimit, RequestBody } from "../../../core/transfer/transport.ts";
import { useService } from "../../service/use-service.ts";
import { caught } from "../../support/caught.ts";
import { content, contentHash, sha256 } from "../../support/content.ts";

const KiB = 1024;
const service = useService();
const { signal } = new AbortController();

describe("bandwidthLimit()", () => {
  beforeEach(
    () => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"], now: 1000 }),
  );
  afterEach(() => void vi.useRealTimers());

  test("lets those who share it take turns, a piece each tenth of a second", async () => {
    const limit = bandwidthLimit(100_000);
    expect(limit.piece).toBe(10_000);
    const began = performance.now();
    const order: [string, number][] = [];
    const take = async (who: string) => {
      for (let piece = 0; piece < 3; piece++) {
        await limit.take(limit.piece, signal);
        order.push([who, performance.now() - began]);
      }
    };
    const taking = Promise.all([take("a"), take("b")]);
    await vi.advanceTimersByTimeAsync(1000);
    await taking;
    expect(order.map(([who]) => who)).toEqual(["a", "b", "a", "b", "a", "b"]);
    // The first leaves at once.
    expect(order.map(([, at]) => Math.round(at / 100))).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test.each(["pieces", "fill"] as const)("paces a body that is read by its %s", async (way) => {
    const bytes = content(25_000);
    const body: Slice = {
      size: bytes.length,
      last: true,
      async *pieces(): AsyncGenerator<Uint8Array, undefined> {
        yield bytes;
      },
      async fill(target, position) {
        target.set(bytes.subarray(position, position + target.length));
        return Math.min(target.length, bytes.length - position);
      },
    };
    const bandwidth = bandwidthLimit(100_000);
    const paced = new RequestBody(body, { signal, bandwidth, onFailure() {} });
    const began = performance.now();
    const memory = way === "fill" ? new Uint8Array(bytes.length) : undefined;
    let at = 0;
    const readAll = async () => {
      const read = new Uint8Array(bytes.length);
      while (paced.left > 0) {
        const start = paced.given;
        read.set(await paced.read(memory), start);
      }
      at = performance.now() - began;
      return read;
    };
    const reading = readAll();
    await vi.advanceTimersByTimeAsync(1000);
    expect(sha256(await reading)).toBe(sha256(bytes));
    expect(Math.round(at / 100)).toBe(2);
  });
});

describe.each(["resumable", "direct"] as const)("upload() by the %s method with a bandwidth", (method) => {
  test("lets no more than that leave", async () => {
    const size = 300 * KiB;
    const began = performance.now();
    const { asset } = await upload(service.client(), content(size), {
      filename: "video.mp4",
      method,
      bandwidth: 1024 * KiB,
    });
    // All but the first piece wait for their time.
    expect(performance.now() - began).toBeGreaterThanOrEqual(190);
    expect((await service.whole(asset.id)).sha256).toBe(contentHash(size));
  });

  test("ends while it waits for its turn", async () => {
    const stop = new AbortController();
    let sent = 0;
    const slow = upload(service.client(), content(1024 * KiB), {
      filename: "video.mp4",
      method,
      bandwidth: 1024,
      signal: stop.signal,
      onProgress(progress) {
        ({ sent } = progress);
        if (sent > 0) stop.abort();
      },
    });
    expect((await caught(slow)).name).toBe("AbortError");
    expect(sent).toBeLessThan(1024 * KiB);
  });
});

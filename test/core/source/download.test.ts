import { afterEach, describe, expect, test, vi } from "vitest";
import { UploadError } from "../../../core/errors/errors.ts";
import { DownloadRetry, download } from "../../../core/source/download.ts";
import { urlSource } from "../../../core/source/url.ts";
import { caught } from "../../support/caught.ts";
import { contentHash, sha256 } from "../../support/content.ts";
import { readAll } from "../../support/core/read-all.ts";
import { serveVideo } from "../../support/hosts/video-server.ts";

const KiB = 1024;
const how = { fetch: globalThis.fetch };

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("download()", () => {
  const opened = (source: UnderlyingDefaultSource<Uint8Array>) => async () => new ReadableStream(source);

  test("gives all pieces, and ends a download that is not read to its end", async () => {
    let isEnded = false;
    const endless = opened({
      pull: (controller) => controller.enqueue(new Uint8Array(1)),
      cancel() {
        isEnded = true;
      },
    });
    let pieces = 0;
    let hadTurn = false;
    setTimeout(() => {
      hadTurn = true;
    }, 0);
    for await (const piece of download(how, endless)) {
      expect(piece.length).toBe(1);
      // Others have their turn although each next piece is there at once.
      if (++pieces > 5000 || hadTurn) break;
    }
    expect(hadTurn).toBe(true);
    await expect.poll(() => isEnded).toBe(true);
  });

  test("fails where no byte comes in time", async () => {
    const silent = download({ ...how, stall: 20 }, opened({}));
    expect((await caught(silent.next())).message).toBe("the download stalls");
  });

  test("ends with the reason of the signal, and ends the download at once", async () => {
    let isEnded = false;
    const stop = new AbortController();
    const pieces = download(
      { ...how, signal: stop.signal },
      opened({
        start: (controller) => controller.enqueue(new Uint8Array(1)),
        cancel() {
          isEnded = true;
        },
      }),
    );
    await pieces.next();
    const reason = new Error("enough");
    stop.abort(reason);
    await expect.poll(() => isEnded).toBe(true);
    expect(await caught(pieces.next())).toBe(reason);
  });
});

describe("DownloadRetry", () => {
  const url = new URL("https://videos.example/a.mp4");

  /** Counts a download that broke, without waiting for the time of the next. */
  async function fail(retry: DownloadRetry): Promise<void> {
    const stop = new AbortController();
    const waiting = caught(retry.after(new Error("cut"), url, 7, stop.signal));
    const reason = new Error("enough");
    stop.abort(reason);
    const error = await waiting;
    if (error !== reason) throw error;
  }

  test("gives up after five downloads in a row that broke without progress", async () => {
    const retry = new DownloadRetry();
    for (let count = 0; count < 5; count++) await fail(retry);
    const error = await caught(fail(retry));
    expect(error).toMatchObject({ code: "source-unreadable", retryable: true });
    expect(error.message).toContain("breaks off at byte 7");
  });

  test("takes 64 KiB for progress, in however many downloads they came", async () => {
    const retry = new DownloadRetry();
    retry.moved(64 * KiB - 1);
    for (let count = 0; count < 5; count++) await fail(retry);
    retry.moved(1);
    for (let count = 0; count < 5; count++) await fail(retry);
    retry.moved(64 * KiB - 1);
    expect(await caught(fail(retry))).toMatchObject({ code: "source-unreadable" });
  });

  test.each([
    ["some of its own time", undefined, 200],
    ["as long as the server asks", 3000, 3000],
  ])("waits %s before it is opened again", async (_, retryAfter, milliseconds) => {
    vi.useFakeTimers();
    vi.spyOn(Math, "random").mockReturnValue(0.5);
    const busy = new UploadError("source-unreadable", "busy", { retryable: true, retryAfter });
    let isOver = false;
    void new DownloadRetry().after(busy, url, 7, undefined).then(() => {
      isOver = true;
    });
    await vi.advanceTimersByTimeAsync(milliseconds - 1);
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(isOver).toBe(true);
  });

  test("gives up at once at what can't get better, and with the signal's reason", async () => {
    const { signal } = new AbortController();
    const final = new UploadError("source-changed", "Cannot read the video");
    expect(await caught(new DownloadRetry().after(final, url, 7, signal))).toBe(final);
    const passing = new UploadError("source-unreadable", "Cannot read the video", { retryable: true });
    await new DownloadRetry().after(passing, url, 7, signal);
    const reason = new Error("enough");
    expect(await caught(new DownloadRetry().after(passing, url, 7, AbortSignal.abort(reason)))).toBe(reason);
  });
});

test("a server whose downloads break off time and again gives all of a range, as long as each brings some", async () => {
  const size = 3200 * KiB;
  const video = await serveVideo(size, { cutAfter: 320 * KiB });
  // The waits of the retries matter to nobody here.
  vi.spyOn(Math, "random").mockReturnValue(0);
  const source = await urlSource(new URL(video.url), how);
  const read = await readAll(await source.slice(0, size));
  expect([read.length, sha256(read)]).toEqual([size, contentHash(size)]);
  expect(video.requests.length).toBeGreaterThan(9);
  await video.close();
});

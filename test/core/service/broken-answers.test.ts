/** Answers of a service or of a video's server that fail, and what is asked for again. */
import { afterEach, describe, expect, test, vi } from "vitest";
import { UploadError } from "../../../core/errors/errors.ts";
import { createClient } from "../../../core/mod.ts";
import { lacksWebhookId } from "../../../core/service/asset-request.ts";
import { readErrorBody } from "../../../core/service/error-body.ts";
import { DownloadRetry } from "../../../core/source/download.ts";
import { urlSource } from "../../../core/source/url.ts";
import { requestUrl } from "../../../core/source/url-request.ts";
import { caught } from "../../support/caught.ts";
import { contentHash, sha256 } from "../../support/content.ts";
import { readAll } from "../../support/core/read-all.ts";
import { rawAnswer, startRawServer } from "../../support/hosts/raw-server.ts";
import { serveVideo } from "../../support/hosts/video-server.ts";

const KiB = 1024;
const how = { fetch: globalThis.fetch };

describe("a refusal by a service", () => {
  test.each([401, 500])("with status %d counts although its words break off", async (status) => {
    const server = await startRawServer((_, socket) => {
      socket.end(rawAnswer(status, { "content-length": 100, "content-type": "text/plain" }, "Because"));
    });
    const client = createClient({ baseUrl: server.origin, token: "one-token" });
    const error = await caught(client.requestUpload());
    expect(error).toMatchObject({ name: "ServiceError", httpStatus: status });
    expect(error.details).toBeUndefined();
    expect(error.message).toMatch(new RegExp(`the service answered ${status}(?!:)`));
  });

  test("in plain text is no page for a sign like those of one within it", () => {
    const text = "must be less than <p and more";
    expect(readErrorBody(text, "text/plain", [])).toMatchObject({ details: [text], own: false });
    expect(readErrorBody("<p>Bad</p>", "text/plain", []).details).toEqual(["an HTML page"]);
  });
});

test.each<[string, string | undefined, boolean]>([
  ["webhook", undefined, true],
  [" WebHook ", "", true],
  ["webhook", " ", true],
  ["webhook", "a", false],
  ["public", "", false],
])("lacksWebhookId() of type %o and id %o is %o", (type, webhookId, lacks) => {
  const policy = { type, ...(webhookId !== undefined && { webhookId }) };
  expect(lacksWebhookId({ playbackPolicy: policy as never })).toBe(lacks);
  expect(lacksWebhookId({})).toBe(false);
});

describe("a video's server", () => {
  test.each([
    [403, false],
    [408, true],
    [429, true],
    [499, false],
    [500, true],
  ])("that answers %d may be asked again: %s", async (status, retryable) => {
    const server = await startRawServer((_, socket) => {
      socket.write(rawAnswer(status, { "content-length": 0, "retry-after": 3 }));
    });
    const error = await caught(requestUrl(new URL(`${server.origin}/video.mp4`), how));
    expect(error).toMatchObject({ name: "UploadError", httpStatus: status, retryable });
    expect(error.message).toContain(`${server.origin} answered ${status}`);
    if (retryable) expect(error.retryAfter).toBe(3000);
  });

  test("whose downloads break off time and again gives all of a range, as long as each brings some", async () => {
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
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
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

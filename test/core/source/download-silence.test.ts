/** Sources that fall silent: no call waits for them without end. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Fetch } from "../../../core/http/fetch.ts";
import {
  createClient,
  discard,
  memoryJournal,
  openUrl,
  type UploadOptions,
  upload,
} from "../../../core/mod.ts";
import { useService } from "../../service/use-service.ts";
import { caught } from "../../support/caught.ts";
import { content, MiB, sha256 } from "../../support/content.ts";
import { listen } from "../../support/hosts/listen.ts";
import { rangeOf } from "../../support/hosts/range.ts";

const BYTES = content(17 * MiB + 5);
const SILENT: UploadOptions = { timeout: { stall: 300 }, chunkSize: 8 * MiB };
const service = useService();

const account = (fetch?: Fetch) =>
  createClient({ baseUrl: service.baseUrl, token: service.token, ...(fetch && { fetch }) });
// How long is waited for a download that broke is tested by itself.
beforeEach(() => void vi.spyOn(Math, "random").mockReturnValue(0));
afterEach(() => void vi.restoreAllMocks());
const never = <T>() => new Promise<T>(() => {});

/** Serves a video in ranges of 8 MiB at most, but for the requests that a test answers itself or leaves alone. */
async function serve(
  own: (request: IncomingMessage, response: ServerResponse, number: number) => boolean,
  ranges = true,
): Promise<URL> {
  let number = 0;
  const server = createServer((request, response) => {
    if (own(request, response, ++number)) return;
    const { start, end, status, headers } = rangeOf(request, BYTES.length, ranges, 8 * MiB);
    response.writeHead(status, { "content-type": "video/mp4", ...headers, etag: '"one"' });
    response.end(BYTES.subarray(start, end));
  });
  return new URL(`${await listen(server)}/video.mp4`);
}

/** Aborts a call once something has come about that it would wait for without end. */
async function expectAborted(isWaiting: () => boolean, call: (signal: AbortSignal) => Promise<unknown>) {
  const stop = new AbortController();
  const ended = caught(call(stop.signal));
  await expect.poll(isWaiting).toBe(true);
  const reason = new Error("enough");
  stop.abort(reason);
  expect(await ended).toBe(reason);
}

async function expectWhole(id: string): Promise<void> {
  expect((await service.whole(id)).sha256).toBe(sha256(BYTES));
}

const UNREADABLE = { code: "source-unreadable", retryable: true };

describe("a video's server that doesn't answer", () => {
  test("the first request ends the upload with an error that may be tried again", async () => {
    const address = await serve(() => true);
    // Each is listened to at once: they fail together.
    const errors = [
      upload(account(), address, SILENT),
      upload(account(), openUrl(address, { headers: { "x-key": "one" } }), SILENT),
      discard(account(), address, { timeout: { stall: 300 } }),
    ].map((call) => caught(call));
    for (const error of await Promise.all(errors)) {
      expect(error).toMatchObject(UNREADABLE);
      expect(error.message).toContain("no answer within 0.3 s");
    }
    expect(await service.requests()).toEqual([]);
  });

  test("the request after a redirect ends the upload as well", async () => {
    const address = await serve((request, response) => {
      if (request.url === "/video.mp4") response.writeHead(302, { location: "/there.mp4" }).end();
      return true;
    });
    for (const headers of [{}, { "x-key": "one" }])
      expect(await caught(upload(account(), openUrl(address, { headers }), SILENT))).toMatchObject(
        UNREADABLE,
      );
  });

  test("a later range is asked for it again", async () => {
    let asked = 0;
    const address = await serve((_, __, number) => {
      asked = number;
      return number === 3;
    });
    const { asset } = await upload(account(), address, SILENT);
    await expectWhole(asset.id);
    expect(asked).toBeGreaterThan(3);
  });
});

describe.each([
  ["in ranges", true],
  ["whole", false],
])("a video given %s whose bytes", (_, ranges) => {
  const headers = (start: number) => ({
    "content-type": "video/mp4",
    "content-length": BYTES.length - start,
    etag: '"one"',
  });

  test("stop coming once are asked for again", async () => {
    const address = await serve((_, response, number) => {
      if (number !== (ranges ? 2 : 1)) return false;
      const range = { "content-range": `bytes 0-${BYTES.length - 1}/${BYTES.length}` };
      response.writeHead(ranges ? 206 : 200, { ...headers(0), ...(ranges && range) });
      response.write(BYTES.subarray(0, 5 * MiB));
      return true;
    }, ranges);
    const { asset } = await upload(account(), address, SILENT);
    await expectWhole(asset.id);
  });

  test("never come end the upload", async () => {
    const address = await serve((request, response) => {
      if (ranges && request.headers.range === "bytes=0-0") return false;
      const end = BYTES.length - 1;
      response.writeHead(ranges ? 206 : 200, {
        ...headers(0),
        ...(ranges && { "content-range": `bytes 0-${end}/${BYTES.length}` }),
      });
      response.flushHeaders();
      return true;
    }, ranges);
    expect(await caught(upload(account(), address, SILENT))).toMatchObject(UNREADABLE);
  });
});

describe("a fetch of the caller's", () => {
  /** Answers requests for the video in its own way, and sends the others. */
  const fetchWith =
    (own: (init: RequestInit | undefined) => Promise<Response> | undefined): Fetch =>
    (input, init) =>
      (String(input).includes("video.example") ? own(init) : undefined) ?? fetch(input, init);
  const address = new URL("https://video.example/video.mp4");
  const rangeOf = (init: RequestInit | undefined) => new Headers(init?.headers).get("range") ?? "";

  test("that ignores its signal is not waited for, neither at a timeout nor at an abort", async () => {
    let asked = 0;
    const requester = account(
      fetchWith(() => {
        asked++;
        return never();
      }),
    );
    expect(await caught(upload(requester, address, SILENT))).toMatchObject(UNREADABLE);
    asked = 0;
    await expectAborted(
      () => asked > 0,
      (signal) => upload(requester, address, { signal }),
    );
  });

  test("whose late answer comes all the same has it dropped", async () => {
    let dropped = false;
    const body = new ReadableStream({
      cancel() {
        dropped = true;
      },
    });
    let answer = (_: Response) => {};
    const late = new Promise<Response>((resolve) => {
      answer = resolve;
    });
    const error = await caught(upload(account(fetchWith(() => late)), address, SILENT));
    expect(error).toMatchObject(UNREADABLE);
    answer(new Response(body));
    await expect.poll(() => dropped).toBe(true);
  });

  test("whose answer can't be ended holds nothing up", async () => {
    const stuck = (status: number, headers: Record<string, string> = {}) =>
      new Response(
        new ReadableStream({
          start(controller) {
            controller.enqueue(new Uint8Array(1));
          },
          pull: () => never(),
          cancel: () => never(),
        }),
        { status, headers: { "content-type": "video/mp4", etag: '"one"', ...headers } },
      );
    const refused = account(fetchWith(async () => stuck(403)));
    expect(await caught(upload(refused, address, SILENT))).toMatchObject({ code: "source-refused" });
    const page = account(fetchWith(async () => stuck(200, { "content-type": "text/html" })));
    expect(await caught(upload(page, address, SILENT))).toMatchObject({ code: "source-refused" });
    for (const status of [200, 206]) {
      let asked = 0;
      const silent = fetchWith(async (init) => {
        asked++;
        const [start, end] = rangeOf(init).replace("bytes=", "").split("-");
        const range = status === 206 && { "content-range": `bytes ${start}-${end}/${BYTES.length}` };
        return stuck(status, { "content-length": `${BYTES.length}`, ...range });
      });
      expect(await caught(upload(account(silent), address, SILENT))).toMatchObject(UNREADABLE);
      asked = 0;
      await expectAborted(
        () => asked > 0,
        (signal) => upload(account(silent), address, { ...CHUNKED, signal }),
      );
    }
  });
});

const CHUNKED: UploadOptions = { chunkSize: 8 * MiB };

describe.each(["resumable", "direct"] as const)("a stream that is sent by the %s method", (method) => {
  test.each([
    ["whose read and cancel never settle, before its first byte", 0, () => never<void>()],
    ["whose read and cancel never settle, after some bytes", 2 * MiB, () => never<void>()],
    ["whose cancel fails", 2 * MiB, () => Promise.reject(new Error("no"))],
  ])("%s, doesn't hold the call up after an abort", async (_, given, cancel) => {
    let left = given;
    let isWaiting = false;
    const stream = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          isWaiting = left === 0;
          if (isWaiting) return await never();
          const size = Math.min(left, MiB);
          left -= size;
          controller.enqueue(content(size));
        },
        cancel,
      },
      { highWaterMark: 0 },
    );
    const options: UploadOptions = { type: "video/mp4", size: 20 * MiB, method, journal: memoryJournal() };
    await expectAborted(
      () => isWaiting,
      (signal) => upload(account(), stream, { ...options, signal }),
    );
  });

  test("whose cancel never settles doesn't hold up a call that fails", async () => {
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(content(MiB)),
      cancel: () => never(),
    });
    const error = await caught(upload(account(), stream, { type: "video/mp4", size: 3 * MiB - 1, method }));
    expect(error).toMatchObject({ code: "source-too-long" });
  });
});

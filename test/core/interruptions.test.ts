import { utimes, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { Fetch } from "../../core/client.ts";
import { openFile } from "../../core/file.ts";
import {
  createClient,
  memoryJournal,
  type Progress,
  type Requester,
  type UploadOptions,
  upload,
} from "../../core/mod.ts";
import { caught } from "../caught.ts";
import { content, contentBytes, contentStream, sha256 } from "../content.ts";
import { scratchFolder } from "../scratch.ts";
import { useService } from "../service/use-service.ts";

const MiB = 1024 * 1024;
const QUICK: UploadOptions = {
  method: "resumable",
  retry: { minDelay: 10, maxDelay: 50 },
  // The service's own store has nothing on its way once a connection is gone.
  timeouts: { settle: 50 },
};
const service = useService();

const client = () => createClient({ baseUrl: service.baseUrl, token: service.token });
const video = (size: number) =>
  new File([content(size)], "video.mp4", { type: "video/mp4", lastModified: 1 });
const expectWhole = async (id: string, size: number) => {
  expect((await service.whole(id)).sha256).toBe(sha256(content(size)));
  expect(await service.assets()).toHaveLength(1);
};

describe("a resumable upload", () => {
  test("asks the same location again when the answer to its creation was lost, and looks at the offset", async () => {
    await service.set({ dropAnswer: [{ host: "upload", method: "POST", times: 1 }] });
    const { asset } = await upload(client(), video(2 * MiB), QUICK);
    await expectWhole(asset.id, 2 * MiB);
    const host = (await service.requests())
      .filter((each) => each.host === "upload")
      .map(({ method }) => method);
    expect(host).toEqual(["POST", "POST", "HEAD", "PATCH"]);
  });

  test("resumes after every status that counts as an interruption", async () => {
    for (const status of [408, 409, 423, 425, 429, 500, 502, 503, 504]) {
      await service.set({
        answerStatus: [
          {
            host: "upload",
            method: "PATCH",
            status,
            times: 1,
            contentType: "text/html",
            body: "<html><title>Bad</title></html>",
          },
        ],
      });
      const { asset } = await upload(client(), video(MiB), QUICK);
      await expectWhole(asset.id, MiB);
      await service.reset();
    }
  });

  test("keeps sending while the service stores only parts of 8 MiB", async () => {
    await service.set({
      parts: true,
      resetAfter: [{ host: "upload", method: "PATCH", bytes: 9 * MiB, times: 2 }],
    });
    const { asset, resent } = await upload(client(), video(30 * MiB), QUICK);
    await expectWhole(asset.id, 30 * MiB);
    expect(resent).toBeGreaterThan(0);
  });

  test("rejects with what is uploaded so far when nothing moves any more, and resumes later", async () => {
    await service.set({ parts: true, resetAfter: [{ host: "upload", method: "PATCH", bytes: 5 * MiB }] });
    const account = client();
    const error = await caught(upload(account, video(20 * MiB), { retry: { attempts: 2, minDelay: 1 } }));
    expect(error).toMatchObject({
      code: "interrupted",
      retryable: true,
      resume: { offset: 0, possible: true },
    });
    expect(error.message).toContain("after 3 attempts without progress");
    await service.set({ resetAfter: [] });
    const { asset, resumed } = await upload(account, video(20 * MiB));
    expect(resumed).toBe(true);
    expect(error.resume).toMatchObject({ assetId: asset.id });
    await expectWhole(asset.id, 20 * MiB);
  });

  test("notices a line that stalls, and one that never answers", async () => {
    const timeouts = { stall: 1000, answer: 1000, settle: 50 };
    await service.set({ stallAfter: [{ host: "upload", method: "PATCH", bytes: 2 * MiB, times: 1 }] });
    const waits: Progress[] = [];
    const onProgress = (report: Progress) => void (report.waiting && waits.push(report));
    const stalled = await upload(client(), video(40 * MiB), { ...QUICK, timeouts, onProgress });
    await expectWhole(stalled.asset.id, 40 * MiB);
    expect(waits.map(({ waiting }) => waiting?.reason)).toContain("stalled");
    await service.reset();
    await service.set({ stallAfter: [{ host: "upload", method: "PATCH", bytes: MiB, times: 1 }] });
    const unanswered = await upload(client(), video(MiB), { ...QUICK, timeouts, onProgress });
    await expectWhole(unanswered.asset.id, MiB);
    expect(waits.map(({ waiting }) => waiting?.reason)).toContain("unanswered");
  });

  test("notices as soon as with any other that no answer comes to a small file", async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
    const requester: Requester = {
      scope: "silent",
      requestUpload: async () => ({ url, asset: { id: "one" }, mismatches: [] }),
    };
    const how = { method: "direct", retry: { attempts: 0 }, timeouts: { answer: 1000 } } as const;
    const error = await caught(upload(requester, video(1000), how));
    expect(error.message).toContain("no answer within 1 s");
    silent.closeAllConnections();
    silent.close();
  });

  test("lets the smallest file have its answer on a line that takes its time", async () => {
    // Stands for the way to a far host; what is sent goes over a real connection.
    const far: Fetch = async (input, init) => {
      await new Promise((resolve) => setTimeout(resolve, 400));
      return await fetch(input, init);
    };
    const account = createClient({ baseUrl: service.baseUrl, token: service.token, fetch: far });
    const waits: unknown[] = [];
    const onProgress = ({ waiting }: Progress) => void (waiting && waits.push(waiting));
    const { asset } = await upload(account, video(1), { ...QUICK, onProgress });
    await expectWhole(asset.id, 1);
    expect(waits).toEqual([]);
  });

  test("waits as long as Retry-After says, and ends when that is too long", async () => {
    const slow = (retryAfter: string) => ({
      host: "upload" as const,
      method: "PATCH",
      status: 503,
      retryAfter,
      times: 1,
    });
    await service.set({ answerStatus: [slow("1")] });
    const began = Date.now();
    const { asset } = await upload(client(), video(MiB), QUICK);
    expect(Date.now() - began).toBeGreaterThan(950);
    await expectWhole(asset.id, MiB);
    await service.set({ answerStatus: [slow(new Date(Date.now() + 3_600_000).toUTCString())] });
    const error = await caught(upload(client(), video(MiB), QUICK));
    expect(error).toMatchObject({ code: "interrupted", resume: { possible: true } });
    expect(error.retryAfter).toBeGreaterThan(3500);
  });

  test("ends while it waits when onProgress aborts or throws", async () => {
    await service.set({ answerStatus: [{ host: "upload", method: "PATCH", status: 503, retryAfter: "60" }] });
    const stop = new AbortController();
    const reason = new Error("not now");
    const onProgress = ({ waiting }: Progress) => waiting && stop.abort(reason);
    expect(await caught(upload(client(), video(MiB), { ...QUICK, signal: stop.signal, onProgress }))).toBe(
      reason,
    );
    const thrown = new Error("no more");
    const onWait = ({ waiting }: Progress) => {
      if (waiting) throw thrown;
    };
    expect(await caught(upload(client(), video(MiB), { ...QUICK, onProgress: onWait }))).toBe(thrown);
  });

  test("rejects with upload-gone when the service no longer has the upload, and starts over only when asked to", async () => {
    const account = client();
    const stop = new AbortController();
    await service.set({ throttle: 4 * MiB });
    await caught(
      upload(account, video(4 * MiB), {
        signal: stop.signal,
        onProgress: ({ sent }) => sent > MiB && stop.abort(),
      }),
    );
    await service.set({
      throttle: 0,
      answerStatus: [{ host: "upload", method: "HEAD", status: 410, times: 2 }],
    });
    for (let call = 0; call < 2; call++) {
      const error = await caught(upload(account, video(4 * MiB)));
      expect(error).toMatchObject({ code: "upload-gone", httpStatus: 410, resume: { possible: false } });
    }
    expect(await service.assets()).toHaveLength(1);
    const { resumed } = await upload(account, video(4 * MiB), { resume: false });
    expect(resumed).toBe(false);
    expect(await service.assets()).toHaveLength(2);
  });

  test("looks again at an upload that is not found, since the host's store may be away", async () => {
    const notFound = { host: "upload" as const, status: 404, body: "The file for this url was not found\n" };
    await service.set({
      answerStatus: [
        { ...notFound, method: "PATCH", times: 1 },
        { ...notFound, method: "HEAD", times: 3 },
      ],
    });
    const reasons = new Set<string>();
    const onProgress = ({ waiting }: Progress) => void (waiting && reasons.add(waiting.reason));
    const { asset } = await upload(client(), video(9 * MiB), { ...QUICK, onProgress });
    await expectWhole(asset.id, 9 * MiB);
    expect([...reasons]).toContain("not-found");
  });

  test("believes that it is gone once the retry budget is used up", async () => {
    await service.set({
      resetAfter: [{ host: "upload", method: "PATCH", bytes: MiB, times: 1 }],
      answerStatus: [{ host: "upload", method: "HEAD", status: 404 }],
    });
    const retry = { attempts: 3, minDelay: 1, maxDelay: 10 };
    const error = await caught(upload(client(), video(4 * MiB), { ...QUICK, retry }));
    expect(error).toMatchObject({ code: "upload-gone", httpStatus: 404, resume: { possible: false } });
    expect(await service.requests("HEAD")).toHaveLength(3);
  });

  test("is refused while another call uploads the same source", async () => {
    const account = client();
    const journal = memoryJournal();
    let begin = () => {};
    let goOn = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const refused = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const held: Requester = {
      scope: account.scope,
      async requestUpload(...request) {
        begin();
        await refused;
        return await account.requestUpload(...request);
      },
    };
    const first = upload(held, video(4 * MiB), { journal });
    await begun;
    const error = await caught(upload(account, video(4 * MiB), { journal }));
    expect(error).toMatchObject({ code: "in-progress", retryable: true });
    goOn();
    await expectWhole((await first).asset.id, 4 * MiB);
  });

  test("keeps https where a proxy made the upload address http", async () => {
    const requested: string[] = [];
    // Stands for a proxy that ends TLS: what core sends to https reaches the service over http.
    const proxy: Fetch = async (input, init) => {
      const url = String(input);
      requested.push(new URL(url).protocol);
      const response = await fetch(url.replace("https:", "http:"), init);
      if (!url.includes("request-upload")) return response;
      return new Response((await response.text()).replaceAll('"http:', '"https:'), response);
    };
    const secure = createClient({
      baseUrl: service.baseUrl.replace("http:", "https:"),
      token: service.token,
      fetch: proxy,
    });
    const { asset } = await upload(secure, video(MiB), QUICK);
    await expectWhole(asset.id, MiB);
    expect(requested).toEqual(["https:", "https:", "https:"]);
  });

  test("follows no redirect of the upload host", async () => {
    await service.set({
      answerStatus: [
        { host: "upload", method: "POST", status: 307, location: `${service.baseUrl}/elsewhere` },
      ],
    });
    expect(await caught(upload(client(), video(MiB), QUICK))).toMatchObject({ code: "location-refused" });
    expect(await service.requests(undefined, "elsewhere")).toEqual([]);
  });

  test("explains a location that is used up or refused", async () => {
    for (const [status, words] of [
      [401, "no longer valid"],
      [403, "no longer valid"],
      [404, "doesn't know the upload location"],
      [422, "has been used up"],
    ] as const) {
      await service.set({
        answerStatus: [{ host: "upload", method: "POST", status, body: '{"errors":["said by the host"]}' }],
      });
      const error = await caught(upload(client(), video(MiB), QUICK));
      expect(error).toMatchObject({
        code: "location-refused",
        httpStatus: status,
        resume: { possible: false },
      });
      expect(error.message).toContain("said by the host");
      expect(error.message).toContain(words);
      await service.reset();
    }
  });
});

describe("a service that contradicts itself", () => {
  let server: Server;
  let requests = 0;
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  /** A host that answers HEAD and PATCH as told, and creates uploads. */
  async function host(answer: (method: string, offset: number) => number | "reset"): Promise<Requester> {
    requests = 0;
    server = createServer((request, response) => {
      requests++;
      request.resume().once("end", () => {
        const { method = "" } = request;
        if (method === "POST") return void response.writeHead(201, { location: "/upload" }).end();
        const offset = answer(method, Number(request.headers["upload-offset"]));
        if (offset === "reset") return void request.socket.resetAndDestroy();
        const headers = {
          "upload-offset": `${offset}`,
          "upload-length": `${20 * MiB}`,
          "tus-resumable": "1.0.0",
        };
        response.writeHead(method === "HEAD" ? 200 : 204, headers).end();
      });
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const tusEndpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/create`;
    return {
      scope: "test",
      requestUpload: async () => ({ asset: { id: "a" }, tusEndpoint, mismatches: [] }),
    };
  }
  const options = { chunkSize: 8 * MiB, retry: { attempts: 3, minDelay: 1 } };

  test("by forgetting what it acknowledged ends the upload, and never loops", async () => {
    let turn = 0;
    const requester = await host((method, offset) => {
      if (method === "HEAD") return 0;
      return offset === 0 && turn++ % 2 === 0 ? 8 * MiB : "reset";
    });
    const error = await caught(upload(requester, video(20 * MiB), options));
    expect(error).toMatchObject({ code: "interrupted", resume: { possible: true } });
    expect(requests).toBeLessThan(20);
  });

  test("by counting nothing ends the upload, and never loops", async () => {
    const requester = await host((_, offset) => offset || 0);
    expect(await caught(upload(requester, video(20 * MiB), options))).toMatchObject({ code: "interrupted" });
    expect(requests).toBeLessThan(20);
  });

  test("by claiming more than the source has ends the upload with offset-beyond-end", async () => {
    const requester = await host((method) => (method === "HEAD" ? 21 * MiB : "reset"));
    const error = await caught(upload(requester, video(20 * MiB), options));
    expect(error).toMatchObject({ code: "offset-beyond-end", resume: { possible: false } });
  });

  test("by losing a part is followed back", async () => {
    let lost = false;
    const requester = await host((method, offset) => {
      if (method === "HEAD") return lost ? 8 * MiB : 0;
      if (offset === 16 * MiB && !lost) {
        lost = true;
        return "reset";
      }
      return Math.min(20 * MiB, offset + 8 * MiB);
    });
    const { sent, resent } = await upload(requester, video(20 * MiB), options);
    expect({ sent: sent / MiB, resent: resent / MiB }).toEqual({ sent: 32, resent: 12 });
  });
});

describe("a direct upload", () => {
  test("starts again on the same location after every interruption", async () => {
    await service.set({ answerStatus: [{ host: "upload", method: "PUT", status: 503, times: 2 }] });
    const { asset } = await upload(client(), video(2 * MiB), { ...QUICK, method: "direct" });
    await expectWhole(asset.id, 2 * MiB);
  });

  test("believes 'already uploaded' only after a try that handed over everything", async () => {
    const used = {
      host: "upload" as const,
      method: "PUT",
      status: 422,
      body: '{"errors":["asset has already been uploaded"]}',
    };
    const account = client();
    await service.set({ answerStatus: [used] });
    for (let call = 0; call < 2; call++) {
      const error = await caught(upload(account, video(MiB), { ...QUICK, method: "direct" }));
      expect(error).toMatchObject({ code: "location-refused", httpStatus: 422 });
    }
    expect(await service.assets()).toHaveLength(1);
    // The service gets all of it and its answer is lost, so that the next try is told that it has been done.
    await service.set({ answerStatus: [], dropAnswer: [{ host: "upload", method: "PUT", times: 1 }] });
    const { asset } = await upload(account, video(MiB), { ...QUICK, method: "direct" });
    await expectWhole(asset.id, MiB);
    expect((await service.requests("PUT")).at(-1)?.status).toBe(422);
  });

  test("sends a stream of known length once, and says when it would have to be sent again", async () => {
    const size = 3 * MiB;
    const options = { ...QUICK, method: "direct" as const, filename: "stream.mp4", size };
    const { asset } = await upload(client(), contentStream(size), options);
    await expectWhole(asset.id, size);
    await service.set({ answerStatus: [{ host: "upload", method: "PUT", status: 503, times: 1 }] });
    expect(await caught(upload(client(), contentStream(size), options))).toMatchObject({
      code: "source-used-up",
    });
  });

  test("of a file of another type says nothing of it, since a host may keep that for itself", async () => {
    const file = new Blob([content(MiB)], { type: "application/json" });
    const how = { ...QUICK, method: "direct", anyType: true, timeouts: { answer: 2000 } } as const;
    const { asset } = await upload(client(), file, how);
    await expectWhole(asset.id, MiB);
  });

  test("refuses a stream of unknown length before it asks for a location", async () => {
    const error = await caught(
      upload(client(), contentStream(MiB), { method: "direct", filename: "stream.mp4" }),
    );
    expect(error).toMatchObject({
      code: "invalid-source",
      message: expect.stringContaining("length of the stream is unknown"),
    });
    expect(await service.requests()).toEqual([]);
  });
});

describe("a stream", () => {
  test("that gives no first byte can be stopped", async () => {
    let cancelled = false;
    const stop = new AbortController();
    const silent = new ReadableStream<Uint8Array>(
      {
        pull() {
          setImmediate(() => stop.abort(new Error("enough")));
          return new Promise(() => {});
        },
        cancel() {
          cancelled = true;
        },
      },
      { highWaterMark: 0 },
    );
    const how = { filename: "stream.mp4", size: MiB, signal: stop.signal };
    expect(await caught(upload(client(), silent, how))).toMatchObject({ message: "enough" });
    expect(cancelled).toBe(true);
    expect(await service.requests()).toEqual([]);
  });

  test("is sent on from what it still holds after a reset", async () => {
    await service.set({ resetAfter: [{ host: "upload", method: "PATCH", bytes: 3 * MiB, times: 3 }] });
    const { asset } = await upload(client(), contentStream(20 * MiB), { ...QUICK, filename: "stream.mp4" });
    await expectWhole(asset.id, 20 * MiB);
  });

  test("of known length announces it", async () => {
    await upload(client(), contentStream(9 * MiB), { filename: "stream.mp4", size: 9 * MiB });
    expect(await service.uploads()).toMatchObject([{ size: 9 * MiB, bytesReceived: 9 * MiB }]);
  });

  test("of unknown length explains a service that refuses those", async () => {
    await service.set({ refuseDeferredLength: true });
    const error = await caught(upload(client(), contentStream(MiB), { filename: "stream.mp4" }));
    expect(error).toMatchObject({ code: "length-refused", httpStatus: 400 });
    expect(error.message).toContain("give the size");
  });

  test("that ends early, goes on too long, fails or gives no bytes ends the upload with a clear error", async () => {
    const broken = () => {
      let pulls = 0;
      return new ReadableStream<Uint8Array>({
        pull(controller) {
          if (pulls++ < 3) controller.enqueue(contentBytes(1, 0, MiB));
          else controller.error(new Error("the camera was unplugged"));
        },
      });
    };
    const texts = new ReadableStream<unknown>({
      start: (controller) => controller.enqueue("text"),
    }) as ReadableStream<Uint8Array>;
    const cases: [string, ReadableStream<Uint8Array>, UploadOptions][] = [
      ["source-ended-early", contentStream(9 * MiB), { size: 12 * MiB }],
      ["source-too-long", contentStream(12 * MiB), { size: 9 * MiB }],
      ["source-ended-early", contentStream(9 * MiB), { size: 12 * MiB, method: "direct" }],
      ["source-too-long", contentStream(12 * MiB), { size: 9 * MiB, method: "direct" }],
      ["source-unreadable", broken(), {}],
      ["source-unreadable", texts, {}],
      ["empty-source", contentStream(0), {}],
    ];
    for (const [code, stream, options] of cases) {
      const error = await caught(upload(client(), stream, { ...QUICK, filename: "stream.mp4", ...options }));
      expect(error, `${code} ${options.method}`).toMatchObject({ code });
    }
    for (const { asset } of await service.assets()) expect(asset.size).toBeUndefined();
  });
});

describe("errors, progress and requests", () => {
  test("a journal that can't be written any more at the end spoils no whole upload", async () => {
    const journal = { ...memoryJournal(), delete: () => Promise.reject(new Error("the disk is gone")) };
    const { asset, resumed } = await upload(client(), video(MiB), { journal });
    expect(resumed).toBe(false);
    await expectWhole(asset.id, MiB);
  });

  test("an error thrown by onProgress ends the upload with that error", async () => {
    const mistake = new Error("a mistake of the page");
    const call = upload(client(), video(4 * MiB), {
      onProgress({ state }) {
        if (state === "sending") throw mistake;
      },
    });
    expect(await caught(call)).toBe(mistake);
  });

  test("a request for a location that never left is made again, one that may have left is not", async () => {
    const port = await unusedPort();
    const account = createClient({ baseUrl: `http://127.0.0.1:${port}`, token: service.token });
    const states: string[] = [];
    const call = upload(account, video(MiB), {
      retry: { attempts: 1000, minDelay: 200, maxDelay: 200 },
      onProgress: ({ state }) => states.push(state),
    });
    await expect.poll(() => states).toContain("waiting");
    const { port: target } = new URL(service.baseUrl);
    const forward = createTcpServer((socket) =>
      socket.pipe(connect(Number(target), "127.0.0.1")).pipe(socket),
    ).listen(port, "127.0.0.1");
    const { asset } = await call;
    forward.close();
    expect(states).toContain("waiting");
    await expectWhole(asset.id, MiB);
    await service.reset();

    await service.set({ dropAnswer: [{ host: "api", method: "POST", times: 1 }] });
    const error = await caught(upload(client(), video(MiB), QUICK));
    expect(error).toMatchObject({ code: "asset-unknown", resume: undefined });
    expect(error.message).toContain("An asset may have been created");
    expect(await service.requests("POST", "request-upload")).toHaveLength(1);
  });

  test("an asset without a usable location of the chosen method is named", async () => {
    await service.set({ answerShape: { set: { tusEndpoint: "ftp://video.example/x" } } });
    const error = await caught(upload(client(), video(MiB), QUICK));
    const [stored] = await service.assets();
    expect(error).toMatchObject({
      code: "location-refused",
      resume: { assetId: stored?.asset.id, possible: false },
    });
    expect(error.message).toContain(stored?.asset.id);
    const direct = await upload(client(), video(MiB), { method: "direct" });
    expect((await service.whole(direct.asset.id)).sha256).toBe(sha256(content(MiB)));
  });

  test("the account token never reaches the upload host, unless that was turned on", async () => {
    await upload(client(), video(MiB));
    expect(
      (await service.requests())
        .filter(({ host }) => host === "upload")
        .some((each) => each.hasAuthorization),
    ).toBe(false);
    await service.reset();
    await service.set({ uploadAuthorization: "required" });
    const open = createClient({ baseUrl: service.baseUrl, token: service.token, uploadAuthorization: true });
    const { asset } = await upload(open, video(MiB));
    await expectWhole(asset.id, MiB);
  });

  test("a Blob, a file on disk and its address are one source where their content is one", async () => {
    const folder = await scratchFolder("identity");
    const path = join(folder.path, "video.mp4");
    await writeFile(path, content(6 * MiB));
    await utimes(path, 1, 1);
    const journal = memoryJournal();
    const stop = new AbortController();
    await service.set({ throttle: 4 * MiB });
    const blob = new File([content(6 * MiB)], "video.mp4", { lastModified: 1000 });
    await caught(
      upload(client(), blob, {
        journal,
        signal: stop.signal,
        onProgress: ({ sent }) => sent > MiB && stop.abort(),
      }),
    );
    await service.set({ throttle: 0 });
    const { resumed, asset } = await upload(client(), await openFile(path), { journal });
    expect(resumed).toBe(true);
    await expectWhole(asset.id, 6 * MiB);
    await folder.remove();
  });
});

async function unusedPort(): Promise<number> {
  const server = createTcpServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

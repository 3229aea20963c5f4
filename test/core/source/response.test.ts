/** Answers of a fetch as sources: read once, with the length that can be trusted. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import { discard, journalKey, memoryJournal, upload, uploadAll } from "../../../core/mod.ts";
import { isResponse } from "../../../core/source/response.ts";
import { useService } from "../../service/use-service.ts";
import { caught } from "../../support/caught.ts";
import { content, contentHash, MiB } from "../../support/content.ts";
import { listen } from "../../support/hosts/listen.ts";
import { type Habits, serveVideo, type VideoServer } from "../../support/hosts/video-server.ts";

const service = useService();
const resumably = { timeout: { settle: 50 } } as const;
const servers: VideoServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

async function serve(size: number, habits: Habits = {}): Promise<VideoServer> {
  const server = await serveVideo(size, habits);
  servers.push(server);
  return server;
}

async function answerWith(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  return await fetch(`${await listen(createServer(answer))}/film.mp4`);
}

test("a Response arrives whole, under the name and with the length that its headers tell", async () => {
  const size = 9 * MiB + 5;
  const { url } = await serve(size, { disposition: 'attachment; filename="Launch.mp4"' });
  const totals: unknown[] = [];
  const onProgress = ({ total }: { total: number | undefined }) => totals.push(total);
  const { asset } = await upload(service.client(), await fetch(url), { onProgress });
  expect((await service.whole(asset.id)).sha256).toBe(contentHash(size));
  expect((await service.assets())[0]?.received.name).toBe("Launch.mp4");
  expect(new Set(totals)).toEqual(new Set([size]));
});

test("the length of a packed body is not taken for that of the video", async () => {
  const packed = gzipSync(content(MiB));
  const headers = {
    "content-type": "video/mp4",
    "content-encoding": "gzip",
    "content-length": packed.length,
  };
  const response = await answerWith((_, answer) => void answer.writeHead(200, headers).end(packed));
  const { asset, size } = await upload(service.client(), response);
  expect(size).toBe(MiB);
  expect((await service.whole(asset.id)).sha256).toBe(contentHash(MiB));
});

test("a Response that names its version is resumed by another one, and by its address", async () => {
  const { url } = await serve(9 * MiB);
  const journal = memoryJournal();
  const key = await journalKey(await fetch(url));
  expect(await journalKey(new URL(url))).toBe(key);
  await service.set({ resetAfter: [{ host: "upload", method: "PATCH", bytes: 8 * MiB, times: 1 }] });
  const once = { journal, retry: { attempts: 0 }, chunkSize: 8 * MiB };
  const failed = await caught(upload(service.client(), await fetch(url), { ...once, ...resumably }));
  expect(failed).toMatchObject({ code: "interrupted", resume: { possible: true } });
  const { asset, resumed } = await upload(service.client(), await fetch(url), { journal, ...resumably });
  expect(resumed).toBe(true);
  expect((await service.whole(asset.id)).sha256).toBe(contentHash(9 * MiB));
});

test("a Response without a strong version can't be known again, nor uploaded once", async () => {
  const { url } = await serve(MiB, { version: null });
  expect(await journalKey(await fetch(url))).toBeUndefined();
  expect(await caught(upload(service.client(), await fetch(url), { once: true }))).toMatchObject({
    code: "invalid-option",
  });
  expect(await discard(service.client(), await fetch(url))).toEqual({ assets: [], ended: 0 });
  expect(await service.requests()).toEqual([]);
});

test.each<[string, () => Promise<Response>, object]>([
  [
    "is no success",
    async () => await fetch((await serve(5, { status: 403 })).url),
    { code: "source-refused", httpStatus: 403, message: expect.stringContaining("answered 403") },
  ],
  [
    "failed for now",
    async () => await fetch((await serve(5, { status: 503, retryAfter: 7 })).url),
    { code: "source-unreadable", httpStatus: 503, retryable: true, retryAfter: 7_000 },
  ],
  [
    "has been read",
    async () => {
      const response = await fetch((await serve(5)).url);
      await response.arrayBuffer();
      return response;
    },
    { code: "invalid-source", message: expect.stringContaining("its body has been read already") },
  ],
  [
    "is being read",
    async () => {
      const response = await fetch((await serve(5)).url);
      response.body?.getReader();
      return response;
    },
    { code: "invalid-source", message: expect.stringContaining("its body has been read already") },
  ],
  ["can't be read", async () => Response.error(), { code: "invalid-source" }],
  ["has no body", async () => new Response(null, { status: 204 }), { code: "empty-source" }],
  ["is empty", async () => await fetch((await serve(0)).url), { code: "empty-source" }],
  [
    "holds a part",
    async () => await fetch((await serve(50)).url, { headers: { range: "bytes=0-9" } }),
    { code: "invalid-source", message: expect.stringContaining("it holds a range of the video") },
  ],
  [
    "is a page",
    async () => new Response("<html>", { headers: { "content-type": "text/html" } }),
    { code: "source-refused" },
  ],
])("a Response that %s is refused before anything is sent", async (_, given, error) => {
  expect(await caught(upload(service.client(), await given()))).toMatchObject(error);
  expect(await service.requests()).toEqual([]);
});

test("uploadAll() takes each Response when its turn comes", async () => {
  const { url } = await serve(MiB);
  const sources = [1, 2, 3].map((number) => ({ source: () => fetch(url), name: `Part ${number}` }));
  const stored: string[] = [];
  for await (const { result } of uploadAll(service.client(), sources))
    stored.push((await service.whole(result?.asset.id ?? "")).sha256 ?? "");
  expect(stored).toEqual(Array(3).fill(contentHash(MiB)));
});

test("isResponse() knows an answer of any copy of fetch, and nothing that is like one", () => {
  const answer = { ok: true, bodyUsed: false, headers: { get: () => null } };
  expect([answer, new Response()].map(isResponse)).toEqual([true, true]);
  const others = [{ ok: 1 }, { bodyUsed: 0 }, { headers: {} }, { headers: null }].map((each) => ({
    ...answer,
    ...each,
  }));
  expect([...others, null, "a"].filter(isResponse)).toEqual([]);
});

import { createServer } from "node:http";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { journalKey, memoryJournal, openUrl, type Progress, upload } from "../../../core/mod.ts";
import { useService } from "../../service/use-service.ts";
import { caught } from "../../support/caught.ts";
import { contentHash, MiB, sha256 } from "../../support/content.ts";
import { listen } from "../../support/hosts/listen.ts";
import { type Habits, serveVideo, type VideoServer } from "../../support/hosts/video-server.ts";
import { MARKER } from "../../support/marker.ts";
import { stopUpload } from "../../support/programs/stopped-upload.ts";

const SIZE = 17 * MiB + 5;
// The service's own store has nothing on its way once a connection is gone.
const QUICK = { retry: { minDelay: 10, maxDelay: 50 }, timeout: { settle: 50 } };
const service = useService();
let video: VideoServer;

const signed = (signature: string) => new URL(`${video.url}?signature=${MARKER}-${signature}`);

async function expectWhole(id: string, size = SIZE): Promise<void> {
  expect((await service.whole(id)).sha256).toBe(contentHash(size));
}

// How long is waited for a download that broke is tested by itself.
beforeEach(() => void vi.spyOn(Math, "random").mockReturnValue(0));
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  await video.close();
});

const WAYS: [string, Habits][] = [
  ["in ranges", {}],
  ["only whole", { ranges: false }],
  ["only whole and without its length", { ranges: false, length: false }],
  ["only whole and without a version", { ranges: false, version: null }],
];

test("a video whose ranges don't tell how long the whole is, is copied whole and not as its first byte", async () => {
  video = await serveVideo(MiB, { total: false });
  const { asset } = await upload(service.client(), signed("a"));
  await expectWhole(asset.id, MiB);
});

test("a video in ranges is asked for its first byte and for all of it, on one connection", async () => {
  video = await serveVideo(SIZE);
  const { asset } = await upload(service.client(), signed("a"));
  await expectWhole(asset.id);
  expect(video.requests.map(({ range }) => range)).toEqual(["bytes=0-0", `bytes=0-${SIZE - 1}`]);
  expect(video.connections).toBe(1);
});

describe("the key of an address", () => {
  const keyAt = (query: string) => journalKey(new URL(`${video.url}${query}`));
  const SIGNED = [
    "X-Amz-Signature=a&X-Amz-Date=b&x-amz-security-token=c",
    "X-Goog-Signature=a&X-Goog-Expires=b",
    "AWSAccessKeyId=a&Signature=b&Expires=c",
    "Policy=a&Signature=b&Key-Pair-Id=c",
    "sv=a&se=b&sr=b&sp=r&st=c&skoid=d&si%67=e",
    "token=a",
  ];

  test.each<Habits>([
    { ranges: false, length: false, version: null },
    { ranges: false, version: null },
    { version: null },
  ])("holds the query without its signature where nothing names the version: %o", async (habits) => {
    video = await serveVideo(1_000, habits);
    const [bare, one, two] = [await keyAt(""), await keyAt("?id=1"), await keyAt("?id=2")];
    expect(new Set([bare, one, two, await keyAt("?st=1"), await keyAt("?sp=r")]).size).toBe(5);
    for (const signature of SIGNED) {
      expect(await keyAt(`?${signature}`)).toBe(bare);
      expect(await keyAt(`?id=1&${signature}`)).toBe(one);
      expect(await keyAt(`?${signature}&id=2`)).toBe(two);
    }
  });

  test("holds no query where a version is named", async () => {
    video = await serveVideo(1_000);
    expect(await keyAt("?id=2")).toBe(await keyAt("?id=1"));
  });
});

describe.each(WAYS)("a video that its server gives %s", (_, habits) => {
  test("is copied whole although each download is cut", async () => {
    // What can't be asked for in ranges is given whole the second time.
    const cuts = habits.ranges === false ? { cutAt: 12 * MiB, afterCut: habits } : { cutAfter: 4 * MiB };
    video = await serveVideo(SIZE, { ...habits, ...cuts });
    const { asset, resent } = await upload(service.client(), signed("a"));
    await expectWhole(asset.id);
    expect(resent).toBe(0);
  });

  test("is continued by another call where the first one ended, as the same asset", async () => {
    video = await serveVideo(SIZE, { ...habits, signature: "a" });
    const journal = memoryJournal();
    await service.set({ parts: true });
    const hasPart = ({ acknowledged }: Progress) => acknowledged >= 8 * MiB;
    await stopUpload(service, signed("a"), { journal, chunkSize: 8 * MiB }, hasPart, 0);
    video.habits = { ...habits, signature: "b" };
    const before = video.requests.length;
    const { asset, resumed } = await upload(service.client(), signed("b"), { journal });
    expect(resumed).toBe(true);
    await expectWhole(asset.id);
    expect(await service.assets()).toHaveLength(1);
    const [received] = await service.uploads();
    expect((received?.bytesReceived ?? 0) - SIZE).toBeLessThanOrEqual(8 * MiB);
    // What the service has is fetched again only where that can't be avoided, and then once.
    const fetched = video.requests.slice(before).map(({ range }) => range);
    if (habits.ranges === false) expect(fetched).toHaveLength(1);
    else expect(fetched.filter((range) => /^bytes=0-(?!0$)/.test(range ?? "bytes=0-"))).toEqual([]);
  });
});

describe.each(WAYS.slice(0, 2))("a video that its server gives %s", (_, habits) => {
  test("whose address has expired rejects with source-refused, and resumes at a new address", async () => {
    const afterCut = { ...habits, signature: "b" };
    video = await serveVideo(SIZE, { ...habits, signature: "a", cutAt: 12 * MiB, afterCut });
    const journal = memoryJournal();
    const error = await caught(upload(service.client(), signed("a"), { journal, chunkSize: 8 * MiB }));
    expect(error).toMatchObject({ code: "source-refused", httpStatus: 403, retryable: false });
    expect(error).toMatchObject({ resume: { possible: true } });
    expect(error.message).not.toContain("signature");
    const { asset, resumed } = await upload(service.client(), signed("b"), { journal });
    expect(resumed).toBe(true);
    await expectWhole(asset.id);
    expect(await service.assets()).toHaveLength(1);
  });
});

describe("a video that its server gives only whole", () => {
  test("is refused when it has changed since it was first read", async () => {
    const habits = { ranges: false, version: null };
    const afterCut = { ...habits, seed: 2 };
    video = await serveVideo(SIZE, { ...habits, cutAt: 12 * MiB, afterCut });
    expect(await caught(upload(service.client(), signed("a")))).toMatchObject({ code: "source-changed" });
    for (const { asset } of await service.assets()) expect(asset.size).toBeUndefined();
  });

  test("is read again for a direct upload that must start again", async () => {
    video = await serveVideo(SIZE, { ranges: false });
    await service.set({ resetAfter: [{ host: "upload", method: "PUT", bytes: 3 * MiB, times: 1 }] });
    const { asset } = await upload(service.client(), signed("a"), { ...QUICK, method: "direct" });
    await expectWhole(asset.id);
  });

  test("is sent again from what is still held after a reset, and read once", async () => {
    video = await serveVideo(SIZE, { ranges: false });
    await service.set({ resetAfter: [{ host: "upload", method: "PATCH", bytes: 3 * MiB, times: 2 }] });
    const { asset } = await upload(service.client(), signed("a"), QUICK);
    await expectWhole(asset.id);
    expect(video.requests).toHaveLength(1);
  });

  test("is read again where the service has lost more than is held", async () => {
    video = await serveVideo(SIZE, { ranges: false });
    const stored = new Uint8Array(SIZE);
    let lost = false;
    const server = createServer(async (request, response) => {
      const { method } = request;
      const offset = Number(request.headers["upload-offset"]);
      let at = offset;
      for await (const piece of request) {
        stored.set(piece, at);
        at += piece.length;
      }
      if (method === "POST") return void response.writeHead(201, { location: "/upload" }).end();
      if (method === "PATCH" && offset === 8 * MiB && !lost) {
        lost = true;
        return void request.socket.resetAndDestroy();
      }
      const told = method === "HEAD" ? 0 : at;
      const headers = { "upload-offset": `${told}`, "upload-length": `${SIZE}`, "tus-resumable": "1.0.0" };
      response.writeHead(method === "HEAD" ? 200 : 204, headers).end();
    });
    const tusEndpoint = `${await listen(server)}/create`;
    const requester = {
      scope: "test",
      requestUpload: async () => ({ asset: { id: "a" }, tusEndpoint, mismatches: [] }),
    };
    await upload(requester, signed("a"), QUICK);
    expect(sha256(stored)).toBe(contentHash(SIZE));
    expect(video.requests).toHaveLength(2);
  });
});

test.each([
  ['attachment; filename="Launch video.mp4"', "Launch video.mp4"],
  ["attachment; filename*=UTF-8''Caf%C3%A9.mp4; filename=\"Cafe.mp4\"", "Café.mp4"],
  ['attachment; filename=""', "video.mp4"],
  ["inline", "video.mp4"],
])("a video whose server says %s is named %s", async (disposition, name) => {
  video = await serveVideo(1000, { disposition });
  await upload(service.client(), signed("a"));
  expect((await service.assets())[0]?.received).toEqual({ name });
});

test("a video is brought by the direct method, whole", async () => {
  video = await serveVideo(MiB);
  const { asset } = await upload(service.client(), signed("a"), { method: "direct" });
  await expectWhole(asset.id, MiB);
});

test("a video that can't be reached while the machine is offline is waited for", async () => {
  video = await serveVideo(SIZE, { throttle: 40 * MiB });
  const window = new EventTarget();
  vi.stubGlobal("addEventListener", window.addEventListener.bind(window));
  vi.stubGlobal("removeEventListener", window.removeEventListener.bind(window));
  const waits: (string | undefined)[] = [];
  const { asset } = await upload(service.client(), signed("a"), {
    chunkSize: 8 * MiB,
    onProgress({ acknowledged, waiting }) {
      if (acknowledged >= 8 * MiB && video.habits.goneAt === undefined && waits.length === 0) {
        vi.stubGlobal("navigator", { onLine: false });
        video.habits = { goneAt: 0 };
        video.cut();
      }
      if (waiting === undefined) return;
      waits.push(waiting.reason);
      video.habits = {};
      vi.stubGlobal("navigator", { onLine: true });
      setTimeout(() => window.dispatchEvent(new Event("online")), 10);
    },
  });
  await expectWhole(asset.id);
  expect(waits).toContain("offline");
}, 60_000);

test("an address that is refused is told before a location is asked for", async () => {
  video = await serveVideo(SIZE, { status: 410 });
  const error = await caught(upload(service.client(), signed("a")));
  expect(error).toMatchObject({ code: "source-refused", httpStatus: 410 });
  expect(error.message).toContain("open it again");
  expect(await service.requests()).toEqual([]);
});

describe("a redirect", () => {
  const sourceHeaders = { authorization: "Bearer of the source", "x-key": "of the source" };
  let store: VideoServer;
  afterEach(() => store.close());

  test("to another origin is followed, without the headers that are for the first", async () => {
    store = await serveVideo(MiB, {}, {}, "localhost");
    video = await serveVideo(0, { redirect: `${store.url}?signature=b` });
    const { asset } = await upload(service.client(), openUrl(signed("a"), { headers: sourceHeaders }));
    await expectWhole(asset.id, MiB);
    for (const { headers } of video.requests) expect(headers).toMatchObject(sourceHeaders);
    expect(store.requests.length).toBeGreaterThan(1);
    for (const { headers } of store.requests) {
      expect(headers.authorization).toBeUndefined();
      expect(headers["x-key"]).toBeUndefined();
      expect(headers.range).toMatch(/^bytes=/);
    }
  });

  test("within one origin keeps the headers", async () => {
    store = video = await serveVideo(MiB);
    const { asset } = await upload(
      service.client(),
      openUrl(new URL("/moved/video.mp4", video.origin), { headers: sourceHeaders }),
    );
    await expectWhole(asset.id, MiB);
    for (const { headers } of video.requests) expect(headers).toMatchObject(sourceHeaders);
  });

  test.each([
    ["that never ends", undefined, "redirects without end"],
    ["to no web address", "ftp://video.example/video.mp4", "redirects to an invalid address"],
    ["to no address at all", "http://[", "redirects to an invalid address"],
  ])("%s rejects with source-unreadable", async (_, address, what) => {
    store = video = await serveVideo(SIZE);
    video.habits = { redirect: address ?? video.url };
    const error = await caught(upload(service.client(), openUrl(signed("a"), { headers: sourceHeaders })));
    expect(error).toMatchObject({ code: "source-unreadable", message: expect.stringContaining(what) });
    expect(video.requests).toHaveLength(address === undefined ? 21 : 1);
    // Without headers the runtime follows by itself, and says so in its own words.
    expect(await caught(upload(service.client(), signed("a")))).toMatchObject({ code: "source-unreadable" });
    expect(await service.requests()).toEqual([]);
  });

  test("that a browser keeps to itself is told as one that can't be followed with headers", async () => {
    store = video = await serveVideo(SIZE);
    const fetch = async () => Object.defineProperty(new Response(), "type", { value: "opaqueredirect" });
    const account = service.client({ fetch });
    const error = await caught(upload(account, openUrl(signed("a"), { headers: sourceHeaders })));
    expect(error).toMatchObject({ code: "source-unreadable" });
    expect(error.message).toContain("redirects, which this page can't follow with headers");
  });
});

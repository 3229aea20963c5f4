/**
 * Answers that never end, say nothing, say too much or say nonsense: every call ends, and calls whole only what is. A
 * row per class, at the request and the transport that it is worst for; `test/faults` has each of them at every request.
 */
import { createServer } from "node:http";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { afterEach, describe, expect, test, vi } from "vitest";
import { openFile } from "../../../core/file.ts";
import { type UploadOptions, upload } from "../../../core/mod.ts";
import { HIDDEN } from "../../../core/redaction/redaction.ts";
import { caught } from "../../support/caught.ts";
import { content, MiB, videoFile, writeContent } from "../../support/content.ts";
import {
  type Call,
  dripping,
  endless,
  type HostileHost,
  IMPATIENT,
  PATIENT,
  silentAfter,
  startHostileHost,
  TOKEN,
} from "../../support/hosts/hostile-host.ts";
import { listen } from "../../support/hosts/listen.ts";
import { type RawAnswer, rawAnswer } from "../../support/hosts/raw-server.ts";
import { inNode } from "../../support/in-all.ts";
import { MARKER } from "../../support/marker.ts";
import { useFolder } from "../../support/use-folder.ts";

const SIZE = MiB + 1;
const folder = useFolder("hostile");
afterEach(() => void vi.restoreAllMocks());

/** A file in memory leaves by fetch, one on disk by node:http. */
type Place = "memory" | "disk";
async function video(place: Place = "memory", size = SIZE) {
  if (place === "memory") return videoFile(size);
  const path = join(folder.path, "video.mp4");
  await writeContent(path, size);
  return await openFile(path);
}

type UploadCall = "POST" | "HEAD" | "PATCH" | "PUT";
const run = async (
  host: HostileHost,
  call: UploadCall,
  place: Place = "memory",
  options: UploadOptions = PATIENT,
) =>
  upload(host.client(), await video(place), {
    ...options,
    method: call === "PUT" ? "direct" : "resumable",
    resume: false,
  });

/** What unreferenced signals are collected by. */
function collectGarbage(): void {
  const { gc } = globalThis as { gc?: () => void };
  try {
    if (gc !== undefined) return void gc();
    setFlagsFromString("--expose-gc");
    runInNewContext("gc")();
  } catch {
    for (let round = 0; round < 50; round++) new Array(100_000).fill({});
  }
}

/** Collects garbage while a call goes on: a timer or a signal that nobody holds would be lost. */
async function ends<T>(call: Promise<T>): Promise<T> {
  let over = false;
  const leave = () => {
    over = true;
  };
  call.then(leave, leave);
  while (!over) {
    collectGarbage();
    await delay(100);
  }
  return await call;
}

/** A HEAD is asked only after something broke. */
function brokenOnce(call: UploadCall, answer: RawAnswer): Partial<Record<Call, RawAnswer>> {
  if (call !== "HEAD") return { [call]: answer };
  let broken = false;
  return {
    HEAD: answer,
    PATCH(_, socket) {
      if (broken) socket.write(rawAnswer(500, { "content-length": 0 }));
      else socket.destroy();
      broken = true;
    },
  };
}

const withBody = (status: number | string, text: string | Buffer, headers = {}): RawAnswer => {
  return (_, socket) => {
    socket.write(rawAnswer(status, { ...headers, "content-length": text.length }));
    socket.write(text);
  };
};

describe("upload()", () => {
  test.each<[string, UploadCall, Place, RawAnswer]>([
    ["never comes", "HEAD", "disk", () => {}],
    ["falls silent after its headers", "PATCH", "disk", silentAfter(200, "", { "upload-offset": `${SIZE}` })],
    ["is a refusal that falls silent", "PUT", "memory", silentAfter(403, "no")],
    ["drips", "POST", "memory", dripping(403)],
  ])("ends where an answer %s (%s, from %s)", async (_, call, place, answer) => {
    const host = await startHostileHost(brokenOnce(call, answer));
    const error = await ends(caught(run(host, call, place, IMPATIENT)));
    expect(error).toMatchObject({ code: "interrupted" });
  });

  test.each<[string, UploadCall, Place, RawAnswer]>([
    ["no answer comes", "PUT", "disk", () => {}],
    ["the body of one is read", "POST", "memory", silentAfter(403, "no")],
  ])("ends at an abort while %s (%s, from %s)", async (_, call, place, answer) => {
    const host = await startHostileHost({ [call]: answer });
    const stop = new AbortController();
    const running = run(host, call, place, { signal: stop.signal });
    running.catch(() => {});
    await expect.poll(() => host.countOf(call)).toBeGreaterThan(0);
    for (let round = 0; round < 5; round++) {
      await delay(10);
      collectGarbage();
    }
    stop.abort("enough");
    await expect(running).rejects.toBe("enough");
  });

  test.each<[UploadCall, Place, string, Record<string, string>]>([
    ["PUT", "memory", "no way ", { "content-type": "text/plain" }],
    ["PATCH", "disk", "no way ", { "content-type": "text/plain" }],
    ["PUT", "disk", "001\r\n \r\n", { "transfer-encoding": "chunked" }],
  ])("reads little of an endless refusal (%s, from %s, of %j)", async (call, place, piece, headers) => {
    const count = { written: 0 };
    const host = await startHostileHost({ [call]: endless(403, piece, headers, count) });
    const error = await caught(run(host, call, place));
    expect(error).toMatchObject({ code: "location-refused" });
    expect(error.message.length).toBeLessThan(700);
    await expect.poll(() => host.open).toBe(0);
    // Sockets hold some MiB that nobody reads.
    expect(count.written).toBeLessThan(40 * MiB);
  });

  test.each<[UploadCall, Place, string]>([
    ["PATCH", "disk", "000"],
    ["HEAD", "memory", "999"],
    ["PUT", "memory", "600"],
  ])("asks again after an answer without a status of HTTP (%s, from %s, %s)", async (call, place, status) => {
    const answer: RawAnswer = (_, socket) => void socket.end(rawAnswer(status, { connection: "close" }));
    const host = await startHostileHost(brokenOnce(call, answer));
    const error = await caught(run(host, call, place));
    expect(error).toMatchObject({ code: "interrupted", resume: { possible: true } });
    // A HEAD is the second attempt already.
    expect(host.countOf(call)).toBe(call === "HEAD" ? 1 : 2);
  });

  inNode("goes on after a sign-in page in place of the answer to the creation", async () => {
    let asked = 0;
    const page = withBody(200, "<!doctype html><title>Sign in</title>", { "content-type": "text/html" });
    const host: HostileHost = await startHostileHost({
      POST: (request, socket) => {
        if (asked++ === 0) return page(request, socket);
        socket.write(rawAnswer(201, { "content-length": 0, location: "/tus/upload" }));
      },
    });
    await run(host, "POST");
    expect(host.countOf("request-upload")).toBe(1);
    expect(host.stored).toBe(SIZE);
  });

  inNode.each<UploadCall>(["PATCH", "HEAD"])(
    "ends where the answer to a %s has an offset that is none",
    async (call) => {
      const headers = { "upload-offset": "1e3", ...(call === "HEAD" && { "content-length": 0 }) };
      const answer: RawAnswer = (_, socket) =>
        void socket.write(rawAnswer(call === "HEAD" ? 200 : 204, headers));
      const host = await startHostileHost(brokenOnce(call, answer));
      expect(await caught(run(host, call))).toMatchObject({ code: "interrupted" });
      expect(host.countOf(call)).toBeLessThan(8);
    },
  );

  inNode("ends where the offset of a host is beyond the end", async () => {
    const told: RawAnswer = (_, socket) =>
      void socket.write(rawAnswer(200, { "upload-offset": 11 * MiB, "content-length": 0 }));
    const host = await startHostileHost(brokenOnce("HEAD", told));
    const running = upload(host.client(), await video("memory", 10 * MiB), {
      ...PATIENT,
      method: "resumable",
    });
    expect(await caught(running)).toMatchObject({
      code: "offset-beyond-end",
      message: expect.stringContaining("of a source that has"),
    });
    expect(host.countOf("HEAD")).toBeLessThan(40);
  });

  inNode("ends where the answer to a PATCH counts nothing of it", async () => {
    const host = await startHostileHost({
      PATCH: ({ headers }, socket) =>
        void socket.write(rawAnswer(204, { "upload-offset": headers["upload-offset"] ?? 0 })),
    });
    expect(await caught(run(host, "PATCH"))).toMatchObject({ code: "interrupted" });
    expect(host.countOf("PATCH")).toBeLessThan(8);
  });

  test.each<[UploadCall, Place]>([
    ["PUT", "memory"],
    ["PATCH", "disk"],
  ])("takes no success of a %s of a file in %s that comes before all of it was sent", async (call, place) => {
    const LENGTH = 24 * MiB;
    const answers: Record<string, [number, Record<string, string | number>]> = {
      POST: [201, { location: "/upload" }],
      HEAD: [200, { "upload-offset": 0 }],
      PATCH: [204, { "upload-offset": LENGTH }],
      PUT: [200, {}],
    };
    const server = createServer((request, response) => {
      response.writeHead(...(answers[request.method ?? ""] ?? [405, {}])).end();
    });
    const origin = await listen(server);
    const [url, tusEndpoint] = [`${origin}/direct`, `${origin}/tus`];
    const requester = {
      scope: "test",
      requestUpload: async () => ({ asset: { id: "asset-1" }, url, tusEndpoint, mismatches: [] }),
    };
    const method = call === "PUT" ? "direct" : "resumable";
    const running = upload(requester, await video(place, LENGTH), { ...PATIENT, method });
    expect(await caught(running)).toMatchObject({ code: "interrupted" });
  });
});

describe("the account's calls", () => {
  test("that fall silent after the headers are lost", async () => {
    const host = await startHostileHost({ "request-upload": silentAfter(200, "{") });
    const error = await ends(caught(host.client({ timeout: 300 }).requestUpload()));
    expect(error).toMatchObject({ code: "asset-unknown" });
  });

  test("a refusal that falls silent is a refusal", async () => {
    const host = await startHostileHost({ terminate: silentAfter(401, "no") });
    // The headers come in time, however busy the machine is.
    const error = await ends(caught(host.client({ timeout: 3_000 }).terminateStream("launch-stream")));
    expect(error).toMatchObject({ code: "unauthorized", httpStatus: 401 });
  });

  const quick = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
  test.each<[Call, string, (large: Buffer) => Buffer]>([
    ["request-upload", "gzip", (large) => gzipSync(large)],
    ["PUT", "br", (large) => brotliCompressSync(large, quick)],
  ])(
    "of a small answer to %s (%s) that unpacks to a large one little is read",
    async (call, packing, pack) => {
      const packed = pack(Buffer.alloc(64 * MiB, '{"a":"b"} '));
      const host = await startHostileHost({
        [call]: withBody(call === "PUT" ? 403 : 200, packed, { "content-encoding": packing }),
      });
      const decode = vi.spyOn(TextDecoder.prototype, "decode");
      const error = await caught(call === "PUT" ? run(host, "PUT") : host.client().requestUpload());
      expect(error).toMatchObject({ code: call === "PUT" ? "location-refused" : "unexpected-answer" });
      const decoded = decode.mock.calls.reduce((sum, [piece]) => sum + (piece?.byteLength ?? 0), 0);
      expect(decoded).toBeLessThan(2 * MiB);
      // Bun unpacks all that has come before the first of it can be read, and is asked for no packed answer.
      if ("Bun" in globalThis) expect(host.requests[0]?.headers["accept-encoding"]).toBe("identity");
    },
  );

  test("a packed answer is read where its server packs all of them", async () => {
    const packed = gzipSync(JSON.stringify({ url: "http://127.0.0.1:9/a", asset: { id: "asset-1" } }));
    const host = await startHostileHost({
      "request-upload": withBody(200, packed, { "content-encoding": "gzip" }),
    });
    expect((await host.client().requestUpload()).asset.id).toBe("asset-1");
  });

  test.each(["unknown", "constructor", "toString", "__proto__"])(
    "an answer in the unknown packing %s is not called lost",
    async (packing) => {
      const location = JSON.stringify({ url: "http://127.0.0.1:9/a", asset: { id: "asset-1" } });
      const host = await startHostileHost({
        "request-upload": withBody(200, location, { "content-encoding": packing }),
      });
      const answer: unknown = await host
        .client()
        .requestUpload()
        .catch((error: unknown) => error);
      // Where this module unpacks by itself, nothing of it is read.
      const expected = "Bun" in globalThis ? { code: "unexpected-answer" } : { asset: { id: "asset-1" } };
      expect(answer).toMatchObject(expected);
    },
  );

  inNode.each(["profiles", "hash", "playbackPolicy.allowedOrigins", "videoSpec.tracks"])(
    "of 2,000 wrong entries in %s a hundred mismatches are reported at most",
    async (path) => {
      const [outer = "", inner] = path.split(".");
      const list = new Array(2000).fill({});
      const asset = { id: "asset-1", [outer]: inner === undefined ? list : { [inner]: list } };
      const [url, tusEndpoint] = ["http://127.0.0.1:1/a", "http://127.0.0.1:1/b"];
      const host = await startHostileHost({
        "request-upload": withBody(200, JSON.stringify({ asset, url, tusEndpoint })),
      });
      const location = await host.client().requestUpload();
      expect(location.mismatches.length).toBeLessThanOrEqual(100);
      expect(location.mismatches.some(({ path: each }) => each.startsWith(`asset.${path}`))).toBe(true);
      expect(location.asset).toEqual(asset);
    },
  );

  inNode(
    "what an asset's id repeats of the token and the location is not shown, and no more than its beginning",
    async () => {
      const id = `${"a".repeat(100_000)}${TOKEN} ${MARKER}-location`;
      const host: HostileHost = await startHostileHost({
        "request-upload": (request, socket) => {
          const locations = { url: "/a", tusEndpoint: `${host.origin}/tus?token=${MARKER}-location` };
          return withBody(200, JSON.stringify({ ...locations, asset: { id } }))(request, socket);
        },
        PATCH: withBody(403, ""),
      });
      const error = await caught(run(host, "PATCH"));
      expect(error).toMatchObject({ code: "location-refused", resume: { possible: false } });
      expect(JSON.stringify(error).length).toBeLessThan(10_000);
    },
  );

  inNode("what an asset's id repeats of a location that an earlier call was given is not shown", async () => {
    const id = "harbour-57";
    const host: HostileHost = await startHostileHost({
      "request-upload": (request, socket) => {
        const location = { tusEndpoint: `${host.origin}/tus?lane=${id}`, asset: { id } };
        return withBody(200, JSON.stringify(location))(request, socket);
      },
      PATCH: (_, socket) => void socket.destroy(),
    });
    const client = host.client();
    const fail = async () => caught(upload(client, await video(), { ...PATIENT, method: "resumable" }));
    await fail();
    expect(await fail()).toMatchObject({ resume: { assetId: HIDDEN, possible: true } });
    expect(host.countOf("request-upload")).toBe(1);
  });
});

test("an upload URL elsewhere is asked without the account's authorization", async () => {
  const elsewhere = await startHostileHost();
  const host = await startHostileHost({}, { uploadUrl: `${elsewhere.origin}/tus/upload` });
  const client = host.client({ uploadAuthorization: true });
  await upload(client, await video(), { ...PATIENT, method: "resumable" });
  expect(elsewhere.requests.map(({ method }) => method)).toContain("PATCH");
  for (const { headers } of elsewhere.requests) expect(headers).not.toHaveProperty("authorization");
  const [created] = host.requests.filter(({ path }) => path.startsWith("/tus?"));
  expect(created?.headers.authorization).toBe(`Bearer ${TOKEN}`);
});

describe("a stream of unknown length", () => {
  const stream = () => new Response(content(20 * MiB)).body as ReadableStream<Uint8Array>;

  /** A host whose answer to one PATCH fails, and whose HEAD names a length. */
  async function startLengthHost(fails: (headers: Record<string, string>) => boolean, more: number) {
    let failed = false;
    const host: HostileHost = await startHostileHost({
      PATCH(request, socket) {
        if (!failed && fails(request.headers)) {
          failed = true;
          return void socket.write(rawAnswer(503, { "content-length": 0 }));
        }
        host.stored = Number(request.headers["upload-offset"]) + request.size;
        socket.write(rawAnswer(204, { "upload-offset": host.stored }));
      },
      HEAD(_, socket) {
        const length = { "upload-length": host.stored + more, "content-length": 0 };
        socket.write(rawAnswer(200, { "upload-offset": host.stored, ...length }));
      },
    });
    return host;
  }

  inNode("goes on where a HEAD names a length that nobody told", async () => {
    const host = await startLengthHost((headers) => headers["upload-length"] === undefined, 1);
    const { size } = await upload(host.client(), stream(), { ...PATIENT, type: "video/mp4" });
    expect([size, host.stored]).toEqual([20 * MiB, 20 * MiB]);
  });

  inNode("is refused where the host names another length than it was told", async () => {
    const host = await startLengthHost((headers) => headers["upload-length"] !== undefined, 0);
    const call = upload(host.client(), stream(), { ...PATIENT, type: "video/mp4" });
    expect(await caught(call)).toMatchObject({ code: "source-changed" });
  });
});

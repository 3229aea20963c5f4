/** Uploads, resumable ones and direct ones, and the faults that may befall them. */
import { Readable } from "node:stream";
import { Upload } from "tus-js-client";
import { beforeEach, describe, expect, test } from "vitest";
import * as harness from "./harness.ts";
import type { LoggedRequest } from "./requests.ts";

const { auth, head, MiB, noise, patch, patchAndBreak, send, sha256, tus } = harness;
const service = harness.useServiceInProcess({ switches: { processing: "hash" } });
beforeEach(() => service.turn({ processing: "hash" }));

async function logged(method: string): Promise<LoggedRequest[]> {
  const { requests } = await service.demo<{ requests: LoggedRequest[] }>("requests");
  return requests.filter((each) => each.method === method);
}

describe("resetAfter", () => {
  test("keeps exactly the bytes before it, and is used up", async () => {
    const data = noise(2 * MiB);
    const { location, id } = await service.create(data.length);
    await service.turn({ resetAfter: [{ host: "upload", method: "PATCH", bytes: 1_234_567, times: 1 }] });
    await expect(patch(location, 0, data)).rejects.toThrow(/ECONNRESET|EPIPE|socket/);
    expect((await logged("PATCH")).at(-1)).toMatchObject({ status: "reset", uploadOffset: "0" });
    expect(await head(location)).toBe(1_234_567);
    expect((await patch(location, 1_234_567, data.subarray(1_234_567))).status).toBe(204);
    expect(await service.processed(id)).toMatchObject({ sha256: sha256(data) });
    expect(await service.demo("switches")).toMatchObject({ resetAfter: [{ times: 0 }] });
  });

  test("reaches account calls too", async () => {
    await service.turn({ resetAfter: [{ host: "api", method: "POST", bytes: 0, times: 1 }] });
    await expect(service.locate()).rejects.toThrow();
    expect((await service.locate()).asset.name).toBe("A video");
  });
});

test("stallAfter reads no further, answers nothing, and leaves the connection open", async () => {
  const { location } = await service.create(MiB);
  const once = { bytes: 1000, times: 1 };
  await service.turn({
    stallAfter: [
      { host: "upload", method: "PATCH", ...once },
      { host: "api", method: "DELETE", ...once, bytes: 0 },
    ],
  });
  const stopper = new AbortController();
  const { signal } = stopper;
  const headers = { ...tus, "upload-offset": "0", "content-type": "application/offset+octet-stream" };
  const stalled = fetch(location, { method: "PATCH", headers, body: noise(MiB) });
  const url = service.url("/stream/quiet-stream/terminate");
  const silent = fetch(url, { method: "DELETE", headers: auth, signal });
  silent.catch(() => {});
  await expect.poll(() => logged("DELETE")).toHaveLength(1);
  const arrived = async () =>
    (await service.demo<{ uploads: { arrived: number }[] }>("uploads")).uploads.at(-1)?.arrived;
  await expect.poll(arrived).toBe(1000);
  expect(await head(location)).toBe(1000);
  expect((await send(url, { method: "DELETE", headers: auth })).status).toBe(204);
  stopper.abort(new Error("left"));
  await expect(silent).rejects.toThrow("left");
  // It yields to the next request for the same upload.
  expect((await stalled).status).toBe(400);
});

test("dropAnswer does the work and loses the answer", async () => {
  const data = noise(1000);
  const { location, id } = await service.create(data.length);
  await service.turn({ dropAnswer: [{ host: "upload", method: "PATCH", times: 1 }] });
  await expect(patch(location, 0, data)).rejects.toThrow();
  expect(await head(location)).toBe(1000);
  expect(await service.processed(id)).toMatchObject({ sha256: sha256(data) });

  await service.turn({ dropAnswer: [{ host: "api", path: "/terminate", times: 1 }] });
  const url = service.url("/stream/launch-stream/terminate");
  await expect(send(url, { method: "DELETE", headers: auth })).rejects.toThrow();
  const { streams } = await service.demo<{ streams: { live: boolean }[] }>("streams");
  expect(streams.filter(({ live }) => live)).toHaveLength(2);
});

describe("answerStatus", () => {
  test("answers so many times instead of doing the work", async () => {
    const data = noise(1000);
    const { location } = await service.create(data.length);
    const once = { host: "upload", method: "PATCH", times: 1 } as const;
    await service.turn({
      answerStatus: [
        { ...once, status: 503, retryAfter: "1" },
        { ...once, status: 200, contentType: "text/html", body: "<h1>Log in</h1>" },
        { ...once, status: 307, location: "http://elsewhere.test/", cors: false },
      ],
    });
    const origin = { headers: { origin: "https://example.test" } };
    const busy = await patch(location, 0, data, origin);
    expect(busy).toMatchObject({ status: 503, headers: { "retry-after": "1" } });
    expect(busy.headers["access-control-allow-origin"]).toBe("https://example.test");
    expect(await patch(location, 0, data)).toMatchObject({ status: 200, text: "<h1>Log in</h1>" });
    const moved = await patch(location, 0, data, origin);
    expect(moved).toMatchObject({ status: 307, headers: { location: "http://elsewhere.test/" } });
    expect(moved.headers).not.toHaveProperty("access-control-allow-origin");
    expect(await head(location)).toBe(0);
    expect((await patch(location, 0, data)).status).toBe(204);
  });

  test("leaves preflights alone unless they are meant", async () => {
    await service.turn({ answerStatus: [{ host: "upload", status: 500, times: 1 }] });
    const { tusEndpoint } = await service.locate();
    expect((await send(tusEndpoint, { method: "OPTIONS" })).status).toBe(204);
    expect((await send(tusEndpoint, { method: "POST", headers: tus })).status).toBe(500);
  });

  test("can come before the body's end", async () => {
    await service.turn({ answerStatus: [{ host: "upload", method: "PUT", status: 429, early: true }] });
    const { url } = await service.locate();
    const headers = { "content-length": String(1000 * MiB) };
    const early = fetch(url, { method: "PUT", headers, body: noise(64 * MiB) }).then(
      ({ status }) => status,
      () => "cut",
    );
    expect([429, "cut"]).toContain(await early);
  });
});

test("requestTimeLimit answers 408 without CORS headers; what arrived counts, and a slow line is slow", async () => {
  const data = noise(400_000);
  const { location } = await service.create(data.length);
  await service.turn({ requestTimeLimit: 1, throttle: 50_000 });
  const reply = await patch(location, 0, data, { headers: { origin: "https://example.test" } });
  expect(reply.status).toBe(408);
  expect(reply.headers).not.toHaveProperty("access-control-allow-origin");
  const offset = await head(location);
  expect(offset).toBeGreaterThan(0);
  expect(offset).toBeLessThan(data.length);
});

test("discardBytes counts what it throws away", async () => {
  await service.turn({ discardBytes: true, processing: "none" });
  const { location } = await service.create(5 * MiB);
  expect((await patch(location, 0, noise(5 * MiB))).status).toBe(204);
  expect(await head(location)).toBe(5 * MiB);
});

test("an upload by tus-js-client arrives whole, with its metadata", async () => {
  const data = noise(3 * MiB);
  const { tusEndpoint, asset } = await service.locate();
  await new Promise<void>((resolve, reject) => {
    new Upload(data, {
      endpoint: tusEndpoint,
      metadata: { filename: "video.mp4", filetype: "video/mp4" },
      chunkSize: MiB,
      onError: reject,
      onSuccess: () => resolve(),
    }).start();
  });
  const stored = await service.processed(asset.id);
  expect(stored).toMatchObject({ sha256: sha256(data), transfer: "tus", fileName: "video.mp4" });
  expect(stored.asset).toMatchObject({
    size: data.length,
    hash: [{ hash: sha256(data), algorithm: "sha256" }],
  });
});

describe("the upload's address", () => {
  test("has another path without the token, and is good only as it stands", async () => {
    const { location } = await service.create(10);
    expect(location).toMatch(/\/api\/asset\/upload\/tus\/directUpload%2F[0-9a-f]+$/);
    expect(await head(location)).toBe(0);
    for (const wrong of [location.replace("%2F", "/"), `${location}?token=x`, `${location}0`])
      expect((await send(wrong, { method: "HEAD", headers: tus })).status).toBe(404);
  });

  test("is the same when it is created again, at the old offset", async () => {
    const { tusEndpoint } = await service.locate();
    const creation = { method: "POST", headers: { ...tus, "upload-length": "10" } };
    const first = await send(tusEndpoint, creation);
    const location = first.headers.location ?? "";
    await patch(location, 0, noise(4));
    const again = await send(tusEndpoint, creation);
    expect(again).toMatchObject({ status: 201, headers: { location } });
    expect(await head(location)).toBe(4);
  });

  test("is gone after it was terminated", async () => {
    const { location, id } = await service.create(10);
    await patch(location, 0, noise(4));
    expect((await send(location, { method: "DELETE", headers: tus })).status).toBe(204);
    expect((await send(location, { method: "HEAD", headers: tus })).status).toBe(410);
    expect(await service.demo(`assets/${id}`)).toMatchObject({
      terminated: true,
      asset: { status: { phase: "failed" } },
    });
  });
});

describe("after the last byte", () => {
  test("HEAD confirms, a repeated PATCH is refused and the token is used up", async () => {
    const { tusEndpoint } = await service.locate();
    const creation = { method: "POST", headers: { ...tus, "upload-length": "10" } };
    const location = (await send(tusEndpoint, creation)).headers.location ?? "";
    await patch(location, 0, noise(10));
    expect(await head(location)).toBe(10);
    expect((await patch(location, 0, noise(10))).status).toBe(409);
    const again = await send(tusEndpoint, creation);
    expect(again).toMatchObject({ status: 422, text: '{"errors":["asset has already been uploaded"]}' });
    expect((await send(location, { method: "DELETE", headers: tus })).status).toBe(400);
  });

  test("more than the length is refused", async () => {
    const { location } = await service.create(10);
    expect((await patch(location, 0, noise(11))).status).toBe(413);
    const chunked = { "transfer-encoding": "chunked" };
    expect((await patch(location, 0, noise(11), { headers: chunked })).status).toBe(413);
    expect(await head(location)).toBe(0);
  });
});

test("tokens: 401 missing, 403 garbage, and concatenation 501", async () => {
  const { tusEndpoint } = await service.locate();
  const headers = { ...tus, "upload-length": "10" };
  const create = async (url: string, more = {}) =>
    (await send(url, { method: "POST", headers: { ...headers, ...more } })).status;
  expect(await create(service.uploadUrl("/api/asset/upload/tus"))).toBe(401);
  expect(await create(service.uploadUrl("/api/asset/upload/tus?token=a.b.c"))).toBe(403);
  expect(await create(tusEndpoint, { "upload-concat": "partial" })).toBe(501);
  await service.turn({ nestedErrors: true });
  const missing = await send(service.uploadUrl("/api/asset/upload/tus"), { method: "POST", headers });
  expect(JSON.parse(missing.text)).toEqual({ errors: [["missing upload token"]] });
});

test("a streamed body of a client that dies doesn't end the service", async () => {
  const { location } = await service.create(50 * MiB);
  const dying = Readable.from(
    (async function* () {
      yield noise(MiB);
      throw new Error("gone");
    })(),
  );
  const headers = { ...tus, "upload-offset": "0", "content-type": "application/offset+octet-stream" };
  const body = Readable.toWeb(dying) as ReadableStream;
  await fetch(location, { method: "PATCH", headers, body, duplex: "half" } as RequestInit).catch(() => {});
  expect(await head(location)).toBeLessThanOrEqual(MiB);
});

function put(url: string, body: Buffer, more: harness.Sending = {}) {
  return send(url, { ...more, method: "PUT", body });
}

test("a PUT is answered 200, empty, with an ETag; then its token is used up", async () => {
  const data = noise(2 * MiB + 1);
  const { url, asset } = await service.locate();
  const reply = await put(url, data, { headers: { "content-type": "video/mp4" } });
  expect(reply).toMatchObject({ status: 200, text: "", headers: { etag: expect.stringMatching(/^".+"$/) } });
  expect(await service.processed(asset.id)).toMatchObject({ sha256: sha256(data), transfer: "direct" });
  expect(await put(url, data)).toMatchObject({
    status: 422,
    text: '{"errors":["asset has already been uploaded"]}',
  });
});

test("a body without a length is 411", async () => {
  const { url } = await service.locate();
  expect((await put(url, noise(10), { headers: { "transfer-encoding": "chunked" } })).status).toBe(411);
});

test("a JSON type hangs until the client goes away", async () => {
  const { url } = await service.locate();
  const stopper = new AbortController();
  const headers = { "content-type": "application/json" };
  const answer = fetch(url, { method: "PUT", headers, body: "x", signal: stopper.signal });
  answer.catch(() => {});
  await expect.poll(async () => (await logged("PUT")).at(-1)).toMatchObject({ bytesReceived: 1 });
  // What comes later is answered, and this one isn't.
  expect((await put(url, noise(10))).status).toBe(200);
  stopper.abort(new Error("left"));
  await expect(answer).rejects.toThrow("left");
});

/** Sends in chunks, trusting each answer's offset, as long as the service accepts them. */
async function sendInChunks(location: string, data: Buffer, chunk: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let offset = 0; offset < data.length; offset += chunk) {
    const reply = await patch(location, offset, data.subarray(offset, offset + chunk));
    statuses.push(reply.status);
    if (reply.status !== 204) break;
    expect(Number(reply.headers["upload-offset"])).toBe(Math.min(offset + chunk, data.length));
  }
  return statuses;
}

describe("of a store that counts in parts", () => {
  beforeEach(() => service.turn({ parts: true }));

  test.each([
    ["one request for all", 64 * MiB],
    ["chunks of 8 MiB", 8 * MiB],
    ["chunks of 16 MiB", 16 * MiB],
  ])("%s", async (_what, chunk) => {
    const data = noise(20 * MiB + 3);
    const { location, id } = await service.create(data.length);
    await sendInChunks(location, data, chunk);
    expect(await service.processed(id)).toMatchObject({ sha256: sha256(data) });
  });

  test("a request that is interrupted counts up to its last whole part", async () => {
    const data = noise(20 * MiB);
    const { location, id } = await service.create(data.length);
    await patchAndBreak(location, 0, data.subarray(0, 13 * MiB), data.length);
    expect(await head(location)).toBe(8 * MiB);
    await patchAndBreak(location, 8 * MiB, data.subarray(8 * MiB, 9 * MiB), 12 * MiB);
    expect(await head(location)).toBe(8 * MiB);
    await patch(location, 8 * MiB, data.subarray(8 * MiB));
    expect(await service.processed(id)).toMatchObject({ sha256: sha256(data) });
  });

  test("a whole file with its creation", async () => {
    const data = noise(9 * MiB);
    const { id } = await createWith(data, data.length);
    expect(await service.processed(id)).toMatchObject({ sha256: sha256(data) });
  });
  test("chunks of 1 MiB are acknowledged, and never finish", async () => {
    const data = noise(3 * MiB);
    const { location } = await service.create(data.length);
    expect(await sendInChunks(location, data, MiB)).toEqual([204, 409]);
    expect(await head(location)).toBe(0);
  });

  test("chunks of 10 MiB succeed with a wrong hash", async () => {
    const data = noise(25 * MiB);
    const { location, id } = await service.create(data.length);
    expect(await sendInChunks(location, data, 10 * MiB)).toEqual([204, 204, 204]);
    const stored = await service.processed(id);
    expect(stored.asset.size).toBe(data.length);
    expect(stored.sha256).not.toBe(sha256(data));
  });

  test("a part of a file with its creation corrupts it", async () => {
    const data = noise(9 * MiB);
    const { id, location } = await createWith(data.subarray(0, 2 * MiB), data.length);
    expect(await head(location)).toBe(2 * MiB);
    expect((await patch(location, 2 * MiB, data.subarray(2 * MiB))).status).toBe(204);
    expect((await service.processed(id)).sha256).not.toBe(sha256(data));
  });

  test("creating again starts again", async () => {
    const { tusEndpoint } = await service.locate();
    const creation = { method: "POST", headers: { ...tus, "upload-length": String(20 * MiB) } };
    const location = (await send(tusEndpoint, creation)).headers.location ?? "";
    await patch(location, 0, noise(8 * MiB));
    expect(await head(location)).toBe(8 * MiB);
    expect((await send(tusEndpoint, creation)).headers.location).toBe(location);
    expect(await head(location)).toBe(0);
  });
});

async function createWith(body: Buffer, size: number): Promise<{ id: string; location: string }> {
  const { tusEndpoint, asset } = await service.locate();
  const headers = {
    ...tus,
    "upload-length": String(size),
    "content-type": "application/offset+octet-stream",
  };
  const reply = await send(tusEndpoint, { method: "POST", headers, body });
  expect(reply.status).toBe(201);
  return { id: asset.id, location: reply.headers.location ?? "" };
}

/** What the tests of its clients would not notice: those use the service, and fail where the rest of it does. */
import { once } from "node:events";
import { request } from "node:http";
import { beforeEach, describe, expect, test } from "vitest";
import { content, sha256 } from "../support/content.ts";
import {
  askForLocation,
  authorization,
  create,
  creation,
  head,
  locate,
  MiB,
  noise,
  patch,
  patchAndBreak,
  type Sending,
  send,
  tus,
} from "./bare-requests.ts";
import { useService } from "./use-service.ts";

const service = useService();
const put = (url: string, body: Buffer, more: Sending = {}) => send(url, { ...more, method: "PUT", body });
const USED = { status: 422, text: '{"errors":["asset has already been uploaded"]}' };

test("request-upload answers with both locations on the upload host, the documented record and a task", async () => {
  const profiles = [{ name: "720p", width: 1280, gop: "2.0", profile: "H264Baseline", encoder: "H.264" }];
  const playbackPolicy = { type: "webhook", webhookId: "w", webhookContext: { a: 1 }, refreshInterval: 60 };
  const { url, tusEndpoint, asset, task } = await locate(service, { name: "A", profiles, playbackPolicy });
  expect(url).toMatch(`${service.uploadUrl}/api/asset/upload/direct?token=`);
  expect(tusEndpoint).toMatch(`${service.uploadUrl}/api/asset/upload/tus?token=`);
  expect(task.id).toMatch(/^[0-9a-f-]{36}$/);
  expect(asset).toMatchObject({
    name: "A",
    type: "video",
    creatorId: { type: "unverified" },
    profiles: [{ ...profiles[0], gop: 2 }],
    playbackPolicy,
    status: { phase: "uploading" },
    storage: { status: { phase: "ready" } },
  });
  expect(asset.playbackUrl).toMatch(/\.m3u8$/);
  expect(asset).not.toHaveProperty("size");
  expect(asset).not.toHaveProperty("staticMp4");
});

test.each([
  ["no name", "{}", 422, /"keyword\\":\\"required/],
  ["a name that is no text", '{"name":1}', 422, /"keyword\\":\\"type/],
  [
    "half a pixel",
    '{"name":"A","profiles":[{"width":1.5}]}',
    422,
    /"instancePath\\":\\"\/profiles\/0\/width/,
  ],
  ["a list", '["A"]', 422, /must be object/],
  ["malformed JSON", "{", 400, /malformed/],
  ["more than 100 kB", JSON.stringify({ name: "A".repeat(110_000) }), 413, /too large/],
  ["null for profiles and policy", '{"name":"A","profiles":null,"playbackPolicy":null}', 200, /tusEndpoint/],
])("request-upload answers to %s as a real service does", async (_, body, status, words) => {
  const reply = await askForLocation(service, body);
  expect(reply.status).toBe(status);
  expect(reply.text).toMatch(words);
});

test("/_demo refuses switches that it doesn't know, and logs requests without query and tokens", async () => {
  await expect(service.set({ partz: true } as object)).rejects.toThrow("partz");
  await expect(service.set({ latency: -1 })).rejects.toThrow("latency");
  const url = `${service.baseUrl}/api/asset/request-upload?token=s3cret`;
  await send(url, { method: "POST", headers: authorization(service) });
  await send(url, { method: "POST" });
  const log = await service.requests();
  const request = { host: "api", method: "POST", path: "/api/asset/request-upload" };
  expect(log).toMatchObject([
    { ...request, status: 422, hasAuthorization: true },
    { ...request, status: 401, hasAuthorization: false },
  ]);
  expect(JSON.stringify(log)).not.toContain("s3cret");
  expect(log[0]?.connection).not.toBe(log[1]?.connection);
});

test("a direct upload that a reset comes into leaves no asset", async () => {
  const { url } = await locate(service);
  const sending = request(url, { method: "PUT", headers: { "content-length": "8" } });
  const answered = once(sending, "response");
  sending.write("half");
  await expect.poll(() => service.requests("PUT")).toMatchObject([{ bytesReceived: 4 }]);
  await service.reset();
  sending.end("rest");
  await answered;
  expect(await service.assets()).toEqual([]);
});

test("a request that waits while the service is reset does nothing", async () => {
  await service.set({ latency: 60_000 });
  const broken = askForLocation(service, '{"name":"A"}').catch(() => "reset");
  await expect.poll(() => service.requests("POST")).toHaveLength(1);
  await service.reset();
  expect(await broken).toBe("reset");
  expect(await service.assets()).toEqual([]);
});

test("resetAfter keeps exactly the bytes before it, and is used up", async () => {
  const data = noise(2 * MiB);
  const { location, id } = await create(service, data.length);
  await service.set({ resetAfter: [{ host: "upload", method: "PATCH", bytes: 1_234_567, times: 1 }] });
  await expect(patch(location, 0, data)).rejects.toThrow(/ECONNRESET|EPIPE|socket/);
  expect(await service.requests("PATCH")).toMatchObject([{ status: "reset", uploadOffset: "0" }]);
  expect(await head(location)).toBe(1_234_567);
  expect((await patch(location, 1_234_567, data.subarray(1_234_567))).status).toBe(204);
  expect((await service.whole(id)).sha256).toBe(sha256(data));
});

describe("answerStatus", () => {
  test("leaves preflights alone unless they are meant", async () => {
    await service.set({ answerStatus: [{ host: "upload", status: 500, times: 1 }] });
    const { tusEndpoint } = await locate(service);
    expect((await send(tusEndpoint, { method: "OPTIONS" })).status).toBe(204);
    expect((await send(tusEndpoint, { method: "POST", headers: tus })).status).toBe(500);
  });

  test("can come before the body's end", async () => {
    await service.set({ answerStatus: [{ host: "upload", method: "PUT", status: 429, early: true }] });
    const { url } = await locate(service);
    const headers = { "content-length": String(1000 * MiB) };
    const early = fetch(url, { method: "PUT", headers, body: content(64 * MiB) }).then(
      ({ status }) => status,
      () => "cut",
    );
    expect([429, "cut"]).toContain(await early);
  });
});

describe("the address of a resumable upload", () => {
  test("has another path without the token, and is good only as it stands", async () => {
    const { location } = await create(service, 10);
    expect(location).toMatch(/\/api\/asset\/upload\/tus\/directUpload%2F\w+$/);
    expect(await head(location)).toBe(0);
    for (const wrong of [location.replace("%2F", "/"), `${location}?token=x`, `${location}0`])
      expect((await send(wrong, { method: "HEAD", headers: tus })).status).toBe(404);
  });

  test("is the same when it is created again, at the old offset", async () => {
    const { tusEndpoint, location } = await create(service, 10);
    await patch(location, 0, noise(4));
    expect(await creation(tusEndpoint, 10)).toMatchObject({ status: 201, headers: { location } });
    expect(await head(location)).toBe(4);
  });

  test("takes no more than its length, no byte twice, and no other upload", async () => {
    const { tusEndpoint, location } = await create(service, 10);
    const chunked = { headers: { "transfer-encoding": "chunked" } };
    for (const more of [{}, chunked]) expect((await patch(location, 0, noise(11), more)).status).toBe(413);
    expect(await head(location)).toBe(0);
    await patch(location, 0, noise(10));
    expect((await patch(location, 0, noise(10))).status).toBe(409);
    expect(await creation(tusEndpoint, 10)).toMatchObject(USED);
    expect((await send(location, { method: "DELETE", headers: tus })).status).toBe(400);
  });

  test("is given for a right token alone: 401 without one, 403 for garbage, and 501 for concatenation", async () => {
    const endpoint = `${service.uploadUrl}/api/asset/upload/tus`;
    expect((await creation(endpoint, 10)).status).toBe(401);
    expect((await creation(`${endpoint}?token=a.b.c`, 10)).status).toBe(403);
    const { tusEndpoint } = await locate(service);
    expect((await creation(tusEndpoint, 10, { headers: { "upload-concat": "partial" } })).status).toBe(501);
  });
});

describe("a PUT", () => {
  test("is answered 200, empty, with an ETag, once, and 411 without a length", async () => {
    const data = noise(2 * MiB + 1);
    const { url, asset } = await locate(service);
    // So few bytes that they have left when the service ends the connection.
    expect((await put(url, noise(10), { headers: { "transfer-encoding": "chunked" } })).status).toBe(411);
    const reply = await put(url, data, { headers: { "content-type": "video/mp4" } });
    expect(reply).toMatchObject({
      status: 200,
      text: "",
      headers: { etag: expect.stringMatching(/^".+"$/) },
    });
    expect((await service.whole(asset.id)).sha256).toBe(sha256(data));
    expect(await put(url, data)).toMatchObject(USED);
  });

  test("of a JSON type hangs until the client goes away", async () => {
    const { url } = await locate(service);
    const stopper = new AbortController();
    const headers = { "content-type": "application/json" };
    const answer = fetch(url, { method: "PUT", headers, body: "x", signal: stopper.signal });
    answer.catch(() => {});
    await service.until(async () => (await service.requests("PUT"))[0]?.bytesReceived === 1);
    // What comes later is answered, and this one isn't.
    expect((await put(url, noise(10))).status).toBe(200);
    stopper.abort(new Error("left"));
    await expect(answer).rejects.toThrow("left");
  });
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

describe("a store that counts in parts", () => {
  beforeEach(() => service.set({ parts: true }));

  test.each([
    ["whole, in one request", 20 * MiB + 3, 64 * MiB, [204], true],
    ["whole, in chunks of 16 MiB", 20 * MiB + 3, 16 * MiB, [204, 204], true],
    ["with a wrong hash, in chunks of 10 MiB", 25 * MiB, 10 * MiB, [204, 204, 204], false],
  ])("has the file %s", async (_, size, chunk, statuses, isWhole) => {
    const data = noise(size);
    const { location, id } = await create(service, size);
    expect(await sendInChunks(location, data, chunk)).toEqual(statuses);
    const stored = await service.whole(id);
    expect(stored.asset.size).toBe(size);
    expect(stored.sha256 === sha256(data)).toBe(isWhole);
  });

  test("acknowledges chunks of 1 MiB, and never finishes", async () => {
    const data = noise(3 * MiB);
    const { location } = await create(service, data.length);
    expect(await sendInChunks(location, data, MiB)).toEqual([204, 409]);
    expect(await head(location)).toBe(0);
  });

  test("counts a request that is interrupted up to its last whole part, and starts again at a creation", async () => {
    const data = noise(20 * MiB);
    const { location, tusEndpoint } = await create(service, data.length);
    await patchAndBreak(location, 0, data.subarray(0, 13 * MiB), data.length);
    expect(await head(location)).toBe(8 * MiB);
    await patchAndBreak(location, 8 * MiB, data.subarray(8 * MiB, 9 * MiB), 12 * MiB);
    expect(await head(location)).toBe(8 * MiB);
    expect((await creation(tusEndpoint, data.length)).headers.location).toBe(location);
    expect(await head(location)).toBe(0);
  });

  test.each([
    ["whole", 9 * MiB, true],
    ["corrupt after a part of it", 2 * MiB, false],
  ])("has a file %s that comes with its creation", async (_, first, isWhole) => {
    const data = noise(9 * MiB);
    const { tusEndpoint, asset } = await locate(service);
    const headers = { "content-type": "application/offset+octet-stream" };
    const reply = await creation(tusEndpoint, data.length, { headers, body: data.subarray(0, first) });
    const location = reply.headers.location ?? "";
    expect(await head(location)).toBe(first);
    if (first < data.length) await patch(location, first, data.subarray(first));
    expect((await service.whole(asset.id)).sha256 === sha256(data)).toBe(isWhole);
  });
});

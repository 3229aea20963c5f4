/** Resumable uploads, counted by the byte. */
import { Readable } from "node:stream";
import { Upload } from "tus-js-client";
import { describe, expect, test } from "vitest";
import {
  auth,
  head,
  MiB,
  noise,
  patch,
  patchAndBreak,
  send,
  sha256,
  tus,
  useServiceInProcess,
} from "./harness.ts";

const service = useServiceInProcess({ switches: { processing: "hash" } });

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

  test("bears the scheme that is switched on", async () => {
    await service.turn({ locationScheme: "https" });
    expect((await service.create(10)).location).toMatch(/^https:/);
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

describe("an interrupted request", () => {
  test("counts every byte that arrived", async () => {
    const data = noise(3 * MiB + 17);
    const { location, id } = await service.create(data.length);
    await patchAndBreak(location, 0, data.subarray(0, MiB + 5), data.length);
    const offset = await head(location);
    expect(offset).toBe(MiB + 5);
    expect((await patch(location, offset, data.subarray(offset))).status).toBe(204);
    expect(await service.processed(id)).toMatchObject({ sha256: sha256(data) });
    const { uploads } = await service.demo<{ uploads: { assetId: string }[] }>("uploads");
    expect(uploads.find(({ assetId }) => assetId === id)).toMatchObject({
      bytesReceived: data.length,
      ranges: [
        [0, MiB + 5],
        [MiB + 5, data.length],
      ],
      offset: data.length,
    });
  });

  test("that is stalled yields to the next one", async () => {
    const { location } = await service.create(100);
    await service.turn({ stallAfter: [{ host: "upload", method: "PATCH", bytes: 30, times: 1 }] });
    const stalled = patch(location, 0, noise(100)).catch(() => "reset");
    const arrived = async () =>
      (await service.demo<{ uploads: { arrived: number }[] }>("uploads")).uploads.at(-1)?.arrived;
    await expect.poll(arrived).toBe(30);
    expect(await head(location)).toBe(30);
    expect(await stalled).toMatchObject({ status: 400 });
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

describe("a length that is told later", () => {
  const deferred = { ...tus, "upload-defer-length": "1" };

  test("works", async () => {
    const { tusEndpoint, asset } = await service.locate();
    const location = (await send(tusEndpoint, { method: "POST", headers: deferred })).headers.location ?? "";
    const data = noise(30);
    await patch(location, 0, data.subarray(0, 20));
    await patch(location, 20, data.subarray(20), { headers: { "upload-length": "30" } });
    expect(await service.processed(asset.id)).toMatchObject({ sha256: sha256(data) });
  });

  test("is refused when that is switched on", async () => {
    await service.turn({ refuseDeferredLength: true });
    const { tusEndpoint } = await service.locate();
    expect((await send(tusEndpoint, { method: "POST", headers: deferred })).status).toBe(400);
  });
});

test("a file may come with its creation, and without a known length of that request", async () => {
  const data = noise(200_000);
  const { tusEndpoint, asset } = await service.locate();
  const headers = {
    ...tus,
    "upload-length": String(data.length),
    "content-type": "application/offset+octet-stream",
    "transfer-encoding": "chunked",
  };
  const reply = await send(tusEndpoint, { method: "POST", headers, body: data });
  expect(reply).toMatchObject({ status: 201, headers: { "upload-offset": "200000" } });
  expect(await service.processed(asset.id)).toMatchObject({ sha256: sha256(data) });
});

test("a zero-byte file counts as uploaded", async () => {
  const { id } = await service.create(0);
  expect((await service.processed(id)).asset.size).toBe(0);
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

test("Authorization: a wrong one is refused, a right one ignored, or required", async () => {
  const { location } = await service.create(10);
  const status = async (headers: Record<string, string>) =>
    (await send(location, { method: "HEAD", headers: { ...tus, ...headers } })).status;
  expect(await status({ authorization: "Bearer wrong" })).toBe(401);
  expect(await status(auth)).toBe(200);
  await service.turn({ uploadAuthorization: "required" });
  expect(await status({})).toBe(401);
  expect(await status(auth)).toBe(200);
});

test("CORS: any origin, the needed headers exposed, no credentials, no discovery", async () => {
  const origin = "https://example.test";
  const { location } = await service.create(10);
  const preflight = await send(location, { method: "OPTIONS", headers: { origin } });
  expect(preflight.status).toBe(204);
  expect(Object.keys(preflight.headers).filter((name) => name.startsWith("tus-"))).toEqual([]);
  for (const reply of [preflight, await send(location, { method: "HEAD", headers: { ...tus, origin } })]) {
    expect(reply.headers["access-control-allow-origin"]).toBe(origin);
    expect(reply.headers["access-control-expose-headers"]).toMatch(
      /Location.*Upload-Offset.*ETag.*Retry-After/,
    );
    expect(reply.headers).not.toHaveProperty("access-control-allow-credentials");
  }
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

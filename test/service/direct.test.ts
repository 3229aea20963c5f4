/** Direct uploads. */
import { expect, test } from "vitest";
import { auth, MiB, noise, type Sending, send, sha256, useServiceInProcess } from "./harness.ts";

const service = useServiceInProcess({ switches: { processing: "hash" } });

function put(url: string, body: Buffer, more: Sending = {}) {
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

test("an interrupted PUT stores nothing and may be tried again", async () => {
  const data = noise(2 * MiB);
  const { url, asset } = await service.locate();
  const headers = { "content-length": String(data.length) };
  await put(url, data.subarray(0, MiB), { cut: true, headers }).catch(() => {});
  expect(await service.demo(`assets/${asset.id}`)).toMatchObject({
    asset: { status: { phase: "uploading" } },
  });
  expect((await put(url, data)).status).toBe(200);
  expect(await service.processed(asset.id)).toMatchObject({ sha256: sha256(data) });
});

test("a token that is missing or garbage is 403", async () => {
  expect((await put(service.uploadUrl("/api/asset/upload/direct"), noise(1))).status).toBe(403);
  expect((await put(service.uploadUrl("/api/asset/upload/direct?token=x"), noise(1))).status).toBe(403);
});

test("a body without a length is 411", async () => {
  const { url } = await service.locate();
  expect((await put(url, noise(10), { headers: { "transfer-encoding": "chunked" } })).status).toBe(411);
});

test("a JSON type hangs until the client goes away", async () => {
  const { url } = await service.locate();
  const answer = fetch(url, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: "x",
    signal: AbortSignal.timeout(200),
  });
  await expect(answer).rejects.toThrow("timeout");
  expect((await put(url, noise(10))).status).toBe(200);
});

test("the account token is refused and echoed, unless it is required", async () => {
  const { url } = await service.locate();
  const refused = await put(url, noise(10), { headers: auth });
  expect(refused.status).toBe(400);
  expect(refused.headers["content-type"]).toMatch("xml");
  expect(refused.text).toMatch("Bearer demo-token");
  await service.turn({ uploadAuthorization: "required" });
  expect((await put(url, noise(10))).status).toBe(401);
  expect((await put(url, noise(10), { headers: auth })).status).toBe(200);
});

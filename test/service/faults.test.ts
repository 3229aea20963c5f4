/** Faults at the socket, and answers in place of work. */
import { describe, expect, test } from "vitest";
import { auth, head, MiB, noise, patch, send, sha256, tus, useServiceInProcess } from "./harness.ts";
import type { LoggedRequest } from "./requests.ts";

const service = useServiceInProcess({ switches: { processing: "hash" } });

async function lastRequest(): Promise<LoggedRequest | undefined> {
  return (await service.demo<{ requests: LoggedRequest[] }>("requests")).requests.at(-1);
}

describe("resetAfter", () => {
  test("keeps exactly the bytes before it, and is used up", async () => {
    const data = noise(2 * MiB);
    const { location, id } = await service.create(data.length);
    await service.turn({ resetAfter: [{ host: "upload", method: "PATCH", bytes: 1_234_567, times: 1 }] });
    await expect(patch(location, 0, data)).rejects.toThrow(/ECONNRESET|EPIPE|socket/);
    expect(await lastRequest()).toMatchObject({ status: "reset", uploadOffset: "0" });
    expect(await head(location)).toBe(1_234_567);
    expect((await patch(location, 1_234_567, data.subarray(1_234_567))).status).toBe(204);
    expect(await service.processed(id)).toMatchObject({ sha256: sha256(data) });
    expect(await service.demo("switches")).toMatchObject({ resetAfter: [{ times: 0 }] });
  });

  test("waits for a request that is long enough", async () => {
    await service.turn({ resetAfter: [{ host: "upload", bytes: 1000, times: 1 }] });
    const { location } = await service.create(3000);
    expect((await patch(location, 0, noise(500))).status).toBe(204);
    await expect(patch(location, 500, noise(2500))).rejects.toThrow();
    expect(await head(location)).toBe(1500);
  });

  test("reaches account calls too", async () => {
    await service.turn({ resetAfter: [{ host: "api", method: "POST", bytes: 0, times: 1 }] });
    await expect(service.locate()).rejects.toThrow();
    expect((await service.locate()).asset.name).toBe("A video");
  });
});

test("stallAfter reads no further, and leaves the connection open", async () => {
  const { location } = await service.create(MiB);
  await service.turn({ stallAfter: [{ host: "upload", method: "PATCH", bytes: 1000, times: 1 }] });
  const headers = { ...tus, "upload-offset": "0", "content-type": "application/offset+octet-stream" };
  const stalled = fetch(location, {
    method: "PATCH",
    headers,
    body: noise(MiB),
    signal: AbortSignal.timeout(200),
  });
  await expect(stalled).rejects.toThrow("timeout");
  expect(await head(location)).toBe(1000);
});

test("stallAfter leaves an account call without an answer", async () => {
  await service.turn({ stallAfter: [{ host: "api", method: "DELETE", bytes: 0, times: 1 }] });
  const url = service.url("/stream/quiet-stream/terminate");
  const call = () => fetch(url, { method: "DELETE", headers: auth, signal: AbortSignal.timeout(200) });
  await expect(call()).rejects.toThrow("timeout");
  expect((await call()).status).toBe(204);
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
    await service.turn({
      answerStatus: [
        { host: "upload", method: "PATCH", status: 503, retryAfter: "1", times: 1 },
        {
          host: "upload",
          method: "PATCH",
          status: 200,
          contentType: "text/html",
          body: "<h1>Log in</h1>",
          times: 1,
        },
        {
          host: "upload",
          method: "PATCH",
          status: 307,
          location: "http://elsewhere.test/",
          cors: false,
          times: 1,
        },
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

describe("time", () => {
  test("requestTimeLimit answers 408 without CORS headers; what arrived counts", async () => {
    const data = noise(400_000);
    const { location } = await service.create(data.length);
    await service.turn({ requestTimeLimit: 1, throttle: 200_000 });
    const reply = await patch(location, 0, data, { headers: { origin: "https://example.test" } });
    expect(reply.status).toBe(408);
    expect(reply.headers).not.toHaveProperty("access-control-allow-origin");
    const offset = await head(location);
    expect(offset).toBeGreaterThan(0);
    expect(offset).toBeLessThan(data.length);
  });

  test("throttle slows each body down", async () => {
    const data = noise(300_000);
    const { location } = await service.create(data.length);
    await service.turn({ throttle: 1_000_000 });
    const started = performance.now();
    expect((await patch(location, 0, data)).status).toBe(204);
    expect(performance.now() - started).toBeGreaterThan(250);
  });

  test("latency delays each request", async () => {
    await service.turn({ latency: 120 });
    const started = performance.now();
    await service.locate();
    expect(performance.now() - started).toBeGreaterThan(115);
  });
});

test("discardBytes counts what it throws away", async () => {
  await service.turn({ discardBytes: true, processing: "none" });
  const { location } = await service.create(5 * MiB);
  expect((await patch(location, 0, noise(5 * MiB))).status).toBe(204);
  expect(await head(location)).toBe(5 * MiB);
});

/** The account calls. */
import { describe, expect, test } from "vitest";
import { auth, send, useServiceInProcess } from "./harness.ts";
import type { Stream } from "./streams.ts";

const service = useServiceInProcess({
  accounts: [{ name: "other", token: "other-token" }],
});

const json = { "content-type": "application/json" };

function post(body: string, headers: Record<string, string> = { ...auth, ...json }) {
  return send(service.url("/api/asset/request-upload"), { method: "POST", headers, body });
}

function terminate(id: string, headers: Record<string, string> = auth, prefix = "") {
  return send(service.url(`${prefix}/stream/${encodeURIComponent(id)}/terminate`), {
    method: "DELETE",
    headers,
  });
}

function errorsOf(reply: { text: string }): string[] {
  return (JSON.parse(reply.text) as { errors: string[] }).errors;
}

async function stream(id: string): Promise<Stream & { live: boolean }> {
  const { streams } = await service.demo<{ streams: (Stream & { live: boolean })[] }>("streams");
  const found = streams.find((known) => known.id === id);
  if (found === undefined) throw new Error(`Cannot find ${id}`);
  return found;
}

function start(id: string) {
  return send(service.url(`/_demo/streams/${encodeURIComponent(id)}/start`), { method: "POST" });
}

describe("request-upload", () => {
  test("answers with both locations on the upload host, the documented record and a task", async () => {
    const profiles = [{ name: "720p", width: 1280, gop: "2.0", profile: "H264Baseline", encoder: "H.264" }];
    const playbackPolicy = { type: "webhook", webhookId: "w", webhookContext: { a: 1 }, refreshInterval: 60 };
    const { url, tusEndpoint, asset, task } = await service.locate({ name: "A", profiles, playbackPolicy });
    expect(url).toMatch(`${service.uploadUrl("/api/asset/upload/direct")}?token=`);
    expect(tusEndpoint).toMatch(`${service.uploadUrl("/api/asset/upload/tus")}?token=`);
    expect(task.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(asset).toMatchObject({
      name: "A",
      type: "video",
      creatorId: { type: "unverified" },
      profiles: [{ ...profiles[0], gop: 2 }],
      playbackPolicy,
      status: { phase: "uploading" },
      storage: { status: { phase: "ready" } },
      createdByTokenName: "Demo token",
    });
    expect(asset.playbackUrl).toMatch(/\.m3u8$/);
    expect(asset).not.toHaveProperty("size");
    expect(asset).not.toHaveProperty("staticMp4");
  });

  test("keeps unknown fields where tests can read them, or refuses them", async () => {
    const { asset } = await service.locate({ name: "A", brandNew: true });
    expect(await service.demo(`assets/${asset.id}`)).toMatchObject({
      received: { name: "A", brandNew: true },
    });
    await service.turn({ refuseUnknownFields: true });
    const reply = await post('{"name":"A","brandNew":true,"profiles":[{"odd":1}]}');
    expect(reply.status).toBe(422);
    expect(errorsOf(reply).map((error) => JSON.parse(error))).toMatchObject([
      { params: { additionalProperty: "brandNew" } },
      { instancePath: "/profiles/0", params: { additionalProperty: "odd" } },
    ]);
  });

  test.each([
    ["{}", "required"],
    ['{"name":1}', "type"],
    ['{"name":"A","profiles":[{"width":1.5}]}', "type"],
    ['{"name":"A","playbackPolicy":{"allowedOrigins":[1]}}', "type"],
    ['["A"]', "type"],
  ])("answers 422 to %s, with an AJV error as a JSON string", async (body, keyword) => {
    const reply = await post(body);
    expect(reply.status).toBe(422);
    expect(JSON.parse(errorsOf(reply)[0] ?? "")).toMatchObject({ keyword, instancePath: expect.any(String) });
  });

  test.each([
    ["malformed JSON", "{", 400],
    ["more than 100 kB", JSON.stringify({ name: "A".repeat(110_000) }), 413],
    ["null for profiles and policy", '{"name":"A","profiles":null,"playbackPolicy":null}', 200],
  ])("answers %s as a real service does", async (_what, body, status) => {
    expect((await post(body)).status).toBe(status);
  });

  test("answers 401 without a token, and echoes one it doesn't know", async () => {
    expect((await post("{}", json)).status).toBe(401);
    const reply = await post("{}", { ...json, authorization: "Bearer s3cret" });
    expect(reply.status).toBe(401);
    expect(errorsOf(reply)).toEqual(["no token s3cret found"]);
  });

  test("can leave out both links and bend the answer", async () => {
    await service.turn({
      omitLinks: true,
      answerShape: { set: { "asset.size": "12", "asset.extra.deep": [1] }, omit: ["asset.name", "task"] },
    });
    const answer = await service.locate();
    expect(answer.asset).not.toHaveProperty("playbackUrl");
    expect(answer.asset).not.toHaveProperty("downloadUrl");
    expect(answer.asset).toMatchObject({ size: "12", extra: { deep: [1] } });
    expect(answer.asset).not.toHaveProperty("name");
    expect(answer).not.toHaveProperty("task");
  });
});

describe("terminate", () => {
  test("ends the session and its recording; a new one can start at once", async () => {
    expect(await stream("launch-stream")).toMatchObject({ live: true });
    const reply = await terminate("launch-stream");
    expect(reply).toMatchObject({ status: 204, text: "" });
    const ended = await stream("launch-stream");
    expect(ended.live).toBe(false);
    expect(ended.sessions.at(-1)?.recording.endedAt).toEqual(expect.any(Number));
    expect((await terminate("launch-stream")).status).toBe(204);
    await start("launch-stream");
    expect((await stream("launch-stream")).sessions).toHaveLength(2);
  });

  test("takes the id as one percent-encoded segment", async () => {
    const id = "studio/a?take=1#50%";
    expect((await terminate(id)).status).toBe(204);
    expect((await stream(id)).live).toBe(false);
    await start(id);
    expect((await stream(id)).live).toBe(true);
    expect(
      (await send(service.url(`/stream/${id}/terminate`), { method: "DELETE", headers: auth })).status,
    ).toBe(404);
    // Encoded twice is another id.
    expect(errorsOf(await terminate(encodeURIComponent(id)))).toEqual(["stream not found"]);
  });

  test("answers the documented errors", async () => {
    expect(errorsOf(await terminate(""))).toEqual(["id was not provided"]);
    expect(errorsOf(await terminate("orphan-stream"))).toEqual(["account not found"]);
    expect((await terminate("other-launch-stream")).status).toBe(404);
    expect((await terminate("other-launch-stream", { authorization: "Bearer other-token" })).status).toBe(
      204,
    );
    await service.turn({ nestedErrors: true, streamPrefix: "/api" });
    expect(errorsOf(await terminate("", auth, "/api"))).toEqual([["id was not provided"]]);
    const missed = await terminate("quiet-stream");
    expect(missed).toMatchObject({ status: 404, headers: { "content-type": expect.stringMatching("html") } });
  });

  test("answers 429 within the cooldown, without Retry-After, also after a 500", async () => {
    await service.turn({
      terminateCooldown: 3600,
      answerStatus: [{ host: "api", method: "DELETE", status: 500, times: 1 }],
    });
    expect((await terminate("quiet-stream")).status).toBe(500);
    const reply = await terminate("quiet-stream");
    expect(reply.status).toBe(429);
    expect(reply.headers).not.toHaveProperty("retry-after");
    await service.turn({ terminateCooldown: 0 });
    expect((await terminate("quiet-stream")).status).toBe(204);
  });
});

describe("/_demo", () => {
  test("refuses switches it doesn't know", async () => {
    const wrong = { method: "PUT", body: '{"partz":true}' };
    const reply = await send(service.url("/_demo/switches"), wrong);
    expect(reply.status).toBe(400);
    expect(reply.text).toMatch("partz");
    await expect(service.turn({ latency: -1 })).rejects.toThrow("latency");
  });

  test("logs requests without query and tokens, and tells connections apart", async () => {
    await send(service.url("/_demo/requests"), { method: "DELETE" });
    await send(service.url("/api/asset/request-upload?token=s3cret"), { method: "POST", headers: auth });
    await terminate("quiet-stream");
    const log = await service.demo<{ requests: Record<string, unknown>[] }>("requests");
    expect(log.requests).toMatchObject([
      { host: "api", method: "POST", path: "/api/asset/request-upload", status: 422, hasAuthorization: true },
      { method: "DELETE", path: "/stream/quiet-stream/terminate", status: 204 },
    ]);
    expect(JSON.stringify(log)).not.toMatch(/s3cret|demo-token/);
    expect(log.requests[0]?.connection).not.toBe(log.requests[1]?.connection);
  });

  test("forgets everything on reset", async () => {
    await service.locate();
    await service.turn({ parts: true });
    expect((await send(service.url("/_demo/reset"), { method: "POST" })).status).toBe(204);
    expect(await service.demo("assets")).toEqual({ count: 0, assets: [] });
    expect(await service.demo("uploads")).toEqual({ uploads: [] });
    expect(await service.demo("switches")).toMatchObject({ parts: false });
    expect((await stream("launch-stream")).sessions).toHaveLength(1);
  });
});

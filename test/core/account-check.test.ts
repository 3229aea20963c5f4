import { describe, expect, test } from "vitest";
import { checkAccount } from "../../core/account-check.ts";
import { createClient } from "../../core/client.ts";
import { useService } from "../service/use-service.ts";
import { caught } from "../support/caught.ts";

const service = useService();
const PREFIXED = "/api/stream/{id}/terminate";
const asset = "/api/asset/{id}";
const html = { host: "api", status: 404, contentType: "text/html", body: "<p>Cannot DELETE</p>" } as const;
/** As JSON, to anybody. */
const json = (body: unknown, more: object) => ({
  ...{ host: "api" as const, status: 404, contentType: "application/json", body: JSON.stringify(body) },
  ...more,
});
const atFirst = { method: "DELETE", path: "/stream/" };

const clientOf = (token = service.token, paths = {}) =>
  createClient({ baseUrl: service.baseUrl, token, paths, timeout: 5_000 });
const ended = async () => (await service.requests("DELETE")).map(({ path, status }) => [path, status]);

describe("checkAccount()", () => {
  test("asks one question where the service names the stream that it doesn't know", async () => {
    expect(await checkAccount(clientOf(service.token, { asset }))).toEqual({
      ...{ token: "accepted", paths: {}, endsStreams: true },
    });
    expect(await ended()).toHaveLength(1);
  });

  test("finds the calls of a service that says the same of whatever it doesn't have", async () => {
    await service.set({ saysNotFound: true, streamPrefix: "/api", assetCall: true });
    const paths = { terminate: PREFIXED, asset };
    expect(await checkAccount(clientOf())).toEqual({ token: "accepted", paths, endsStreams: true });
    expect(await caught(checkAccount(clientOf("unknown")))).toMatchObject({ code: "unauthorized" });
    expect(await service.requests("POST")).toEqual([]);
  });

  test("takes a token that may only request locations for one that the service knows", async () => {
    const forbidden = json(
      { errors: ["access forbidden"] },
      { status: 403, method: "DELETE", path: "/api/stream/", times: 1 },
    );
    await service.set({ saysNotFound: true, streamPrefix: "/api", answerStatus: [forbidden] });
    const { token, paths } = await checkAccount(clientOf());
    expect({ token, paths }).toEqual({ token: "limited", paths: { terminate: PREFIXED } });
  });

  test("leaves open what nothing tells, and calls nothing a service that has none of its calls", async () => {
    await service.set({ streamPrefix: "/elsewhere" });
    expect(await checkAccount(clientOf())).toMatchObject({ token: "unknown", endsStreams: false });
    expect((await service.requests("POST")).map(({ status }) => status)).toEqual([401]);
    await service.set({ answerStatus: [html] });
    expect(await caught(checkAccount(clientOf()))).toMatchObject({ code: "wrong-address" });
    await service.set({ answerStatus: [json({ message: "nothing here" }, {})] });
    expect(await caught(checkAccount(clientOf()))).toMatchObject({
      code: "wrong-address",
      message: expect.stringMatching(/has none of the calls of a video service\. Check baseUrl/),
    });
    // A service that takes a request without a token is one.
    await service.set({
      answerStatus: [{ ...html, method: "DELETE" }, json({ id: "a" }, { status: 200, method: "POST" })],
    });
    expect(await checkAccount(clientOf())).toMatchObject({ token: "unknown", endsStreams: false });
    await service.set({ answerStatus: [{ ...html, status: 503 }] });
    expect(await checkAccount(clientOf())).toMatchObject({
      token: "unknown",
      error: { code: "service-error" },
    });
  });

  test("calls no service wrong whose site answers any path with a page", async () => {
    const page = { ...html, status: 200, body: "<!doctype html><p>Welcome" };
    await service.set({
      ...{ saysNotFound: true, streamPrefix: "/api" },
      answerStatus: [{ ...page, method: "DELETE", path: "/stream/upcut", times: 1 }],
    });
    // The path below /api holds the other one: the one question at that goes to the site.
    expect(await checkAccount(clientOf())).toMatchObject({ token: "accepted" });
  });
});

describe("terminateStream() at a service that has its calls under a prefix", () => {
  test.each([
    ["a page", { streamPrefix: "/api" }],
    ["not found, as of a stream", { streamPrefix: "/api", saysNotFound: true }],
    [
      "JSON that repeats the path",
      {
        streamPrefix: "/api",
        answerStatus: [
          json(
            { message: "Route DELETE:/stream/launch-stream/terminate not found" },
            { ...atFirst, times: 1 },
          ),
        ],
      },
    ],
    [
      "405, as a host of files",
      { streamPrefix: "/api", answerStatus: [{ ...html, ...atFirst, status: 405, times: 1 }] },
    ],
  ])("ends it in the same call where the documented path says: %s", async (_, switches) => {
    await service.set(switches as never);
    const client = clientOf();
    await client.terminateStream("launch-stream");
    expect(client.paths.terminate).toBe(PREFIXED);
    await client.terminateStream("launch-stream");
    expect((await ended()).map(([path]) => path)).toEqual([
      "/stream/launch-stream/terminate",
      "/api/stream/launch-stream/terminate",
      "/api/stream/launch-stream/terminate",
    ]);
  });

  test("says that the stream is unknown where the call is there, and else that there is no call", async () => {
    await service.set({ streamPrefix: "/api", saysNotFound: true });
    const client = clientOf();
    // The call at both places and one without the token, and then one more.
    for (const questions of [3, 4]) {
      expect(await caught(client.terminateStream("nobody"))).toMatchObject({ code: "not-found" });
      expect(await ended()).toHaveLength(questions);
    }
    await service.set({ streamPrefix: "/elsewhere" });
    const nowhere = clientOf();
    expect(await caught(nowhere.terminateStream("nobody"))).toMatchObject({ code: "wrong-address" });
    expect(nowhere.paths.terminate).toBe("/stream/{id}/terminate");
  });

  test.each([
    ["fails", { ...html, status: 503 }, "service-error"],
    ["answers something else", json({ ok: true }, { status: 200 }), "unexpected-answer"],
    ["refuses whatever it is asked", { ...html, status: 403 }, "wrong-address"],
  ])("stays where it was when the other place %s", async (_, answer, code) => {
    await service.set({
      ...{ streamPrefix: "/api", saysNotFound: true },
      answerStatus: [{ ...answer, method: "DELETE", path: "/api/stream/" }],
    });
    const client = clientOf();
    expect(await caught(client.terminateStream("launch-stream"))).toMatchObject({ code });
    expect(client.paths.terminate).toBe("/stream/{id}/terminate");
    await service.set({ answerStatus: [] });
    await client.terminateStream("launch-stream");
    expect(client.paths.terminate).toBe(PREFIXED);
  });

  test("stays where it was when the other place has other words for each request", async () => {
    const refusals = ["a1", "b2"].map((request) =>
      json(
        { message: `Nothing is here (request ${request})` },
        { method: "DELETE", path: "/api/stream/", times: 1 },
      ),
    );
    await service.set({ saysNotFound: true, answerStatus: refusals });
    const client = clientOf();
    expect(await caught(client.terminateStream("nobody"))).toMatchObject({ code: "not-found" });
    expect(client.paths.terminate).toBe("/stream/{id}/terminate");
    await client.terminateStream("launch-stream");
  });

  test("believes words of streams that anybody is told", async () => {
    const words = json({ errors: ["stream not found"] }, { method: "DELETE", path: "/api/stream/" });
    await service.set({ streamPrefix: "/api", answerStatus: [words] });
    const client = clientOf();
    expect(await caught(client.terminateStream("nobody"))).toMatchObject({ code: "not-found" });
    expect(client.paths.terminate).toBe(PREFIXED);
  });

  test("ends two streams at once", async () => {
    await service.set({ streamPrefix: "/api" });
    const client = clientOf();
    const both = ["launch-stream", "quiet-stream"].map(async (id) => await client.terminateStream(id));
    expect(await Promise.allSettled(both)).toMatchObject([{ status: "fulfilled" }, { status: "fulfilled" }]);
  });

  test("asks once where the service knows the call, or the path was given", async () => {
    expect(await caught(clientOf().terminateStream("nobody"))).toMatchObject({ code: "not-found" });
    const given = clientOf(service.token, { terminate: "/v2/{id}" });
    expect(await caught(given.terminateStream("launch-stream"))).toMatchObject({
      code: "wrong-address",
      message: expect.stringContaining('may have a prefix, such as "/api/stream/{id}/terminate"'),
    });
    await service.set({ answerStatus: [{ ...html, status: 500 }] });
    expect(await caught(clientOf().terminateStream("launch-stream"))).toMatchObject({
      code: "service-error",
    });
    expect(await ended()).toHaveLength(3);
  });
});

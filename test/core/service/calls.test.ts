import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { describe, expect, test, vi } from "vitest";

import { type Client, type ClientOptions, createClient } from "../../../core/mod.ts";
import type { AnswerRule } from "../../service/switches.ts";
import { useService } from "../../service/use-service.ts";
import { caught } from "../../support/caught.ts";
import { listen } from "../../support/hosts/listen.ts";
import { rawAnswer, startRawServer } from "../../support/hosts/raw-server.ts";
import { MARKER } from "../../support/marker.ts";

const service = useService();

type CallOptions = Parameters<Client["terminateStream"]>[1];

const calls = [
  {
    name: "requestUpload()",
    method: "POST",
    purpose: "Cannot request an upload location: ",
    lost: "asset-unknown",
    state: "An asset may have been created: look into the account before trying again",
    make: (account: Client, options?: CallOptions) => account.requestUpload({ name: "Video" }, options),
  },
  {
    name: "terminateStream()",
    method: "DELETE",
    purpose: "Cannot terminate the stream session: ",
    lost: "terminate-unknown",
    state: "The session may have ended",
    make: (account: Client, options?: CallOptions) => account.terminateStream("launch-stream", options),
  },
];

/** Answers the next account calls without doing their work. */
const answer = (rule: Omit<AnswerRule, "host">) => service.set({ answerStatus: [{ host: "api", ...rule }] });

/** A second server, for what must not arrive anywhere else and for answers no service would give. */
async function neighbour(
  handle: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => {
    response.writeHead(204).end();
  },
) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    handle(request, response);
  });
  return { url: await listen(server), requests, server };
}

describe("a service that takes no more than 16 KB of headers", () => {
  const long = "a".repeat(20_000);
  const account = (more: Partial<ClientOptions>) =>
    service.client({ paths: { asset: "/api/asset/{id}" }, ...more });

  test.each<[string, Partial<ClientOptions>, string, (account: Client) => Promise<unknown>]>([
    ["a stream's id", {}, "The stream's id is too long: check it", (to) => to.terminateStream(long)],
    ["an asset's id", {}, "The asset's id is too long: check it", (to) => to.getAsset(long)],
    [
      "an id, be the token long too",
      { token: "b".repeat(5_000) },
      "The stream's id is too long: check it",
      (to) => to.terminateStream(long),
    ],
    [
      "a token",
      { token: long },
      "A header is too long: check the account token",
      (to) => to.terminateStream("a"),
    ],
    [
      "a token, be the id long too",
      { token: long },
      "A header is too long: check the account token",
      (to) => to.terminateStream("a".repeat(5_000)),
    ],
    [
      "a header",
      { headers: { "x-team": long } },
      "A header is too long: check headers",
      (to) => to.requestUpload({}),
    ],
    [
      "a header of a function",
      { headers: () => ({ "x-team": `Basic ${long}` }) },
      "A header is too long: check headers",
      (to) => to.terminateStream("a"),
    ],
    [
      "a path",
      { paths: { requestUpload: `/${long}` } },
      "The address is too long: check baseUrl and paths.requestUpload",
      (to) => to.requestUpload({}),
    ],
  ])("answers 431, and %s is named as the reason", async (_, options, hint, call) => {
    const error = await caught(call(account(options)));
    expect(error).toMatchObject({ code: "rejected", httpStatus: 431, retryable: false });
    expect(error.message).toMatch(new RegExp(`answered 431\\. ${hint}$`));
  });

  test("names the id where a server says of the address that it is too long", async () => {
    await answer({ status: 414 });
    const error = await caught(service.client().terminateStream("a".repeat(3_000)));
    expect(error.message).toMatch(/answered 414\. The stream's id is too long: check it$/);
  });
});

describe.each(calls)("$name", ({ method, purpose, lost, state, make }) => {
  test.each([
    [400, "rejected", false],
    [401, "unauthorized", false],
    [403, "forbidden", false],
    [404, "wrong-address", false],
    [408, "rejected", false],
    [429, "rate-limited", true],
    [500, "service-error", true],
    // A call that ends streams may be at another path: each is asked once.
  ])("is sent once when the service answers %i, and gives %s", async (status, code, retryable) => {
    await answer({ status });
    const error = await caught(make(service.client()));
    expect(error).toMatchObject({
      name: "ServiceError",
      code,
      httpStatus: status,
      retryable,
      details: undefined,
    });
    expect(error.message.startsWith(`${purpose}the service answered ${status}`)).toBe(true);
    expect(error.message).not.toMatch(/\.$/);
    const paths = (await service.requests(method)).map(({ path }) => path);
    const other = status === 404 && method === "DELETE" ? ["/api/stream/launch-stream/terminate"] : [];
    expect(paths).toEqual([paths[0], ...other]);
  });

  test("is sent once when its answer is lost, and says what is unknown", async () => {
    await service.set({ dropAnswer: [{ host: "api" }] });
    const error = await caught(make(service.client()));
    expect(error).toMatchObject({
      name: "ConnectionError",
      code: lost,
      // Another request would make another asset.
      retryable: lost !== "asset-unknown",
      httpStatus: undefined,
    });
    expect(error.message.startsWith(`${purpose}the connection failed`)).toBe(true);
    expect(error.message.endsWith(`. ${state}`)).toBe(true);
    const sent = await service.requests(method);
    expect(sent).toHaveLength(1);
    // The work had been done: what the error says is so.
    if (method === "POST") expect(await service.assets()).toHaveLength(sent.length);
    else expect((await service.streams()).find(({ id }) => id === "launch-stream")?.live).toBe(false);
  });

  test("does not claim that nothing was sent because of a word in the address", async () => {
    await service.set({
      dropAnswer: [{ host: "api" }],
      streamPrefix: "/certified/self_signed",
    });
    const paths = {
      requestUpload: "/certified/ENOTFOUND/request-upload",
      terminate: "/certified/self_signed/stream/{id}/terminate",
    };
    const error = await caught(make(service.client({ paths })));
    expect(error.code).toBe(lost);
  });

  test("is sent once when no answer comes in time, and gives up then", async () => {
    await service.set({ stallAfter: [{ host: "api", method, bytes: 0 }] });
    const error = await caught(make(service.client({ timeout: 1000 })));
    expect(error).toMatchObject({
      name: "ConnectionError",
      code: lost,
      retryable: lost !== "asset-unknown",
    });
    expect(error.message).toBe(`${purpose}no answer within 1 s. ${state}`);
    expect(await service.requests(method)).toHaveLength(1);
    const own = await caught(make(service.client(), { timeout: 150.5 }));
    expect(own.message).toContain("no answer within 0.1505 s");
  });

  test("gives the same code when the answer stops half-way", async () => {
    const half = await neighbour((_, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
      response.write('{"asset":{"id":"asset-1"},');
      // Bytes that a reset overtakes would be no half of an answer.
      setTimeout(() => response.destroy(), 30);
    });
    const error = await caught(make(service.client({ baseUrl: half.url })));
    expect(error).toMatchObject({ name: "ConnectionError", code: lost });
    expect(half.requests).toHaveLength(1);
  });

  test("tells that nothing was sent when nothing listens there", async () => {
    const gone = await neighbour();
    await new Promise((resolve) => gone.server.close(resolve));
    const error = await caught(make(service.client({ baseUrl: `${gone.url}/a/path?`.slice(0, -1) })));
    expect(error).toMatchObject({ name: "ConnectionError", code: "unreachable", retryable: true });
    expect(error.message.startsWith(`${purpose}${gone.url} could not be reached`)).toBe(true);
    expect(error.message).toContain("Nothing was sent");
    expect(error.message).not.toContain("/a/path");
  });

  test.each(["http://127.0.0.1:9", "http://video.invalid"])(
    "tells that nothing was sent where fetch refuses the port, or the host doesn't exist: %s",
    async (baseUrl) => {
      const error = await caught(make(service.client({ baseUrl })));
      expect(error.code).toBe("unreachable");
      expect(error.message).toContain(baseUrl);
    },
  );

  test.each([301, 307])("names the origin of a redirect (%i) and sends nothing there", async (status) => {
    const other = await neighbour();
    await answer({ status, location: `${other.url}/elsewhere?token=${MARKER}` });
    const error = await caught(make(service.client()));
    expect(error).toMatchObject({
      name: "ServiceError",
      code: "redirected",
      httpStatus: status,
      retryable: false,
    });
    expect(error.message).toBe(
      `${purpose}the service redirects to ${other.url}, and the token is sent to ${service.baseUrl} alone. Check baseUrl`,
    );
    expect(other.requests).toEqual([]);
    expect(await service.requests(method)).toHaveLength(1);
  });

  test("says so when a redirect stays at the same address", async () => {
    await answer({ status: 307, location: `/v2/?token=${MARKER}` });
    const error = await caught(make(service.client()));
    expect(error).toMatchObject({ code: "redirected", httpStatus: 307 });
    expect(error.message).toBe(
      `${purpose}the service redirects to another path of ${service.baseUrl}, which is not followed. Check baseUrl and paths.${method === "POST" ? "requestUpload" : "terminate"}`,
    );
    expect(await service.requests()).toHaveLength(1);
  });

  test("takes a redirect without a location for no success", async () => {
    await answer({ status: 304 });
    const error = await caught(make(service.client()));
    expect(error).toMatchObject({ code: "redirected", httpStatus: 304 });
    expect(error.message).toContain("answered 304");
  });

  test.each([
    [413, /too long: shorten its fields$/, /413$/],
    [422, /Check the request's fields$/, /Check the stream's id$/],
    [414, /check baseUrl and paths.requestUpload$/, /The stream's id is too long: check it$/],
    [431, /check the account token/, /check the account token/],
  ])("says what helps against a %i", async (status, asking, ending) => {
    await answer({ status });
    const error = await caught(make(service.client()));
    expect(error.message).toMatch(lost === "asset-unknown" ? asking : ending);
  });

  test("reads the wait of a 429", async () => {
    const errors = '{"errors":["too many requests"]}';
    await answer({ status: 429, contentType: "application/json", body: errors, retryAfter: "7" });
    const seconds = await caught(make(service.client()));
    expect(seconds).toMatchObject({ code: "rate-limited", retryAfter: 7_000 });
    expect(seconds.message).toBe(
      `${purpose}the service answered 429: too many requests. Wait 7 s, then try again`,
    );
    await answer({ status: 429, retryAfter: "soon" });
    const nonsense = await caught(make(service.client()));
    expect(nonsense).toMatchObject({ code: "rate-limited", retryAfter: undefined });
    // Services that end streams take no other call for five seconds, and don't say so.
    const wait = lost === "terminate-unknown" ? "Wait 5 s" : "Wait";
    expect(nonsense.message).toBe(`${purpose}the service answered 429. ${wait}, then try again`);
  });

  test("ends with the signal's own reason when it was aborted before, and sends nothing", async () => {
    const reason = { closed: true };
    expect(await caught(make(service.client(), { signal: AbortSignal.abort(reason) }))).toBe(reason);
    expect((await caught(make(service.client(), { signal: AbortSignal.abort() }))).name).toBe("AbortError");
    expect(await service.requests()).toEqual([]);
  });

  test("ends with the signal's own reason when it is aborted on the way, whatever that is", async () => {
    await service.set({ stallAfter: [{ host: "api", method, bytes: 0 }] });
    const reasons = [new Error("the lid was closed"), new DOMException("stopped", "AbortError"), null];
    const stops = reasons.map(() => new AbortController());
    const calls = stops.map(({ signal }) => caught(make(service.client(), { signal })));
    await expect.poll(() => service.requests(method)).toHaveLength(reasons.length);
    for (const [at, stop] of stops.entries()) stop.abort(reasons[at]);
    const ended = await Promise.all(calls);
    for (const [at, reason] of reasons.entries()) expect(ended[at]).toBe(reason);
  });

  test("leaves no listener on a signal", async () => {
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, "addEventListener");
    const removed = vi.spyOn(signal, "removeEventListener");
    await make(service.client(), { signal });
    expect(removed.mock.calls.length).toBeGreaterThanOrEqual(added.mock.calls.length);
    for (const [type, listener] of added.mock.calls)
      expect(
        removed.mock.calls.map(([, each]) => each),
        type,
      ).toContain(listener);
  });
});

test("terminateStream() takes nothing but 204 for success", async () => {
  for (const status of [200, 201, 202, 205]) {
    await answer({ status, contentType: "application/json", body: '{"ok":true}' });
    const error = await caught(service.client().terminateStream("launch-stream"));
    expect(error).toMatchObject({ code: "unexpected-answer", httpStatus: status });
    expect(error.message).toMatch(
      /the service answered 20\d( with JSON| without a body) where 204 was expected\. The session may have ended; check baseUrl and paths\.terminate$/,
    );
  }
});

test("requestUpload() takes no success without JSON for one", async () => {
  const tell = async (status: number, contentType: string, body: string) => {
    await answer({ status, contentType, body });
    const error = await caught(service.client().requestUpload({ name: "Video" }));
    expect(error).toMatchObject({ code: "unexpected-answer", httpStatus: status });
    return error.message;
  };
  expect(await tell(204, "text/plain", "")).toContain("answered 204 without a body where JSON was expected");
  expect(await tell(200, "application/json", "")).toContain("answered 200 without a body");
  expect(await tell(200, "application/json", '{"asset":')).toContain("with text that is not JSON");
  expect(await tell(200, "text/plain", "OK")).toContain("with text that is not JSON");
  expect(await tell(200, "text/plain", "OK")).toContain("An asset may have been created");
});

test("a server error of requestUpload() alone names what a webhook policy may lack", async () => {
  for (const status of [500, 422]) {
    await answer({ status });
    const { message } = await caught(
      service.client().requestUpload({ name: "Video", playbackPolicy: { type: "webhook" } }),
    );
    expect(message.includes("webhookId, which may be why; otherwise try again later")).toBe(status === 500);
  }
});

test("a server error of terminateStream() leaves the end open and names the pause that may follow", async () => {
  const begin = "Cannot terminate the stream session: the service answered";
  const pause = "before trying again: until then it may answer that the call came too soon";
  await answer({ status: 500 });
  const { message } = await caught(service.client().terminateStream("launch-stream"));
  expect(message).toBe(`${begin} 500. The session may have ended. Wait 5 s ${pause}`);
  await answer({ status: 503, retryAfter: "30" });
  const later = await caught(service.client().terminateStream("launch-stream"));
  expect(later).toMatchObject({ code: "service-error", retryAfter: 30_000 });
  expect(later.message).toBe(`${begin} 503. The session may have ended. Wait 30 s ${pause}`);
});

test.each([401, 500])("a refusal with status %d counts although its words break off", async (status) => {
  const server = await startRawServer((_, socket) => {
    socket.end(rawAnswer(status, { "content-length": 100, "content-type": "text/plain" }, "Because"));
  });
  const client = createClient({ baseUrl: server.origin, token: "one-token" });
  const error = await caught(client.requestUpload());
  expect(error).toMatchObject({ name: "ServiceError", httpStatus: status });
  expect(error.details).toBeUndefined();
  expect(error.message).toMatch(new RegExp(`the service answered ${status}(?!:)`));
});

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import type { CallOptions } from "../../core/client.ts";
import { readRetryAfter } from "../../core/http/retry-after.ts";
import { type Client, type ClientOptions, createClient } from "../../core/mod.ts";
import { caught } from "../caught.ts";
import { MARKER } from "../marker.ts";
import type { AnswerRule } from "../service/switches.ts";
import { useService } from "../service/use-service.ts";

const service = useService();
const client = (options: Partial<ClientOptions> = {}) =>
  createClient({ baseUrl: service.baseUrl, token: service.token, ...options });

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

interface Neighbour {
  url: string;
  requests: IncomingMessage[];
  close(): Promise<void>;
}

/** A second server, for what must not arrive anywhere else and for answers no service would give. */
async function neighbour(
  handle: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => {
    response.writeHead(204).end();
  },
): Promise<Neighbour> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    handle(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

describe.each(calls)("$name", ({ method, purpose, lost, state, make }) => {
  test.each([
    [400, "rejected", false],
    [401, "unauthorized", false],
    [402, "rejected", false],
    [403, "forbidden", false],
    [404, "wrong-address", false],
    [405, "rejected", false],
    [408, "rejected", false],
    [409, "rejected", false],
    [413, "rejected", false],
    [422, "rejected", false],
    [429, "rate-limited", true],
    [500, "service-error", true],
    [501, "service-error", true],
    [502, "service-error", true],
    [503, "service-error", true],
    [504, "service-error", true],
  ])("is sent once when the service answers %i, and gives %s", async (status, code, retryable) => {
    await answer({ status });
    const error = await caught(make(client()));
    expect(error).toMatchObject({
      name: "ServiceError",
      code,
      httpStatus: status,
      retryable,
      details: undefined,
    });
    expect(error.message.startsWith(`${purpose}the service answered ${status}`)).toBe(true);
    expect(error.message).not.toMatch(/\.$/);
    expect(await service.requests(method)).toHaveLength(1);
  });

  test("is sent once when its answer is lost, and says what is unknown", async () => {
    await service.set({ dropAnswer: [{ host: "api" }] });
    const error = await caught(make(client()));
    expect(error).toMatchObject({
      name: "ConnectionError",
      code: lost,
      retryable: true,
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
    const error = await caught(make(client({ paths })));
    expect(error.code).toBe(lost);
  });

  test("is sent once when no answer comes in time, and gives up then", async () => {
    await service.set({ stallAfter: [{ host: "api", method, bytes: 0 }] });
    const error = await caught(make(client({ timeout: 1000 })));
    expect(error).toMatchObject({ name: "ConnectionError", code: lost, retryable: true });
    expect(error.message).toBe(`${purpose}no answer within 1 s. ${state}`);
    expect(await service.requests(method)).toHaveLength(1);
  });

  test("takes a time limit of its own, also one with a fraction", async () => {
    await service.set({ stallAfter: [{ host: "api", method, bytes: 0 }] });
    const error = await caught(make(client(), { timeout: 150.5 }));
    expect(error.code).toBe(lost);
    expect(error.message).toContain("no answer within 0.1505 s");
  });

  test("gives the same code when the answer stops half-way", async () => {
    const half = await neighbour((_, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
      response.write('{"asset":{"id":"asset-1"},');
      setTimeout(() => response.destroy(), 30);
    });
    const error = await caught(make(client({ baseUrl: half.url })));
    expect(error).toMatchObject({ name: "ConnectionError", code: lost });
    expect(half.requests).toHaveLength(1);
    await half.close();
  });

  test("tells that nothing was sent when nothing listens there", async () => {
    const gone = await neighbour();
    await gone.close();
    const error = await caught(make(client({ baseUrl: `${gone.url}/a/path?`.slice(0, -1) })));
    expect(error).toMatchObject({ name: "ConnectionError", code: "unreachable", retryable: true });
    expect(error.message.startsWith(`${purpose}${gone.url} could not be reached`)).toBe(true);
    expect(error.message).toContain("Nothing was sent");
    expect(error.message).not.toContain("/a/path");
  });

  test("tells that nothing was sent for a port that fetch refuses", async () => {
    const error = await caught(make(client({ baseUrl: "http://127.0.0.1:9" })));
    expect(error.code).toBe("unreachable");
  });

  test("tells that nothing was sent for a host that doesn't exist", async () => {
    const error = await caught(make(client({ baseUrl: "http://video.invalid" })));
    expect(error.code).toBe("unreachable");
    expect(error.message).toContain("http://video.invalid");
  });

  test.each([301, 302, 303, 307, 308])(
    "names the origin of a redirect (%i) and sends nothing there",
    async (status) => {
      const other = await neighbour();
      await answer({ status, location: `${other.url}/elsewhere?token=${MARKER}` });
      const error = await caught(make(client()));
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
      await other.close();
    },
  );

  test("says so when a redirect stays at the same address", async () => {
    await answer({ status: 307, location: `/v2/?token=${MARKER}` });
    const error = await caught(make(client()));
    expect(error).toMatchObject({ code: "redirected", httpStatus: 307 });
    expect(error.message).toBe(
      `${purpose}the service redirects to another path of ${service.baseUrl}, which is not followed. Check baseUrl and paths.${method === "POST" ? "requestUpload" : "terminate"}`,
    );
    expect(await service.requests()).toHaveLength(1);
  });

  test.each([300, 304])("takes %i without a location for no success", async (status) => {
    await answer({ status });
    const error = await caught(make(client()));
    expect(error).toMatchObject({ code: "redirected", httpStatus: status });
    expect(error.message).toContain(`answered ${status}`);
  });

  test("says that an HTML page came where the service was expected", async () => {
    const body = `<!doctype html><title>Sign in</title><p>${MARKER}</p>`;
    await answer({ status: 200, contentType: "text/html", body });
    const error = await caught(make(client()));
    expect(error).toMatchObject({ name: "ServiceError", code: "unexpected-answer", httpStatus: 200 });
    expect(error.message).toMatch(
      /the service answered 200 with an HTML page where (JSON|204) was expected\./,
    );
    expect(error.message).toMatch(/[Cc]heck baseUrl/);
  });

  test.each<[string, unknown[], string[]]>([
    ["flat", ["first", "second"], ["first", "second"]],
    ["nested", [["first", "second"]], ["first", "second"]],
    ["mixed and doubled", ["first", ["second", ["first"]]], ["first", "second"]],
    ["objects", [{ message: "first", code: 7 }], ["first"]],
  ])("reads %s errors", async (_, errors, sentences) => {
    const body = JSON.stringify({ errors });
    await answer({ status: 400, contentType: "application/json", body });
    const error = await caught(make(client()));
    expect(error).toMatchObject({ code: "rejected", details: sentences });
    expect(error.message).toBe(`${purpose}the service answered 400: ${sentences.join("; ")}`);
  });

  test("turns validation errors that are JSON texts into plain sentences", async () => {
    const errors = [
      {
        instancePath: "/profiles/0/gop",
        keyword: "type",
        params: { type: "string" },
        message: "must be string",
      },
      {
        instancePath: "",
        keyword: "additionalProperties",
        params: { additionalProperty: "colour" },
        message: "must NOT have additional properties",
      },
      {
        instancePath: "/playbackPolicy/type",
        keyword: "enum",
        params: { allowedValues: ["public", "webhook"] },
        message: "must be equal to one of the allowed values",
      },
    ];
    const body = JSON.stringify({ errors: errors.map((each) => JSON.stringify(each)) });
    await answer({ status: 422, contentType: "application/json", body });
    const error = await caught(make(client()));
    expect(error.details).toEqual([
      "profiles.0.gop must be string",
      'must NOT have additional properties ("colour")',
      'playbackPolicy.type must be equal to one of the allowed values ("public", "webhook")',
    ]);
  });

  test("doesn't double the period of a sentence", async () => {
    await answer({
      status: 403,
      contentType: "application/json",
      body: '{"errors":["The account is suspended."]}',
    });
    const error = await caught(make(client()));
    expect(error.message).toBe(
      `${purpose}the service answered 403: The account is suspended. Check what the account and its token may do`,
    );
  });

  test("takes the token out of what an answer echoes, however it is spelled", async () => {
    const token = `${MARKER}/+="\\&é`.normalize();
    const safe = token.replace("é", "");
    const echoes = [safe, encodeURIComponent(safe), encodeURI(safe), JSON.stringify(safe), `Bearer ${safe}`];
    const bodies: [string, string][] = [
      ...echoes.map((echo): [string, string] => [
        "application/json",
        JSON.stringify({ errors: [`no token ${echo} found`] }),
      ]),
      ...echoes.map((echo): [string, string] => ["text/plain", `no token ${echo} found`]),
      ...echoes.map((echo): [string, string] => ["text/html", `<html><title>no token ${echo}</title>`]),
    ];
    for (const [contentType, body] of bodies) {
      await answer({ status: 401, contentType, body });
      const error = await caught(make(client({ token: safe })));
      expect(error.code).toBe("unauthorized");
      expect(error.message).toContain("[removed]");
    }
  });

  const refuse = async (sentence: string) => {
    const body = JSON.stringify({ errors: [sentence] });
    await answer({ status: 403, contentType: "application/json", body });
    return await caught(make(client()));
  };

  test("tells a service that refuses web origins from one that refuses the account", async () => {
    const origin = await refuse("credential disallows CORS access from origin https://video.example");
    expect(origin).toMatchObject({ code: "origin-refused", httpStatus: 403, retryable: false });
    expect(origin.message).toMatch(/\. The service refuses this token from web pages/);
    expect(await refuse("account is suspended")).toMatchObject({ code: "forbidden" });
  });

  test("doesn't send a key that is restricted to web origins to a server, which is refused as well", async () => {
    const key = await refuse("access forbidden for CORS-enabled API key with restricted access");
    expect(key).toMatchObject({ code: "origin-refused", httpStatus: 403, retryable: false });
    expect(key.message).toBe(
      `${purpose}the service answered 403: access forbidden for CORS-enabled API key with restricted access. This key works only from the web origins that it allows: use a key without that restriction`,
    );
  });

  test("claims neither where the refusal of an origin leaves open which of both it is", async () => {
    const either = await refuse("origin is not allowed");
    expect(either.code).toBe("origin-refused");
    expect(either.message).toMatch(
      /refuses all web pages, .* server.*\. If it allows only .*without that restriction/,
    );
  });

  test("reads the wait of a 429 in seconds and as a date", async () => {
    const errors = '{"errors":["too many requests"]}';
    await answer({ status: 429, contentType: "application/json", body: errors, retryAfter: "7" });
    const seconds = await caught(make(client()));
    expect(seconds).toMatchObject({ code: "rate-limited", retryAfter: 7_000 });
    expect(seconds.message).toBe(
      `${purpose}the service answered 429: too many requests. Wait 7 s, then try again`,
    );

    await answer({ status: 429, retryAfter: new Date(Date.now() + 90_000).toUTCString() });
    const date = await caught(make(client()));
    expect(date.retryAfter).toBeGreaterThan(80_000);
    expect(date.retryAfter).toBeLessThanOrEqual(90_000);

    await answer({ status: 429, retryAfter: "soon" });
    const nonsense = await caught(make(client()));
    expect(nonsense).toMatchObject({ code: "rate-limited", retryAfter: undefined });
    expect(nonsense.message).toBe(`${purpose}the service answered 429. Wait, then try again`);
  });

  test("summarises XML and plain text, and shows nothing of what is longer than a sentence", async () => {
    const say = async (contentType: string | undefined, body: string) => {
      await answer({ status: 500, body, ...(contentType && { contentType }) });
      return (await caught(make(client()))).message;
    };
    const begin = `${purpose}the service answered 500: `;
    const xml =
      "<?xml version='1.0'?><Error><Code>SlowDown</Code><Message>Reduce your rate.</Message></Error>";
    const end =
      method === "POST"
        ? "Try again later"
        : expect.stringMatching(/^The session may have ended\. Wait 5 s /);
    const [slow, ...afterSlow] = (await say("application/xml", xml)).split(". ");
    expect([slow, afterSlow.join(". ")]).toEqual([`${begin}SlowDown: Reduce your rate`, end]);
    const [late, ...afterLate] = (await say(undefined, "upstream timed out\n")).split(". ");
    expect([late, afterLate.join(". ")]).toEqual([`${begin}upstream timed out`, end]);
    expect((await say("text/plain", "busy ".repeat(10_000))).length).toBeLessThan(500);
  });

  test("ends with the signal's own reason when it was aborted before, and sends nothing", async () => {
    const reason = { closed: true };
    expect(await caught(make(client(), { signal: AbortSignal.abort(reason) }))).toBe(reason);
    expect((await caught(make(client(), { signal: AbortSignal.abort() }))).name).toBe("AbortError");
    expect(await service.requests()).toEqual([]);
  });

  test.each<[string, unknown]>([
    ["an error", new Error("the lid was closed")],
    ["a text", "stopped"],
    ["a DOMException", new DOMException("stopped", "AbortError")],
    ["null", null],
  ])("ends with %s, the signal's own reason, when it is aborted on the way", async (_, reason) => {
    await service.set({ stallAfter: [{ host: "api", method, bytes: 0 }] });
    const stop = new AbortController();
    const call = caught(make(client(), { signal: stop.signal }));
    await expect.poll(() => service.requests(method)).toHaveLength(1);
    stop.abort(reason);
    expect(await call).toBe(reason);
  });

  test("ends with the signal's own reason while the token is being looked up", async () => {
    const stop = new AbortController();
    const reason = new Error("stopped");
    const token = () => {
      setImmediate(() => stop.abort(reason));
      return new Promise<string>(() => {});
    };
    expect(await caught(make(client({ token }), { signal: stop.signal }))).toBe(reason);
    expect(await service.requests()).toEqual([]);
  });

  test("leaves no listener on a signal that is used for many calls", async () => {
    const stop = new AbortController();
    for (let count = 0; count < 30; count++) await make(client(), { signal: stop.signal });
    expect(await service.requests(method)).toHaveLength(30);
  });
});

test("terminateStream() takes nothing but 204 for success", async () => {
  for (const status of [200, 201, 202, 205]) {
    await answer({ status, contentType: "application/json", body: '{"ok":true}' });
    const error = await caught(client().terminateStream("launch-stream"));
    expect(error).toMatchObject({ code: "unexpected-answer", httpStatus: status });
    expect(error.message).toMatch(
      /the service answered 20\d( with JSON| without a body) where 204 was expected\. The session may have ended; check baseUrl and paths\.terminate$/,
    );
  }
});

test("requestUpload() takes no success without JSON for one", async () => {
  const tell = async (status: number, contentType: string, body: string) => {
    await answer({ status, contentType, body });
    const error = await caught(client().requestUpload({ name: "Video" }));
    expect(error).toMatchObject({ code: "unexpected-answer", httpStatus: status });
    return error.message;
  };
  expect(await tell(204, "text/plain", "")).toContain("answered 204 without a body where JSON was expected");
  expect(await tell(200, "application/json", "")).toContain("answered 200 without a body");
  expect(await tell(200, "application/json", '{"asset":')).toContain("with text that is not JSON");
  expect(await tell(200, "text/plain", "OK")).toContain("with text that is not JSON");
  expect(await tell(200, "text/plain", "OK")).toContain("An asset may have been created");
});

describe("a server error of requestUpload()", () => {
  const HINT = "The playback policy is of type webhook but names no webhookId, which may be why";
  const messageFor = async (status: number, playbackPolicy: Record<string, unknown>) => {
    await answer({ status });
    return (await caught(client().requestUpload({ name: "Video", playbackPolicy }))).message;
  };

  test("names what a webhook policy may lack", async () => {
    const begin = "Cannot request an upload location: the service answered";
    for (const status of [500, 502])
      for (const policy of [{ type: "webhook" }, { type: "webhook", webhookId: " ", refreshInterval: 60 }])
        expect(await messageFor(status, policy)).toBe(
          `${begin} ${status}. ${HINT}; otherwise try again later`,
        );
  });

  test("names it for no other policy and no other answer", async () => {
    expect(await messageFor(500, { type: "webhook", webhookId: "hook-1" })).not.toContain("webhook");
    expect(await messageFor(500, { type: "public" })).not.toContain("webhook");
    expect(await messageFor(422, { type: "webhook" })).not.toContain("webhook");
    await answer({ status: 500 });
    expect((await caught(client().requestUpload({ name: "Video" }))).message).not.toContain("webhook");
  });

  test("is no reason to refuse such a policy before", async () => {
    await client().requestUpload({ name: "Video", playbackPolicy: { type: "webhook" } });
    expect((await service.assets())[0]?.received).toMatchObject({ playbackPolicy: { type: "webhook" } });
  });
});

test("a server error of terminateStream() leaves the end open and names the pause that may follow", async () => {
  const begin = "Cannot terminate the stream session: the service answered";
  const pause = "before trying again: until then it may answer that the call came too soon";
  await answer({ status: 500 });
  const { message } = await caught(client().terminateStream("launch-stream"));
  expect(message).toBe(`${begin} 500. The session may have ended. Wait 5 s ${pause}`);
  await answer({ status: 503, retryAfter: "30" });
  const later = await caught(client().terminateStream("launch-stream"));
  expect(later).toMatchObject({ code: "service-error", retryAfter: 30_000 });
  expect(later.message).toBe(`${begin} 503. The session may have ended. Wait 30 s ${pause}`);
});

test("a service that refuses a call right after the last one is told apart from success", async () => {
  await service.set({ terminateCooldown: 30, answerStatus: [{ host: "api", status: 500, times: 1 }] });
  expect(await caught(client().terminateStream("launch-stream"))).toMatchObject({ code: "service-error" });
  expect(await caught(client().terminateStream("launch-stream"))).toMatchObject({ code: "rate-limited" });
});

test("readRetryAfter() reads seconds and dates, and nothing else", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  const cases: [string | null | undefined, number | undefined][] = [
    ["0", 0],
    ["120", 120_000],
    [" 5 ", 5_000],
    ["Thu, 01 Jan 2026 00:01:00 GMT", 60_000],
    ["Wed, 31 Dec 2025 23:00:00 GMT", 0],
    ["soon", undefined],
    ["", undefined],
    ["-5", undefined],
    ["1.5", undefined],
    ["5 minutes", undefined],
    [null, undefined],
    [undefined, undefined],
  ];
  for (const [value, wait] of cases) expect([value, readRetryAfter(value, now)]).toEqual([value, wait]);
});

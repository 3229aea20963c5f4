import { describe, expect, test } from "vitest";
import type { Fetch } from "../../core/client.ts";
import { type ClientOptions, createClient, upload } from "../../core/mod.ts";
import { readBaseUrl, readToken, streamSegment } from "../../core/validate.ts";
import { caught } from "../caught.ts";
import { MARKER } from "../marker.ts";
import { useService } from "../service/use-service.ts";

const service = useService();
const client = (options: Partial<ClientOptions> = {}) =>
  createClient({ baseUrl: service.baseUrl, token: service.token, ...options });
const video = () => new File([new Uint8Array(5000).fill(7)], "video.mp4", { type: "video/mp4" });

describe("the token", () => {
  test.each<[string, (token: string) => ClientOptions["token"]]>([
    ["a string", (token) => token],
    ["a function", (token) => () => token],
    ["an async function", (token) => async () => token],
    ["pasted with Bearer and white space", (token) => ` \t Bearer   ${token} \n`],
    ["pasted with bearer in lower case", (token) => () => `bearer ${token}`],
  ])("is taken as %s", async (_, form) => {
    const account = client({ token: form(service.token) });
    expect((await account.requestUpload({ name: "Video" })).asset.name).toBe("Video");
    await account.terminateStream("launch-stream");
  });

  test("is asked of its function once for each call", async () => {
    let asked = 0;
    const account = client({
      token: () => {
        asked++;
        return service.token;
      },
    });
    expect(asked).toBe(0);
    await account.terminateStream("launch-stream");
    await account.requestUpload({ name: "Video" });
    expect(asked).toBe(2);
  });

  test("of a function is checked like any other, before anything is sent", async () => {
    const account = client({ token: () => `${MARKER} in two words` });
    const error = await caught(account.terminateStream("launch-stream"));
    expect(error).toMatchObject({ name: "InputError", code: "invalid-option" });
    expect(error.message).toContain("white space");
    expect(await service.requests()).toEqual([]);
  });

  test.each<[string, unknown]>([
    ["an error", new TypeError(`${MARKER} is wrong`)],
    ["a text", MARKER],
    ["nothing", undefined],
  ])("function that fails with %s gives an error that shows nothing of it", async (_, failure) => {
    for (const token of [
      () => Promise.reject(failure),
      () => {
        throw failure;
      },
    ]) {
      const error = await caught(client({ token }).terminateStream("launch-stream"));
      expect(error).toMatchObject({ name: "InputError", code: "invalid-option" });
    }
    expect(await service.requests()).toEqual([]);
  });

  test("function that returns nothing is waited for as long as for an answer, then nothing was sent", async () => {
    const account = client({ token: () => new Promise<string>(() => {}), timeout: 50 });
    for (const call of [
      () => account.terminateStream("launch-stream"),
      () => account.requestUpload({ name: "Video" }),
      () => upload(account, new File(["a"], "a.mp4"), { retry: { attempts: 1, minDelay: 1 } }),
    ]) {
      expect(await caught(call())).toMatchObject({ code: "unreachable", retryable: true });
    }
    expect(await service.requests()).toEqual([]);
  });

  test("that is unknown gives unauthorized, without being repeated from the answer that echoes it", async () => {
    const account = client({ token: `${MARKER}-unknown` });
    const error = await caught(account.terminateStream("launch-stream"));
    expect(error).toMatchObject({
      name: "ServiceError",
      code: "unauthorized",
      httpStatus: 401,
      retryable: false,
    });
    expect(error.message).toBe(
      "Cannot terminate the stream session: the service answered 401: no token [removed] found. Check the account token",
    );
    expect(error.details).toEqual(["no token [removed] found"]);
  });

  test.each([
    ["that is empty", "", "empty"],
    ["of a scheme alone", "Bearer ", "empty"],
    ["of two lines", `${MARKER}\n-b`, "line break"],
    ["with a space", `${MARKER} b`, "white space"],
    ["with an umlaut", `${MARKER}\u00e4`, "no header can carry"],
    ["with a space of no width", `${MARKER}\u200b`, "no header can carry"],
    ["with its scheme twice", `Bearer Bearer ${MARKER}`, "white space"],
    ["that is a number", 42, "not a string"],
    ["that is null", null, "not a string"],
  ])("one %s is refused without being shown", async (_, token, reason) => {
    const error = await caught(() => readToken(token));
    expect(error).toMatchObject({ name: "InputError", code: "invalid-option" });
    expect(error.message).toContain(reason);
  });

  test("is not shown when it was given as the base address", async () => {
    const token = `${MARKER}-01234567-89ab`;
    const error = await caught(() => createClient({ baseUrl: token, token: service.baseUrl }));
    expect(error).toMatchObject({ code: "invalid-option" });
    expect(error.message).toContain("baseUrl");
  });
});

describe("an injected fetch", () => {
  test("is used for every request of the client and of its uploads", async () => {
    const methods: string[] = [];
    const fetch: Fetch = (input, init) => {
      methods.push(init?.method ?? "GET");
      return globalThis.fetch(input, init);
    };
    const account = client({ fetch });
    await account.terminateStream("launch-stream");
    for (const method of ["resumable", "direct"] as const) {
      const { asset } = await upload(account, video(), { method });
      await service.whole(asset.id);
    }
    const arrived = (await service.requests()).map(({ method }) => method);
    expect(methods).toEqual(arrived);
    expect(new Set(methods)).toEqual(new Set(["DELETE", "POST", "PATCH", "PUT"]));
  });

  test("is called without a receiver, so that a method of an object must be bound by its owner", async () => {
    let receiver: unknown = "not called";
    const account = client({
      fetch(this: unknown, input, init) {
        receiver = this;
        return globalThis.fetch(input, init);
      },
    });
    await account.terminateStream("launch-stream");
    expect(receiver).not.toBe(account);
  });
});

describe("the base address and paths", () => {
  test("are put together without doubled slashes, whatever the address ends with", async () => {
    for (const baseUrl of [`${service.baseUrl}/`, `${service.baseUrl}//`, new URL(service.baseUrl)])
      await client({ baseUrl }).terminateStream("launch-stream");
    const paths = (await service.requests()).map(({ path }) => path);
    expect(new Set(paths)).toEqual(new Set(["/stream/launch-stream/terminate"]));
  });

  test("keep a path of the base address", async () => {
    await service.set({ streamPrefix: "/eu/video" });
    await client({ baseUrl: ` ${service.baseUrl}/eu/video/ ` }).terminateStream("launch-stream");
    expect(await service.requests("DELETE", "/eu/video/stream/launch-stream/terminate")).toHaveLength(1);
  });

  test("reach a service that mounts the stream call under a prefix", async () => {
    await service.set({ streamPrefix: "/api" });
    await client({ paths: { terminate: "/api/stream/{id}/terminate" } }).terminateStream("launch-stream");
    const live = (await service.streams()).find(({ id }) => id === "launch-stream");
    expect(live?.live).toBe(false);
  });

  test("with the wrong prefix give wrong-address and name paths.terminate", async () => {
    await service.set({ streamPrefix: "/api" });
    const error = await caught(client().terminateStream("launch-stream"));
    expect(error).toMatchObject({ code: "wrong-address", httpStatus: 404, details: undefined });
    expect(error.message).toBe(
      'Cannot terminate the stream session: the service answered 404: an HTML page titled "404". ' +
        "Check baseUrl and paths.terminate: services may mount a call under a prefix",
    );
  });

  test("of request-upload that are wrong name paths.requestUpload", async () => {
    const error = await caught(client({ paths: { requestUpload: "/v2/upload" } }).requestUpload());
    expect(error.code).toBe("wrong-address");
    expect(error.message).toContain("paths.requestUpload");
  });

  test("leave the other path as documented when one is given", async () => {
    const account = client({ paths: { terminate: "/api/stream/{id}/terminate" } });
    expect((await account.requestUpload({ name: "Video" })).asset.name).toBe("Video");
  });

  test("are refused with the option's name when they can't be an address", async () => {
    for (const baseUrl of [
      "video.example",
      "",
      "//video.example",
      "localhost:8787",
      "mailto:a@b.c",
      7,
      null,
    ]) {
      const error = await caught(() => readBaseUrl(baseUrl));
      expect(error.code).toBe("invalid-option");
      expect(error.message).toMatch(/^Cannot create a client: baseUrl .*[^.]$/);
    }
  });
});

describe("terminateStream()", () => {
  test("ends the session of a live stream and stops its recording", async () => {
    const before = (await service.streams()).find(({ id }) => id === "launch-stream");
    expect(before).toMatchObject({ live: true, recording: true });
    expect(await client().terminateStream("launch-stream")).toBeUndefined();
    const after = (await service.streams()).find(({ id }) => id === "launch-stream");
    expect(after).toMatchObject({ live: false, recording: false });
  });

  test("lets the streamer start again at once", async () => {
    await client().terminateStream("launch-stream");
    await service.startSession("launch-stream");
    const stream = (await service.streams()).find(({ id }) => id === "launch-stream");
    expect(stream).toMatchObject({ live: true });
  });

  test("succeeds for a stream that isn't live, as the service does", async () => {
    await client().terminateStream("quiet-stream");
    await client().terminateStream("quiet-stream");
  });

  test("sends a DELETE with the token and without a body", async () => {
    await client().terminateStream("launch-stream");
    expect(await service.requests()).toMatchObject([
      {
        host: "api",
        method: "DELETE",
        path: "/stream/launch-stream/terminate",
        status: 204,
        bytesReceived: 0,
        hasAuthorization: true,
        contentType: null,
      },
    ]);
  });

  test("ends a stream whose id holds every character that means something in an address", async () => {
    await client().terminateStream("studio/a?take=1#50%");
    const stream = (await service.streams()).find(({ id }) => id === "studio/a?take=1#50%");
    expect(stream).toMatchObject({ live: false });
    const [request] = await service.requests();
    expect(request?.path).toBe("/stream/studio%2Fa%3Ftake%3D1%2350%25/terminate");
  });

  test.each([
    "a/b",
    "a?b",
    "a#b",
    "50%",
    "%2F",
    "%2e%2e",
    "a.b",
    "...",
    "../x",
    "a b",
    "ä",
    "直播",
    "🎬",
    "a+b&c=d",
    "a\\b",
    "{id}",
    "$&",
    "constructor",
  ])("sends the id %j as one segment that decodes to it", async (id) => {
    const error = await caught(client().terminateStream(id));
    expect(error).toMatchObject({ code: "not-found", details: ["stream not found"] });
    const [request, ...others] = await service.requests();
    expect(others).toEqual([]);
    const segment = /^\/stream\/([^/?#]+)\/terminate$/.exec(request?.path ?? "")?.[1] ?? "";
    expect(decodeURIComponent(segment)).toBe(id);
    expect(segment).toBe(streamSegment(id));
  });

  test("takes white space off the id", async () => {
    await client().terminateStream(" \n\tlaunch-stream\u00a0 ");
    expect(await service.requests("DELETE", "/stream/launch-stream/terminate")).toHaveLength(1);
  });

  test.each<[unknown, string]>([
    [".", '"."'],
    ["..", '".."'],
    [" .. ", '".."'],
    ["", "empty"],
    [" \t\n", "empty"],
    ["a\u0000b", "control character"],
    ["a\nb", "control character"],
    ["a\u007f", "control character"],
    ["a\u0085b", "control character"],
    ["a\ud800", "lone surrogate"],
    ["\udc00", "lone surrogate"],
    [undefined, "undefined"],
    [null, "null"],
    [7, "7"],
    [{}, "an object"],
    [["launch-stream"], "a list"],
  ])("refuses the id %j before anything is sent", async (id, reason) => {
    const error = await caught(client().terminateStream(id as string));
    expect(error).toMatchObject({ name: "InputError", code: "invalid-id", retryable: false });
    expect(error.message).toMatch(/^Cannot terminate the stream session: the id .* Give the stream's id$/);
    expect(error.message).toContain(reason);
    expect(await service.requests()).toEqual([]);
  });

  test.each(["quiet-stream-2", "other-launch-stream"])(
    "gives not-found for a stream that the account doesn't have: %s",
    async (id) => {
      const error = await caught(client().terminateStream(id));
      expect(error).toMatchObject({ code: "not-found", httpStatus: 404, retryable: false });
      expect(error.message).toBe(
        "Cannot terminate the stream session: the service answered 404: stream not found. " +
          "Check the stream's id, and that the token is of its account",
      );
    },
  );

  test("reads the documented sentence that the account was not found", async () => {
    await service.set({ nestedErrors: true });
    const error = await caught(client().terminateStream("orphan-stream"));
    expect(error).toMatchObject({ code: "not-found", details: ["account not found"] });
  });
});

describe("requestUpload()", () => {
  test("sends exactly what it was given, as JSON, with the token", async () => {
    const request = {
      name: "Launch video",
      staticMp4: true,
      playbackPolicy: {
        type: "webhook",
        webhookId: "hook-1",
        webhookContext: { room: "blue", seats: [1, 2], vip: null },
        refreshInterval: 60,
        allowedOrigins: ["https://video.example"],
      },
      profiles: [{ name: "720p", width: 1280, height: 720, bitrate: 3_000_000, fps: 30, gop: "2.0" }],
      further: { deep: [{ a: null }] },
      // Names that a serializer may trip over.
      buffer: "8 MiB",
      pipe: 1,
      constructor: "acme",
      toString: "text",
    };
    await client().requestUpload(request);
    const [stored] = await service.assets();
    expect(stored?.received).toEqual(request);
    expect(await service.requests()).toMatchObject([
      { method: "POST", path: "/api/asset/request-upload", hasAuthorization: true },
    ]);
    const [logged] = await service.requests();
    expect(logged?.contentType).toMatch(/^application\/json/);
  });

  test("leaves out what was left alone, and keeps what is empty on purpose", async () => {
    await client().requestUpload({
      name: "Video",
      staticMp4: undefined,
      profiles: [{ name: "a", width: undefined }],
      playbackPolicy: { type: "webhook", webhookId: undefined, webhookContext: {} },
      further: undefined,
      empty: "",
      none: null,
      list: [],
    } as never);
    const [stored] = await service.assets();
    expect(stored?.received).toEqual({
      name: "Video",
      profiles: [{ name: "a" }],
      playbackPolicy: { type: "webhook", webhookContext: {} },
      empty: "",
      none: null,
      list: [],
    });
  });

  test("sends only a name when only a name was given", async () => {
    await client().requestUpload({ name: "Video" });
    const [stored] = await service.assets();
    expect(stored?.received).toEqual({ name: "Video" });
  });

  test("without fields lets the service say which it needs", async () => {
    const error = await caught(client().requestUpload());
    expect(error).toMatchObject({ code: "rejected", httpStatus: 422 });
    expect(error.message).toContain("must have required property 'name'");
  });

  test("takes gop as text in a request and as a number in the record", async () => {
    const { asset, mismatches } = await client().requestUpload({
      name: "Video",
      profiles: [{ name: "720p", gop: "2.5" }],
    });
    expect((await service.assets())[0]?.received.profiles).toEqual([{ name: "720p", gop: "2.5" }]);
    expect(asset.profiles?.[0]?.gop).toBe(2.5);
    expect(mismatches.map(({ path }) => path)).not.toContain("asset.profiles[0].gop");
    const error = await caught(client().requestUpload({ name: "Video", profiles: [{ gop: 2.5 }] }));
    expect(error.message).toBe(
      "Cannot request an upload location: profiles[0].gop is 2.5, expected a string",
    );
  });

  test.each([200, 201, 202, 299])("accepts the answer with status %i", async (status) => {
    const body = JSON.stringify({
      url: `${service.uploadUrl}/direct?token=${MARKER}`,
      tusEndpoint: `${service.uploadUrl}/tus?token=${MARKER}`,
      asset: { id: "asset-1" },
    });
    const contentType = "application/json";
    await service.set({ answerStatus: [{ host: "api", status, body, contentType }] });
    const location = await client().requestUpload({ name: "Video" });
    expect(location.asset).toEqual({ id: "asset-1" });
    expect(location.url).toContain(MARKER);
  });
});

test("an injected fetch is given the token in a header alone", async () => {
  const given: (RequestInit | undefined)[] = [];
  const fetch: Fetch = async (_, init) => {
    given.push(init);
    return Response.json({ errors: ["blocked"] }, { status: 400 });
  };
  await caught(client({ fetch }).terminateStream("launch-stream"));
  const [init] = given;
  expect(new Headers(init?.headers).get("authorization")).toBe(`Bearer ${service.token}`);
  expect(JSON.stringify({ ...init, headers: undefined })).not.toContain(service.token);
});

test("a status beyond those of HTTP is a refusal", async () => {
  const answer = { ok: false, status: 999, type: "basic", headers: new Headers(), body: true };
  const fetch = (async () => ({ ...answer, text: async () => '{"errors":["blocked"]}' })) as unknown as Fetch;
  const error = await caught(client({ fetch }).requestUpload({ name: "Video" }));
  expect(error).toMatchObject({ code: "service-error", httpStatus: 999, details: ["blocked"] });
});

test.each([0, 100, 199, 200.5, Number.NaN])(
  "a status %s that is none leaves open what came of the call",
  async (status) => {
    const answer = { ok: true, status, type: "basic", headers: new Headers(), body: true };
    const fetch = (async () => ({ ...answer, text: async () => "{}" })) as unknown as Fetch;
    const errors = [
      await caught(client({ fetch }).requestUpload({ name: "Video" })),
      await caught(client({ fetch }).terminateStream("launch-stream")),
    ];
    expect(errors.map(({ code }) => code)).toEqual(["asset-unknown", "terminate-unknown"]);
  },
);

describe("the account token and the upload host", () => {
  test.each(["resumable", "direct"] as const)(
    "never meet in a %s upload, unless that is turned on",
    async (method) => {
      const { asset } = await upload(client(), video(), { method });
      await service.whole(asset.id);
      const all = await service.requests();
      expect(all.filter(({ host }) => host === "upload").length).toBeGreaterThan(0);
      for (const each of all) expect(each.hasAuthorization).toBe(each.host === "api");
    },
  );

  test.each(["resumable", "direct"] as const)(
    "meet in every request of a %s upload with uploadAuthorization",
    async (method) => {
      await service.set({ uploadAuthorization: "required" });
      const { asset } = await upload(client({ uploadAuthorization: true }), video(), { method });
      expect((await service.whole(asset.id)).asset.size).toBe(5000);
      expect((await service.requests()).every(({ hasAuthorization }) => hasAuthorization)).toBe(true);
    },
  );

  test("that asks for it refuses an upload without it, and the error says what may be missing", async () => {
    await service.set({ uploadAuthorization: "required" });
    const error = await caught(upload(client(), video()));
    expect(error).toMatchObject({ name: "UploadError", code: "location-refused", httpStatus: 401 });
    expect(error.message).toContain("authorization");
  });

  test.each(["resumable", "direct"] as const)(
    "an upload host that repeats it gets it into no error of a %s upload",
    async (method) => {
      const body = JSON.stringify({ errors: [`${service.token} may not upload here`] });
      const contentType = "application/json";
      await service.set({ answerStatus: [{ host: "upload", status: 403, contentType, body }] });
      const error = await caught(upload(client({ uploadAuthorization: true }), video(), { method }));
      expect(error.details).toEqual(["[removed] may not upload here"]);
      expect(JSON.stringify(error)).not.toContain(service.token);
    },
  );

  test("uploadHeaders() holds nothing by default and the current token when turned on", async () => {
    expect(await client().uploadHeaders()).toEqual({});
    expect(await client({ uploadAuthorization: true }).uploadHeaders()).toEqual({
      Authorization: `Bearer ${service.token}`,
    });
  });
});

describe("scope()", () => {
  test("is the same for the same address and token, however they are written", async () => {
    const scope = await client().scope();
    expect(scope).toMatch(/^[0-9a-f]{64}$/);
    expect(scope).not.toContain(service.token);
    for (const same of [
      client({ baseUrl: `${service.baseUrl}/` }),
      client({ token: async () => `Bearer ${service.token}` }),
    ])
      expect(await same.scope()).toBe(scope);
  });

  test("differs by address, token and account name", async () => {
    const scopes = await Promise.all(
      [
        client(),
        client({ token: service.otherToken }),
        client({ baseUrl: `${service.baseUrl}/eu` }),
        client({ account: "studio" }),
      ].map((each) => each.scope()),
    );
    expect(new Set(scopes).size).toBe(4);
  });

  test("stays the same over a renewed token when the account has a name", async () => {
    const [before, after] = [service.token, service.otherToken].map((token) =>
      client({ token, account: "studio" }).scope(),
    );
    expect(await before).toBe(await after);
  });
});

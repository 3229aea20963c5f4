import { describe, expect, test, vi } from "vitest";
import { createClient } from "../../core/client.ts";
import type { Fetch } from "../../core/http/fetch.ts";
import { upload } from "../../core/mod.ts";
import { useService } from "../service/use-service.ts";
import { caught } from "../support/caught.ts";

const service = useService();
const video = () => new File([new Uint8Array(5000).fill(7)], "video.mp4", { type: "video/mp4" });

test("the token is asked of its function once for each call", async () => {
  const token = vi.fn(() => service.token);
  const account = service.client({ token });
  expect(token).not.toBeCalled();
  await account.terminateStream("launch-stream");
  await account.requestUpload({ name: "Video" });
  expect(token).toBeCalledTimes(2);
});

describe("an injected fetch", () => {
  test("is used for every request of the client and of its uploads", async () => {
    const methods: string[] = [];
    const fetch: Fetch = (input, init) => {
      methods.push(init?.method ?? "GET");
      return globalThis.fetch(input, init);
    };
    const account = service.client({ fetch });
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
    const account = service.client({
      fetch(this: unknown, input, init) {
        receiver = this;
        return globalThis.fetch(input, init);
      },
    });
    await account.terminateStream("launch-stream");
    expect(receiver).not.toBe(account);
  });
});

test("the base address and paths of request-upload that are wrong name paths.requestUpload", async () => {
  const error = await caught(service.client({ paths: { requestUpload: "/v2/upload" } }).requestUpload());
  expect(error.code).toBe("wrong-address");
  expect(error.message).toContain("paths.requestUpload");
});

describe("terminateStream()", () => {
  test("ends the session of a live stream and its recording, by a DELETE with the token and no body", async () => {
    const stream = async () => (await service.streams()).find(({ id }) => id === "launch-stream");
    expect(await stream()).toMatchObject({ live: true, recording: true });
    expect(await service.client().terminateStream("launch-stream")).toBeUndefined();
    expect(await stream()).toMatchObject({ live: false, recording: false });
    const facts = { host: "api", method: "DELETE", path: "/stream/launch-stream/terminate", status: 204 };
    expect(await service.requests()).toMatchObject([
      { ...facts, bytesReceived: 0, hasAuthorization: true, contentType: null },
    ]);
    await service.startSession("launch-stream");
    expect(await stream()).toMatchObject({ live: true });
  });

  test("succeeds for a stream that isn't live, as the service does", async () => {
    await service.client().terminateStream("quiet-stream");
    await service.client().terminateStream("quiet-stream");
  });
});

test("requestUpload() sends exactly what it was given, as JSON, with the token", async () => {
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
    empty: "",
    list: [],
    // Names that a serializer may trip over.
    buffer: "8 MiB",
    pipe: 1,
    constructor: "acme",
    toString: "text",
  };
  const { name, staticMp4, playbackPolicy, profiles, ...fields } = request;
  await service
    .client()
    .requestUpload({ name, staticMp4, playbackPolicy, profiles, fields: { ...fields, none: undefined } });
  const [stored] = await service.assets();
  expect(stored?.received).toEqual(request);
  expect(await service.requests()).toMatchObject([
    { method: "POST", path: "/api/asset/request-upload", hasAuthorization: true },
  ]);
  const [logged] = await service.requests();
  expect(logged?.contentType).toMatch(/^application\/json/);
});

test("an injected fetch is given the token in a header alone", async () => {
  const given: (RequestInit | undefined)[] = [];
  const fetch: Fetch = async (_, init) => {
    given.push(init);
    return Response.json({ errors: ["blocked"] }, { status: 400 });
  };
  await caught(service.client({ fetch }).terminateStream("launch-stream"));
  const [init] = given;
  expect(new Headers(init?.headers).get("authorization")).toBe(`Bearer ${service.token}`);
  expect(JSON.stringify({ ...init, headers: undefined })).not.toContain(service.token);
});

test("a status beyond those of HTTP is a refusal", async () => {
  const answer = { ok: false, status: 999, type: "basic", headers: new Headers(), body: true };
  const fetch = (async () => ({ ...answer, text: async () => '{"errors":["blocked"]}' })) as unknown as Fetch;
  const error = await caught(service.client({ fetch }).requestUpload({ name: "Video" }));
  expect(error).toMatchObject({ code: "service-error", httpStatus: 999, details: ["blocked"] });
});

describe("the account token and the upload host", () => {
  test.each(["resumable", "direct"] as const)(
    "never meet in a %s upload, unless that is turned on",
    async (method) => {
      const { asset } = await upload(service.client(), video(), { method });
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
      const { asset } = await upload(service.client({ uploadAuthorization: true }), video(), { method });
      expect((await service.whole(asset.id)).asset.size).toBe(5000);
      expect((await service.requests()).every(({ hasAuthorization }) => hasAuthorization)).toBe(true);
    },
  );

  test("uploadHeaders() holds nothing by default and the current token when turned on", async () => {
    expect(await service.client().uploadHeaders()).toEqual({});
    expect(await service.client({ uploadAuthorization: true }).uploadHeaders()).toEqual({
      Authorization: `Bearer ${service.token}`,
    });
  });
});

describe("scope()", () => {
  test("is the same for the same address and token, however they are written", async () => {
    const scope = await service.client().scope();
    expect(scope).toMatch(/^[0-9a-f]{64}$/);
    expect(scope).not.toContain(service.token);
    for (const same of [
      service.client({ baseUrl: `${service.baseUrl}/` }),
      service.client({ token: async () => `Bearer ${service.token}` }),
    ])
      expect(await same.scope()).toBe(scope);
  });

  test("differs by address, token and account name", async () => {
    const changes = [
      {},
      { token: service.otherToken },
      { baseUrl: `${service.baseUrl}/eu` },
      { account: "studio" },
    ];
    const scopes = await Promise.all(changes.map((change) => service.client(change).scope()));
    expect(new Set(scopes).size).toBe(4);
  });

  test("stays the same over a renewed token when the account has a name", async () => {
    const scopeOf = (token: string) => service.client({ token, account: "studio" }).scope();
    expect(await scopeOf(service.token)).toBe(await scopeOf(service.otherToken));
  });
});

describe("the address of a call", () => {
  /** What is asked for, where each answer is this one. */
  async function addressOf(baseUrl: string | URL, paths: object, call: "terminate" | "requestUpload") {
    const asked: string[] = [];
    const fetch = async (address: unknown) => {
      asked.push(String(address));
      return new Response(null, { status: 401 });
    };
    const client = createClient({ baseUrl, token: "a-token", paths, fetch });
    const error = await (call === "terminate" ? client.terminateStream("a") : client.requestUpload()).catch(
      (failure: unknown) => failure,
    );
    expect(error).toMatchObject({ code: "unauthorized" });
    return asked.join();
  }

  test.each([
    ["https://video.example", "/stream/{id}", "https://video.example/stream/a"],
    ["https://video.example//", "//stream//{id}/", "https://video.example//stream//a/"],
    [new URL("https://video.example/"), "/{id}", "https://video.example/a"],
    ["https://video.example/api/", "/api/{id}", "https://video.example/api/api/a"],
    ["https://video.example", "/https://other.example/{id}", "https://video.example/https://other.example/a"],
  ])("of %s and the path %s is %s", async (baseUrl, terminate, expected) => {
    expect(await addressOf(baseUrl, { terminate }, "terminate")).toBe(expected);
  });

  test.each(["https://video.example", "https://video.example/api"])(
    "of %s and / ends so",
    async (baseUrl) => {
      expect(await addressOf(baseUrl, { requestUpload: "/" }, "requestUpload")).toBe(`${baseUrl}/`);
    },
  );
});

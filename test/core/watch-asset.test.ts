import { afterEach, describe, expect, test, vi } from "vitest";
import type { ClientOptions } from "../../core/client.ts";
import { ConnectionError } from "../../core/errors/errors.ts";
import { type Client, upload, watchAsset } from "../../core/mod.ts";
import { type AssetChange, changeOf, createPoller } from "../../core/watch-asset.ts";
import type { AnswerRule } from "../service/switches.ts";
import { useService } from "../service/use-service.ts";
import { caught } from "../support/caught.ts";

const service = useService({ assetCall: true });
const paths = { asset: "/api/asset/{id}" };
const client = (options: Partial<ClientOptions> = {}) => service.client({ paths, ...options });
const video = () => new File([new Uint8Array(5000).fill(7)], "video.mp4", { type: "video/mp4" });
const SOON = { minDelay: 1, maxDelay: 1 };
const answers = (...rules: Partial<AnswerRule>[]) =>
  service.set({
    answerStatus: rules.map((rule) => ({
      ...{ host: "api", method: "GET", path: "/api/asset/", status: 200, times: 1 },
      ...{ contentType: "application/json" },
      ...rule,
    })) as AnswerRule[],
  });
const record = (status: unknown, more: object = {}) => ({
  body: JSON.stringify({ id: "a", status, ...more }),
});

async function changesOf(account: Client, id: string, options = {}): Promise<AssetChange[]> {
  const changes: AssetChange[] = [];
  for await (const change of watchAsset(account, id, { ...SOON, ...options })) changes.push(change);
  return changes;
}

test.each([
  [0, 0],
  [0.5, 0.5],
  [1, 1],
  [-0.1, undefined],
  [1.1, undefined],
  ["0.5", undefined],
  [Number.NaN, undefined],
  [null, undefined],
])("changeOf() reads the progress %j of a record as %j", (progress, read) => {
  const asset = { id: "a", status: { phase: "processing", progress } } as unknown as AssetChange["asset"];
  expect(changeOf({ asset, mismatches: [] })).toMatchObject({ phase: "processing", progress: read });
});

describe("getAsset()", () => {
  test("gives the record of an uploaded asset, with the size and hash of what is stored", async () => {
    const { asset } = await upload(client(), video());
    await service.whole(asset.id);
    const found = await client().getAsset(` ${asset.id} `);
    expect(found.asset).toMatchObject({ id: asset.id, name: "video.mp4", size: 5000 });
    expect(Object.isFrozen(found.asset)).toBe(true);
  });

  test("without paths.asset says that the document shows no such call, before anything is sent", async () => {
    const error = await caught(client({ paths: {} }).getAsset("a"));
    expect(error).toMatchObject({ name: "InputError", code: "invalid-option" });
    expect(error.message).toContain("Cannot read the asset: paths.asset is not set");
    expect(await service.requests()).toEqual([]);
  });

  test.each(["", " ", ".", "..", "a\nb", "\ud800"])(
    "refuses the id %j before anything is sent",
    async (id) => {
      expect(await caught(client().getAsset(id))).toMatchObject({ code: "invalid-id" });
      expect(await service.requests()).toEqual([]);
    },
  );

  test("sends an id as one segment, whatever it holds", async () => {
    await caught(client().getAsset("../stream/x?y#z"));
    expect((await service.requests())[0]?.path).toBe("/api/asset/..%2Fstream%2Fx%3Fy%23z");
  });

  test.each([
    ["an id that nobody has", {}, "asset-not-found"],
    ["a wrong token", { token: "wrong" }, "unauthorized"],
    ["a path that the service doesn't have", { paths: { asset: "/v2/asset/{id}" } }, "wrong-address"],
  ])("tells %s", async (_, options, code) => {
    expect(await caught(client(options).getAsset("nobody"))).toMatchObject({ code });
  });

  test.each<[string, string]>([
    ["another asset", JSON.stringify({ id: "b" })],
    ["no asset", "[]"],
    ["a page", "<!doctype html><title>Sign in</title>"],
    ["2 MB", JSON.stringify({ id: "a", name: "x".repeat(2_000_000) })],
    ["JSON that is too deep", `{"id":"a","more":${"[".repeat(40)}${"]".repeat(40)}}`],
  ])("refuses %s as an answer", async (_, body) => {
    await answers({ body });
    expect(await caught(client().getAsset("a"))).toMatchObject({ code: "unexpected-answer" });
  });

  test("keeps a record as it came, and lists where it differs from the document", async () => {
    await answers(record({ phase: 7, progress: "half" }, { hash: null, ours: 1 }));
    const { asset, mismatches } = await client().getAsset("a");
    expect(asset).toMatchObject({ status: { phase: 7, progress: "half" }, hash: null, ours: 1 });
    expect(mismatches).toContainEqual({ path: "status.phase", expected: "string", found: "number" });
  });

  test("says that nothing has changed where no answer came", async () => {
    await service.set({ dropAnswer: [{ host: "api", method: "GET" }] });
    expect(await caught(client().getAsset("a"))).toMatchObject({ code: "unanswered", retryable: true });
  });
});

describe("watchAsset()", () => {
  test("follows an asset until it is ready", async () => {
    const { asset } = await upload(client(), video());
    const changes = await changesOf(client(), asset.id);
    const last = changes.at(-1);
    expect(last).toMatchObject({ phase: "ready", progress: 1, asset: { size: 5000 } });
    expect(last?.asset.hash?.[0]).toMatchObject({ algorithm: "sha256" });
  });

  test("ends with what the service says of a video that it can't process", async () => {
    await service.set({ processingFails: "No video in it" });
    const { asset } = await upload(client(), video());
    const last = (await changesOf(client(), asset.id)).at(-1);
    expect(last).toMatchObject({ phase: "failed", asset: { status: { errorMessage: "No video in it" } } });
  });

  test("gives each change once, leaves out older records, and passes unknown phases through", async () => {
    await answers(
      record({ phase: "waiting", updatedAt: 2 }),
      record({ phase: "waiting", updatedAt: 2 }),
      record({ phase: "uploading", updatedAt: 1 }),
      record({ phase: "pressing", progress: 1.5, updatedAt: 3 }),
      record({ phase: "pressing", progress: "half", updatedAt: null }),
      record({ phase: "ready", progress: 1, updatedAt: 4 }),
    );
    const changes = await changesOf(client(), "a");
    expect(changes.map(({ phase, progress }) => [phase, progress])).toEqual([
      ["waiting", undefined],
      ["pressing", undefined],
      ["pressing", undefined],
      ["ready", 1],
    ]);
  });

  test("goes on while the service is away, too busy, or doesn't know its new asset yet", async () => {
    await answers(
      { status: 404, body: '{"errors":["asset not found"]}' },
      { status: 503, body: "" },
      { status: 429, body: "", retryAfter: "0" },
      record({ phase: "ready" }),
    );
    expect(await changesOf(client(), "a")).toHaveLength(1);
  });

  test("rejects where the asset is gone, or the token is refused, in the middle", async () => {
    const gone = { status: 404, body: '{"errors":["asset not found"]}' };
    await answers(record({ phase: "processing" }), gone);
    expect(await caught(changesOf(client(), "a"))).toMatchObject({ code: "asset-not-found" });
    await answers(record({ phase: "processing" }), { status: 401, body: '{"errors":["no token"]}' });
    expect(await caught(changesOf(client(), "a"))).toMatchObject({ code: "unauthorized" });
  });

  test("ends at its limit, and with its signal", async () => {
    expect(await changesOf(client(), "a", { minDelay: 1000, timeout: 10 })).toEqual([]);
    const stop = new AbortController();
    stop.abort(new Error("enough"));
    await expect(changesOf(client(), "a", { signal: stop.signal })).rejects.toThrow("enough");
    expect(await service.requests()).toEqual([]);
  });

  test("refuses wrong options and a client without the path", async () => {
    await expect(changesOf(client(), "a", { timeout: -1 })).rejects.toThrow("timeout is -1");
    await expect(changesOf(client({ paths: {} }), "a")).rejects.toThrow("paths.asset is not set");
  });
});

describe("watchAsset() over hours", () => {
  afterEach(() => void vi.useRealTimers());
  const record = (id: string, phase: string) => ({ asset: { id, status: { phase } }, mismatches: [] });
  const watch = async (getAsset: Client["getAsset"], ids: string[], signal?: AbortSignal) => {
    const reader = { getAsset };
    const phaseOf = async (id: string) => {
      let last: string | undefined;
      for await (const { phase } of watchAsset(reader, id, { signal })) last = phase;
      return last;
    };
    return await Promise.all(ids.map(phaseOf));
  };

  test("goes on after the service was away for an hour, asking twice a minute", async () => {
    vi.useFakeTimers();
    let asked = 0;
    const back = Date.now() + 60 * 60_000;
    const watched = watch(
      async (id) => {
        asked++;
        if (Date.now() < back) throw new ConnectionError("unreachable", "Cannot read the asset");
        return record(id, "ready");
      },
      ["a"],
    );
    await vi.advanceTimersByTimeAsync(61 * 60_000);
    expect(await watched).toEqual(["ready"]);
    expect(asked).toBeLessThan(170);
  });

  test("asks for 1,000 assets at most 120 times a minute, each in its turn", async () => {
    vi.useFakeTimers();
    const asked: string[] = [];
    const stop = new AbortController();
    const ids = Array.from({ length: 1_000 }, (_, at) => `${at}`);
    const getAsset = async (id: string) => {
      asked.push(id);
      return record(id, "processing");
    };
    const watched = caught(watch(getAsset, ids, stop.signal));
    await vi.advanceTimersByTimeAsync(60_000);
    stop.abort();
    await watched;
    expect(asked.length).toBeGreaterThan(100);
    expect(asked.length).toBeLessThanOrEqual(120);
    expect(new Set(asked).size).toBe(asked.length);
  });
});

describe("the turns of all that watch by one client", () => {
  afterEach(() => void vi.useRealTimers());

  test("are two a second, in the order of their coming, without those that left", async () => {
    vi.useFakeTimers();
    const poller = createPoller(500);
    const stop = new AbortController();
    const taken: string[] = [];
    const take = (name: string, signal?: AbortSignal) =>
      poller.turn(signal).then(
        () => taken.push(`${name} ${performance.now()}`),
        () => taken.push(`${name} left`),
      );
    vi.setSystemTime(0);
    void take("a");
    void take("b", stop.signal);
    void take("c");
    await vi.advanceTimersByTimeAsync(0);
    stop.abort();
    await vi.advanceTimersByTimeAsync(499);
    expect(taken).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(taken.map((each) => each.split(" ")[0])).toEqual(["a", "b", "c"]);
  });

  test("stop for as long as the service asks", async () => {
    vi.useFakeTimers();
    const poller = createPoller(500);
    const taken: string[] = [];
    void poller.turn(undefined).then(() => taken.push("a"));
    poller.pause(60_000);
    await vi.advanceTimersByTimeAsync(59_999);
    expect(taken).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(taken).toEqual(["a"]);
  });
});

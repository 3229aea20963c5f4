/** The gateway among the examples; examples.all.test.ts serves it in a process of its own. */
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type Client, errorFromRecord, type Requester, upload } from "../../../core/mod.ts";
import type { AssetRequest } from "../../../core/service/request-fields.ts";
import { useService } from "../../service/use-service.ts";
import { caught } from "../../support/caught.ts";
import { content, contentHash, MiB } from "../../support/content.ts";
import { freePort } from "../../support/hosts/free-port.ts";
import { listen } from "../../support/hosts/listen.ts";
import { type RawAnswer, rawAnswer, startRawServer } from "../../support/hosts/raw-server.ts";
import { MARKER } from "../../support/marker.ts";
import { useFolder } from "../../support/use-folder.ts";

const service = useService();
const folder = useFolder("examples");
const account = () => ({ UPCUT_URL: service.baseUrl, UPCUT_TOKEN: service.token });

describe("examples/edge.ts", () => {
  const key = `${MARKER}-gateway-key`;
  const settings = () => ({ ...account(), GATEWAY_KEY: key, GATEWAY_ORIGIN: "https://page.example" });
  const printed: unknown[] = [];

  beforeEach(() => {
    for (const [name, value] of Object.entries(settings())) vi.stubEnv(name, value);
    for (const name of ["log", "error"] as const)
      vi.spyOn(console, name).mockImplementation((text) => void printed.push(text));
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
    expect(`${printed.splice(0)}`).not.toContain(MARKER);
  });

  const ask = async (init: RequestInit, bindings?: object): Promise<Response> => {
    const { default: gateway } = await import("../../../core/examples/edge.ts");
    return await gateway.fetch(new Request("https://gateway.example/", init), bindings);
  };

  const through = (bearer: string): Requester => ({
    scope: "gateway",
    async requestUpload(request: AssetRequest, { signal }) {
      const headers = { authorization: `Bearer ${bearer}`, "content-type": "application/json" };
      const response = await ask({ method: "POST", headers, body: JSON.stringify(request), signal });
      if (!response.ok) throw errorFromRecord(await response.json());
      return await response.json();
    },
  });

  test("lets upload() work without the account's token", async () => {
    const file = new File([content(2 * MiB)], "video.mp4", { lastModified: 1 });
    const { asset } = await upload(through(key), file, { name: "Through the gateway" });
    expect((await service.whole(asset.id)).sha256).toBe(contentHash(2 * MiB));
    expect((await service.assets())[0]?.received).toEqual({ name: "Through the gateway" });
  });

  test("refuses callers without authorization before it asks the service", async () => {
    for (const headers of [{}, { authorization: "Bearer guess" }]) {
      const response = await ask({ method: "POST", headers, body: "{}" });
      expect(response.status).toBe(401);
      expect(await response.text()).not.toContain(MARKER);
    }
    expect(await service.requests()).toEqual([]);
  });

  test("answers 400 to a body that is no request", async () => {
    for (const body of ["null", "{", ""]) {
      const headers = { authorization: `Bearer ${key}` };
      const response = await ask({ method: "POST", headers, body });
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({ message: "The body is not a JSON object" });
    }
    expect(await service.requests()).toEqual([]);
  });

  test("answers preflights for its one origin, and passes on the service's own sentences", async () => {
    const preflight = await ask({ method: "OPTIONS" });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-origin")).toBe("https://page.example");
    await service.set({
      answerStatus: [
        { host: "api", status: 429, retryAfter: "7", body: '{"errors":["too many tasks"]}', times: 1 },
      ],
    });
    const error = await caught(
      through(key).requestUpload({ name: "x" }, { signal: new AbortController().signal }),
    );
    expect(error).toMatchObject({
      code: "rate-limited",
      retryAfter: 7_000,
      message: expect.stringContaining("too many tasks"),
    });
  });

  test.each([
    ["no origin", { GATEWAY_ORIGIN: "" }, "GATEWAY_ORIGIN must be set"],
    ["any origin", { GATEWAY_ORIGIN: "*" }, "GATEWAY_ORIGIN is not an origin"],
    ["the origin null", { GATEWAY_ORIGIN: "null" }, "GATEWAY_ORIGIN is not an origin"],
    ["an address as its origin", { GATEWAY_ORIGIN: "https://page.example/" }, "is not an origin"],
    ["no key", { GATEWAY_KEY: "" }, "GATEWAY_KEY must be set"],
  ])("doesn't start with %s", async (what, change, sentence) => {
    for (const [name, value] of Object.entries(change)) vi.stubEnv(name, value);
    const again = `../../../core/examples/edge.ts?${what}`;
    await expect(import(/* @vite-ignore */ again)).rejects.toThrow(sentence);
  });

  test("refuses every request where only its bindings tell", async () => {
    for (const method of ["OPTIONS", "POST", "GET"])
      for (const GATEWAY_ORIGIN of ["", "*", "null", "https://page.example/path"])
        expect((await ask({ method }, { GATEWAY_ORIGIN })).status).toBe(500);
    expect((await ask({ method: "OPTIONS" }, {})).status).toBe(204);
    expect((await ask({ method: "GET" }, {})).status).toBe(405);
    const headers = { authorization: `Bearer ${key}`, origin: "https://evil.example" };
    expect((await ask({ method: "POST", headers }, {})).status).toBe(403);
    expect(await service.requests()).toEqual([]);
  });

  describe("a page of yours", () => {
    let gatewayAt: (address: string, key: string, person: string) => Client;
    beforeAll(async () => {
      const core = new URL("../../../core/", import.meta.url).href;
      const [, code = ""] =
        /```ts\n(.*?gatewayAt.*?)```/s.exec(await readFile("docs/web-page.md", "utf8")) ?? [];
      const path = join(folder.path, "web-page.ts");
      const entries: Record<string, string> = { "": "mod.ts", "/indexed-db": "journals/indexed-db.ts" };
      await writeFile(
        path,
        code.replace(/"@upcut\/core(\S*)"/g, (_, entry: string) => `"${core}${entries[entry]}"`),
      );
      ({ gatewayAt } = await import(/* @vite-ignore */ path));
    });

    const video = () => new File([content(MiB)], "video.mp4", { lastModified: 1 });
    const send = (gateway: Client) => upload(gateway, video(), { retry: { attempts: 0 }, name: "By a page" });
    /** In place of a gateway. */
    const answering = async (answer: RawAnswer) => (await startRawServer(answer)).origin;
    const saying = (status: number, body: string, headers = {}) =>
      answering((_, socket) => {
        const length = { "content-length": Buffer.byteLength(body), connection: "close" };
        socket.end(rawAnswer(status, { ...length, ...headers }, body));
      });

    test("uploads through the gateway", async () => {
      const server = createServer(async (incoming, outgoing) => {
        const { method = "", headers } = incoming;
        const body = await text(incoming);
        const answer = await ask({ method, headers: headers as Record<string, string>, body });
        outgoing.writeHead(answer.status, [...answer.headers].flat()).end(await answer.text());
      });
      const address = `${await listen(server)}/`;
      const { asset } = await send(gatewayAt(address, key, "a person"));
      expect((await service.whole(asset.id)).sha256).toBe(contentHash(MiB));
      const refused = await caught(send(gatewayAt(address, "guess", "a person")));
      expect(refused).toMatchObject({ code: "unauthorized", httpStatus: 401 });
      expect(refused.message).toContain("Not signed in");
      const errors = '{"errors":["too many tasks"]}';
      await service.set({
        answerStatus: [{ host: "api", status: 429, retryAfter: "7", body: errors, times: 1 }],
      });
      const busy = await caught(send(gatewayAt(address, key, "a person")));
      expect(busy).toMatchObject({ code: "rate-limited", httpStatus: 429, retryAfter: 7_000 });
      expect(busy.message).toContain("too many tasks");
    });

    test.each<[string, number, string, object]>([
      ["a page of a proxy", 502, "<html><title>Bad Gateway</title></html>", { code: "service-error" }],
      ["nothing", 502, "", { code: "service-error" }],
      ["a message", 401, '{"message":"Not signed in"}', { code: "unauthorized" }],
      ["a message", 403, '{"message":"Not from here"}', { code: "forbidden" }],
      ["a page in place of a location", 200, "<!doctype html><p>Sign in</p>", { code: "unexpected-answer" }],
      ["nothing in place of a location", 200, "", { code: "unexpected-answer" }],
      ["null in place of a location", 200, "null", { code: "unexpected-answer" }],
      ["null", 500, "null", { code: "service-error" }],
      ["a list of errors", 422, '{"errors":[["name is too long"]]}', { code: "rejected" }],
      [
        "an error of a later version",
        502,
        '{"name":"ServiceError","code":"later-code","message":"Cannot do it","retryable":false}',
        { code: "service-error", message: expect.stringContaining("Cannot do it") },
      ],
      [
        "an error whose facts are wrong",
        502,
        '{"name":"ServiceError","code":"rejected","message":"no","retryable":true,"retryAfter":"x","details":7,"resume":[],"cause":"y"}',
        { code: "rejected", httpStatus: 502, retryAfter: undefined, details: undefined, resume: undefined },
      ],
    ])("takes %s of status %d for what it is", async (_, status, body, error) => {
      const address = await saying(status, body);
      expect(await caught(send(gatewayAt(address, key, "a person")))).toMatchObject({
        httpStatus: status,
        ...error,
      });
    });

    test("shows no key that a gateway repeats in an error", async () => {
      const record = { name: "ServiceError", code: "rejected", message: `no ${key}`, retryable: false };
      const error = await caught(send(gatewayAt(await saying(422, JSON.stringify(record)), key, "a person")));
      expect(error.message).not.toContain(key);
    });

    test("says that an asset may exist where the gateway's answer is lost, and that none does where it is away", async () => {
      const broken = await answering((_, socket) => void socket.destroy());
      expect(await caught(send(gatewayAt(broken, key, "a person")))).toMatchObject({
        name: "ConnectionError",
        code: "asset-unknown",
      });
      const away = `http://127.0.0.1:${await freePort()}/`;
      const error = await caught(send(gatewayAt(away, key, "a person")));
      expect(error).toMatchObject({
        code: "unreachable",
        cause: { name: expect.stringMatching(/^(Type)?Error$/) },
      });
      expect(error.message).toContain("Nothing was sent");
    });
  });
});

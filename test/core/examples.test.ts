/** The gateway among the examples; examples.all.test.ts serves it in a process of its own. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { errorFromRecord, type Requester, upload } from "../../core/mod.ts";
import type { AssetRequest } from "../../core/service/request-fields.ts";
import { caught } from "../caught.ts";
import { content, contentHash, MiB } from "../content.ts";
import { MARKER } from "../marker.ts";
import { useService } from "../service/use-service.ts";

const service = useService();
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
    const { default: gateway } = await import("../../core/examples/edge.ts");
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
    const again = `../../core/examples/edge.ts?${what}`;
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
});

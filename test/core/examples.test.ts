/** The scripts and the gateway among the examples; examples.all.test.ts serves the gateway in a process of its own. */
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { errorFromRecord, type Requester, upload } from "../../core/mod.ts";
import type { AssetRequest } from "../../core/service/request-fields.ts";
import { caught } from "../caught.ts";
import { content, contentHash, MiB, sha256, writeContent } from "../content.ts";
import { MARKER } from "../marker.ts";
import { useService } from "../service/use-service.ts";
import { useFolder } from "../use-folder.ts";
import { startHere } from "./run-here.ts";

const service = useService();
const folder = useFolder("examples-journal");
let video: { path: string; sha256: string };

beforeAll(async () => {
  video = { path: join(folder.path, "video.mp4"), sha256: "" };
  video.sha256 = await writeContent(video.path, 12 * MiB, 5);
});

const account = () => ({ UPCUT_URL: service.baseUrl, UPCUT_TOKEN: service.token });
const start = (name: "upload" | "terminate", ...args: string[]) => {
  const settings = { ...account(), UPCUT_JOURNAL: join(folder.path, "journal") };
  return startHere(`../../core/examples/${name}.ts`, args, settings);
};

// Deno reads the words of its own process there; large.long.test.ts runs it as one.
describe.skipIf("Deno" in globalThis)("examples/upload.ts", () => {
  test("uploads a file and prints the asset", async () => {
    const { code, stdout } = await start("upload", video.path, "--name", "Launch", "--mp4").ended();
    expect(code).toBe(0);
    const [stored] = await service.assets();
    expect(stdout).toContain(`Asset ${stored?.asset.id}`);
    expect(stored?.received).toEqual({ name: "Launch", staticMp4: true });
    expect((await service.whole(stored?.asset.id ?? "")).sha256).toBe(video.sha256);
  });

  test("stops at Ctrl-C and continues when it is run again", async () => {
    await service.set({ throttle: 6 * MiB });
    const first = start("upload", video.path);
    await expect.poll(first.printed).toMatch(/\b[3-9]\d %/);
    first.signal("SIGINT");
    const stopped = await first.ended();
    expect(stopped.code).toBe(130);
    expect(stopped.stderr).toContain("Run the same command again to resume");
    await service.set({ throttle: 0 });
    expect((await start("upload", video.path).ended()).stdout).toContain("Resumed");
    expect(await service.assets()).toHaveLength(1);
  });

  test("uploads a video from an address", async () => {
    const address = `${service.baseUrl}/samples/launch-video.mp4`;
    const original = new Uint8Array(await (await fetch(address)).arrayBuffer());
    const { stdout } = await start("upload", address).ended();
    const id = /Asset ([\w-]+)/.exec(stdout)?.[1] ?? "";
    expect((await service.whole(id)).sha256).toBe(sha256(original));
  });

  test("says what is wrong with a file, and how to call it", async () => {
    const missing = await start("upload", "nothing.mp4").ended();
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining("there is no such file") });
    expect(await start("upload").ended()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Usage"),
    });
  });
});

describe("examples/terminate.ts", () => {
  test("ends a session", async () => {
    const id = "studio/a?take=1#50%";
    await service.startSession(id);
    const { code, stdout } = await start("terminate", id).ended();
    expect(stdout).toContain("Ended, if it was live");
    expect(code).toBe(0);
    const found = (await service.streams()).find((stream) => stream.id === id);
    expect(found).toMatchObject({ live: false, recording: false });
  });

  test("prints the service's own sentence for an unknown stream, and how to call it", async () => {
    const unknown = await start("terminate", "nobody").ended();
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining("404: stream not found") });
    const bare = await start("terminate").ended();
    expect(bare).toMatchObject({ code: 2, stderr: expect.stringContaining("Usage") });
  });
});

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

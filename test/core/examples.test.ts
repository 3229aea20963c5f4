import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AssetRequest, errorFromRecord, type Requester, upload } from "../../core/mod.ts";
import { caught } from "../caught.ts";
import { content, sha256, writeContent } from "../content.ts";
import { MARKER } from "../marker.ts";
import { scratchFolder } from "../scratch.ts";
import { useService } from "../service/use-service.ts";
import { follow, runScript, runtimeCommand, type Script } from "./script.ts";

const MiB = 1024 * 1024;
const service = useService();
let folder: { path: string; remove(): Promise<void> };
let video: { path: string; sha256: string };

beforeAll(async () => {
  folder = await scratchFolder("examples-journal");
  video = { path: join(folder.path, "video.mp4"), sha256: "" };
  video.sha256 = await writeContent(video.path, 12 * MiB, 5);
});
afterAll(async () => {
  await folder.remove();
});

const settings = () => ({
  UPCUT_URL: service.baseUrl,
  UPCUT_TOKEN: service.token,
  UPCUT_JOURNAL: join(folder.path, "journal"),
});

describe("examples/upload.ts", () => {
  test("uploads a file and prints the asset", async () => {
    const { code, output } = await runScript(
      "core/examples/upload.ts",
      [video.path, "--name", "Launch", "--mp4"],
      settings(),
    ).ended();
    expect(code).toBe(0);
    const [stored] = await service.assets();
    expect(output).toContain(`Asset ${stored?.asset.id}`);
    expect(stored?.received).toEqual({ name: "Launch", staticMp4: true });
    expect((await service.whole(stored?.asset.id ?? "")).sha256).toBe(video.sha256);
  });

  test("stops at Ctrl-C and continues when it is run again", async () => {
    await service.set({ throttle: 6 * MiB });
    const first = runScript("core/examples/upload.ts", [video.path], settings());
    await first.prints(/\b[3-9]\d %/);
    first.process.kill("SIGINT");
    const stopped = await first.ended();
    // Deno's child_process reports the code 130 as the signal it stands for.
    expect([130, null]).toContain(stopped.code);
    expect(stopped.output).toContain("Run the same command again to resume");
    await service.set({ throttle: 0 });
    const second = await runScript("core/examples/upload.ts", [video.path], settings()).ended();
    expect(second.output).toContain("Resumed");
    expect(await service.assets()).toHaveLength(1);
  });

  test("uploads a video from an address", async () => {
    const address = `${service.baseUrl}/samples/launch-video.mp4`;
    const original = new Uint8Array(await (await fetch(address)).arrayBuffer());
    const { output } = await runScript("core/examples/upload.ts", [address], settings()).ended();
    const id = /Asset ([\w-]+)/.exec(output)?.[1] ?? "";
    expect((await service.whole(id)).sha256).toBe(sha256(original));
  });

  test("says what is wrong with a file, and how to call it", async () => {
    const missing = await runScript("core/examples/upload.ts", ["nothing.mp4"], settings()).ended();
    expect(missing).toMatchObject({ code: 1, output: expect.stringContaining("there is no such file") });
    const bare = await runScript("core/examples/upload.ts", [], settings()).ended();
    expect(bare).toMatchObject({ code: 2, output: expect.stringContaining("Usage") });
  });
});

describe("examples/terminate.ts", () => {
  test("ends a session", async () => {
    const id = "studio/a?take=1#50%";
    await service.startSession(id);
    const { code, output } = await runScript("core/examples/terminate.ts", [id], settings()).ended();
    expect(output).toContain("Ended, if it was live");
    expect(code).toBe(0);
    expect((await service.streams()).find((stream) => stream.id === id)).toMatchObject({
      live: false,
      recording: false,
    });
  });

  test("prints the service's own sentence for an unknown stream", async () => {
    const { code, output } = await runScript("core/examples/terminate.ts", ["nobody"], settings()).ended();
    expect(output).toContain("404: stream not found");
    expect(code).toBe(1);
  });
});

describe("examples/edge.ts", () => {
  const key = `${MARKER}-gateway-key`;
  let gateway: Script;
  let address: string;

  beforeAll(async () => {
    const port = await freePort();
    address = `http://127.0.0.1:${port}/`;
    const [command, ...args] = serveCommand(port);
    gateway = follow(command, args, {
      ...settings(),
      PORT: `${port}`,
      GATEWAY_KEY: key,
      GATEWAY_ORIGIN: "https://page.example",
    });
    for (const deadline = Date.now() + 50_000; Date.now() < deadline; ) {
      const up = await fetch(address).then(
        () => true,
        () => false,
      );
      if (up) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`the gateway did not start:\n${gateway.output()}`);
  });
  afterAll(async () => {
    gateway.process.kill("SIGTERM");
    await gateway.ended();
  });

  const through = (bearer: string): Requester => ({
    scope: "gateway",
    async requestUpload(request: AssetRequest, { signal }) {
      const headers = { authorization: `Bearer ${bearer}`, "content-type": "application/json" };
      const response = await fetch(address, {
        method: "POST",
        headers,
        body: JSON.stringify(request),
        signal,
      });
      if (!response.ok) throw errorFromRecord(await response.json());
      return await response.json();
    },
  });

  test("lets upload() work without the account's token", async () => {
    const file = new File([content(2 * MiB)], "video.mp4", { lastModified: 1 });
    const { asset } = await upload(through(key), file, { name: "Through the gateway" });
    expect((await service.whole(asset.id)).sha256).toBe(sha256(content(2 * MiB)));
    expect((await service.assets())[0]?.received).toEqual({ name: "Through the gateway" });
    expect(gateway.output()).not.toContain(MARKER);
  });

  test("refuses callers without authorization before it asks the service", async () => {
    for (const headers of [{}, { authorization: "Bearer guess" }]) {
      const response = await fetch(address, { method: "POST", headers, body: "{}" });
      expect(response.status).toBe(401);
      expect(await response.text()).not.toContain(MARKER);
    }
    expect(await service.requests()).toEqual([]);
  });

  test("answers 400 to a body that is no request", async () => {
    for (const body of ["null", "{", ""]) {
      const headers = { authorization: `Bearer ${key}` };
      const response = await fetch(address, { method: "POST", headers, body });
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({ message: "The body is not a JSON object" });
    }
    expect(await service.requests()).toEqual([]);
  });

  test("answers preflights for its one origin, and passes on the service's own sentences", async () => {
    const preflight = await fetch(address, { method: "OPTIONS" });
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
});

describe("examples/edge.ts without its settings", () => {
  const complete = () => ({
    UPCUT_URL: service.baseUrl,
    UPCUT_TOKEN: service.token,
    GATEWAY_KEY: "a-key",
    GATEWAY_ORIGIN: "https://page.example",
  });

  test.each([
    ["no origin", { GATEWAY_ORIGIN: "" }, "GATEWAY_ORIGIN must be set"],
    ["any origin", { GATEWAY_ORIGIN: "*" }, "GATEWAY_ORIGIN is not an origin"],
    ["the origin null", { GATEWAY_ORIGIN: "null" }, "GATEWAY_ORIGIN is not an origin"],
    [
      "an address in place of an origin",
      { GATEWAY_ORIGIN: "https://page.example/" },
      "GATEWAY_ORIGIN is not an origin",
    ],
    ["no key", { GATEWAY_KEY: "" }, "GATEWAY_KEY must be set"],
  ])("doesn't start with %s", async (_, change, sentence) => {
    const port = await freePort();
    const [command, ...args] = serveCommand(port);
    const gateway = follow(command, args, { ...complete(), PORT: `${port}`, ...change });
    await gateway.prints(sentence);
    expect((await gateway.ended()).code).not.toBe(0);
  });

  test("refuses every request where only its bindings tell", async () => {
    Object.assign(process.env, complete());
    const { default: gateway } = await import("../../core/examples/edge.ts");
    const ask = async (method: string, bindings: object, headers = {}) =>
      (await gateway.fetch(new Request("https://gateway.example/", { method, headers }), bindings)).status;
    for (const method of ["OPTIONS", "POST", "GET"])
      for (const origin of ["", "*", "null", "https://page.example/path"])
        expect(await ask(method, { GATEWAY_ORIGIN: origin })).toBe(500);
    expect(await ask("OPTIONS", {})).toBe(204);
    expect(await ask("POST", {}, { authorization: "Bearer a-key", origin: "https://evil.example" })).toBe(
      403,
    );
    expect(await service.requests()).toEqual([]);
  });
});

/** Bun and Deno serve the file as it stands; Node through the pinned server with the pinned loader. */
function serveCommand(port: number): [string, ...string[]] {
  const [command] = runtimeCommand();
  const file = "core/examples/edge.ts";
  if ("Deno" in globalThis)
    return [
      command,
      "serve",
      "-A",
      "--node-modules-dir=manual",
      "--quiet",
      "--host=127.0.0.1",
      `--port=${port}`,
      file,
    ];
  if ("Bun" in globalThis) return [command, file];
  return [
    command,
    "node_modules/srvx/bin/srvx.mjs",
    "serve",
    "--prod",
    "--import=tsx",
    "--host=127.0.0.1",
    `--port=${port}`,
    "--entry",
    file,
  ];
}

async function freePort(): Promise<number> {
  return await new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

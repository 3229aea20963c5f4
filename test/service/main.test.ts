/** The service as its own process. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";
import { head, type Located, MiB, noise, patch, patchAndBreak, send, sha256, tus } from "./harness.ts";

const main = fileURLToPath(new URL("./main.ts", import.meta.url));
const running: ChildProcess[] = [];
const directories: string[] = [];

afterEach(async () => {
  for (const child of running.splice(0)) child.kill("SIGKILL");
  for (const directory of directories.splice(0)) await rm(directory, { recursive: true });
});

interface Ready {
  baseUrl: string;
  uploadUrl: string;
  streams: string[];
}

async function run(directory: string, ...more: string[]) {
  const ports = ["--api-port", "0", "--upload-port", "0"];
  const child = spawn("node", ["--import", "tsx", main, "--json", "--dir", directory, ...ports, ...more]);
  running.push(child);
  let output = "";
  const ready = await new Promise<Ready>((resolve, reject) => {
    child.on("exit", (code) => reject(new Error(`Cannot start: exit ${code}`)));
    child.stderr.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes("\n")) resolve(JSON.parse(output) as Ready);
    });
  });
  return {
    ...ready,
    /** What it printed, once it has ended. */
    async stop(signal: NodeJS.Signals): Promise<{ code: number | null; output: string }> {
      child.kill(signal);
      const [code] = (await once(child, "exit")) as [number | null];
      return { code, output };
    },
  };
}

async function directory(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), "video-service-"));
  directories.push(made);
  return made;
}

async function locate(baseUrl: string, token = "demo-token"): Promise<Located> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const body = '{"name":"Kept"}';
  const reply = await send(`${baseUrl}/api/asset/request-upload`, { method: "POST", headers, body });
  return JSON.parse(reply.text) as Located;
}

test("assets, half uploads, tokens and streams survive a restart, even by force", async () => {
  const dir = await directory();
  const data = noise(2 * MiB);
  const first = await run(dir, "--switches", '{"processing":"hash"}');
  expect(first.streams).toContain("launch-stream");
  const { tusEndpoint, asset } = await locate(first.baseUrl);
  const unused = await locate(first.baseUrl);
  const headers = { ...tus, "upload-length": String(data.length) };
  const location = (await send(tusEndpoint, { method: "POST", headers })).headers.location ?? "";
  await patchAndBreak(location, 0, data.subarray(0, MiB), data.length);
  expect(await head(location)).toBe(MiB);
  await fetch(`${first.baseUrl}/stream/launch-stream/terminate`, {
    method: "DELETE",
    headers: { authorization: "Bearer demo-token" },
  });
  await first.stop("SIGKILL");

  const second = await run(dir, "--switches", '{"processing":"hash"}');
  const moved = (url: string) => url.replace(first.uploadUrl, second.uploadUrl);
  expect(await head(moved(location))).toBe(MiB);
  expect((await patch(moved(location), MiB, data.subarray(MiB))).status).toBe(204);
  expect((await send(moved(unused.url), { method: "PUT", body: data })).status).toBe(200);
  const { streams } = (await (await fetch(`${second.baseUrl}/_demo/streams`)).json()) as {
    streams: { id: string; live: boolean }[];
  };
  expect(streams.find(({ id }) => id === "launch-stream")).toMatchObject({ live: false });
  // Ended in the middle of processing perhaps: the next start takes it up again.
  expect(await second.stop("SIGTERM")).toMatchObject({ code: 0 });

  const third = await run(dir, "--switches", '{"processing":"hash"}');
  await expect
    .poll(async () => (await (await fetch(`${third.baseUrl}/_demo/assets/${asset.id}`)).json()).sha256)
    .toBe(sha256(data));
  expect(await third.stop("SIGINT")).toMatchObject({ code: 0 });
});

test("a request that the service's end interrupts has counted what arrived", async () => {
  const dir = await directory();
  const data = noise(2 * MiB);
  const first = await run(dir);
  const { tusEndpoint } = await locate(first.baseUrl);
  const headers = { ...tus, "upload-length": String(data.length) };
  const location = (await send(tusEndpoint, { method: "POST", headers })).headers.location ?? "";
  const stall = { stallAfter: [{ host: "upload", method: "PATCH", bytes: 1_500_000 }] };
  await fetch(`${first.baseUrl}/_demo/switches`, { method: "PUT", body: JSON.stringify(stall) });
  const broken = patch(location, 0, data).catch(() => "reset");
  await expect
    .poll(async () => (await (await fetch(`${first.baseUrl}/_demo/uploads`)).json()).uploads[0].arrived)
    .toBe(1_500_000);
  expect(await first.stop("SIGTERM")).toMatchObject({ code: 0 });
  expect(await broken).toBe("reset");

  const second = await run(dir);
  expect(await head(location.replace(first.uploadUrl, second.uploadUrl))).toBe(1_500_000);
});

test("it takes more accounts, marks every secret, and prints one line and no secret", async () => {
  const more = ["--accounts", "studio:marker-token-1:Key one", "--secret-marker", "zq7word"];
  const service = await run(await directory(), ...more);
  const { asset, url, tusEndpoint } = await locate(service.baseUrl, "marker-token-1");
  expect(asset.createdByTokenName).toBe("Key one");
  const headers = { ...tus, "upload-length": "5" };
  const location = (await send(tusEndpoint, { method: "POST", headers })).headers.location;
  for (const secret of [url, tusEndpoint, location]) expect(secret).toContain("zq7word");
  const { output } = await service.stop("SIGTERM");
  expect(output.trim().split("\n")).toHaveLength(1);
  expect(output).not.toMatch(/eyJ|directUpload|zq7word/);
});

test("it says what is wrong with its arguments", async () => {
  await expect(run(await directory(), "--switches", '{"partz":true}')).rejects.toThrow("exit 1");
});

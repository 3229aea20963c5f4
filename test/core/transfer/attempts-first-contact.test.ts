/** What is said of a host that has never answered, and how soon; a host that has answered before is waited for. */
import { connect, createServer as createTcpServer, type Socket } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { openHls } from "../../../core/hls/mod.ts";
import { Hosts } from "../../../core/hosts/host.ts";
import type { Fetch } from "../../../core/http/fetch.ts";
import { createClient, type Requester, upload } from "../../../core/mod.ts";
import { openCall, runCall } from "../../../core/upload.ts";
import { useService } from "../../service/use-service.ts";
import { caught } from "../../support/caught.ts";
import { contentHash, MiB, videoFile } from "../../support/content.ts";
import { freePort } from "../../support/hosts/free-port.ts";
import { listen } from "../../support/hosts/listen.ts";

const service = useService();
const video = (size = MiB) => videoFile(size);
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});
/** As patient as a caller can ask for: only what has never answered ends soon. */
const PATIENT = { attempts: 100_000, minDelay: 1, maxDelay: 20 };

/** A try of five seconds is the last one, and a busy machine may need as long for any. */
const stopClock = () => vi.spyOn(performance, "now").mockReturnValue(0);

const closedPort = async () => `http://127.0.0.1:${await freePort()}`;

async function waitsOf(requester: Requester, options: Parameters<typeof upload>[2] = {}) {
  const waits: unknown[] = [];
  const error = await caught(
    upload(requester, video(), {
      retry: PATIENT,
      ...options,
      onProgress: ({ waiting }) => waiting && waits.push(waiting.reason),
    }),
  );
  return { error, waits };
}

/** A client whose service names another upload host. */
function namingHost(host: string): Requester {
  const { scope, requestUpload } = service.client();
  return {
    scope,
    async requestUpload(request, options) {
      const location = await requestUpload(request, options);
      const { url: _, ...rest } = location;
      const { pathname, search } = new URL(String(rest.tusEndpoint));
      return { ...rest, tusEndpoint: `${host}${pathname}${search}` };
    },
  };
}

test.each([
  ["a port that nobody listens at", closedPort, /refuses the connection.* Check the port/],
  ["a name that nobody has", async () => "http://video.invalid", /name is unknown.* Check how the name/],
])(
  "upload() tells after three tries of %s, be it the account's or the upload host's",
  async (_, make, why) => {
    const baseUrl = await make();
    stopClock();
    const account = await waitsOf(createClient({ baseUrl, token: service.token }));
    expect(account.waits).toEqual(["connection", "connection"]);
    expect(account.error).toMatchObject({ code: "unreachable", retryable: true, resume: undefined });
    expect(account.error.message).toMatch(why);

    const host = await waitsOf(namingHost(baseUrl));
    expect(host.waits).toEqual(["connection", "connection"]);
    expect(host.error).toMatchObject({ code: "interrupted", retryable: true, resume: { possible: true } });
    expect(host.error.message).toContain(`The service named ${baseUrl}`);
  },
);

/** Passes connections on to the service from a port of its own, which can be closed and opened again. */
async function closedRelay(origin: string) {
  const target = Number(new URL(origin).port);
  const sockets = new Set<Socket>();
  const relay = createTcpServer((socket) => {
    const inner = connect(target, "127.0.0.1");
    sockets.add(socket);
    for (const each of [socket, inner]) each.on("error", () => {});
    socket.pipe(inner).pipe(socket);
  });
  const url = await closedPort();
  return {
    url,
    open: () =>
      new Promise<void>((resolve) => relay.listen(Number(new URL(url).port), "127.0.0.1", () => resolve())),
    close: () =>
      new Promise<void>((resolve) => {
        relay.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

test("upload() waits for an account that has answered before, however often it refuses the connection", async () => {
  const relay = await closedRelay(service.baseUrl);
  await relay.open();
  const client = createClient({ baseUrl: relay.url, token: service.token });
  await upload(client, video(), { resume: false });
  await relay.close();
  // The fetch uses up the kept connection: over that one nobody would know whether a call arrived.
  await expect(fetch(relay.url)).rejects.toThrow();
  let waits = 0;
  const { asset } = await upload(client, video(2 * MiB), {
    retry: PATIENT,
    onProgress: ({ waiting }) => waiting !== undefined && ++waits === 8 && void relay.open(),
  });
  await relay.close();
  expect((await service.whole(asset.id)).sha256).toBe(contentHash(2 * MiB));
});

test("an upload with hosts of its own doesn't know that another upload has reached one", async () => {
  const relay = await closedRelay(service.uploadUrl);
  await relay.open();
  await upload(namingHost(relay.url), video());
  await relay.close();
  stopClock();
  const options = { retry: PATIENT, method: "resumable" } as const;
  const call = openCall(namingHost(relay.url), video(2 * MiB), options, { hosts: new Hosts() });
  expect((await caught(runCall(call))).message).toContain("stopped after 3 attempts");
});

test("upload() waits for an upload host that has never answered where an earlier call began the upload", async () => {
  const relay = await closedRelay(service.uploadUrl);
  const requester = namingHost(relay.url);
  expect((await waitsOf(requester)).error).toMatchObject({ resume: { possible: true } });
  let waits = 0;
  const { asset, resumed } = await upload(requester, video(), {
    retry: PATIENT,
    onProgress: ({ waiting }) => waiting !== undefined && ++waits === 8 && void relay.open(),
  });
  await relay.close();
  expect(resumed).toBe(true);
  expect((await service.whole(asset.id)).sha256).toBe(contentHash(MiB));
});

test("upload() tries no second time where an upload host takes long and doesn't answer", async () => {
  const now = performance.now.bind(performance);
  let passed = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now() + passed);
  let connections = 0;
  const silent = createTcpServer(() => connections++);
  const { error, waits } = await waitsOf(namingHost(await listen(silent)), {
    method: "resumable",
    timeout: { answer: 100 },
    onRequest: ({ kind }) => {
      if (kind === "create") passed += 60_000;
    },
  });
  expect(connections).toBe(1);
  expect(waits).toEqual([]);
  expect(error).toMatchObject({ code: "interrupted", resume: { possible: true } });
  expect(error.message).toContain("no answer within 0.1 s; stopped after 1 attempt");
});

test("upload() counts no try while the machine is offline", async () => {
  const window = new EventTarget();
  vi.stubGlobal("addEventListener", window.addEventListener.bind(window));
  vi.stubGlobal("removeEventListener", window.removeEventListener.bind(window));
  vi.stubGlobal("navigator", { onLine: false });
  stopClock();
  let looks = 0;
  const waits: unknown[] = [];
  const client = createClient({ baseUrl: await closedPort(), token: service.token });
  const call = upload(client, video(), {
    retry: PATIENT,
    onProgress({ waiting }) {
      if (waiting === undefined) return;
      waits.push(waiting.reason);
      if (waiting.reason !== "offline") return;
      if (++looks === 6) vi.stubGlobal("navigator", { onLine: true });
      setTimeout(() => window.dispatchEvent(new Event("online")), 1);
    },
  });
  expect(await caught(call)).toMatchObject({ code: "unreachable" });
  expect(waits).toEqual([...Array(6).fill("offline"), "connection", "connection"]);
});

test("a playlist's host that has never answered is asked three times", async () => {
  let tries = 0;
  const counting: Fetch = (input, init) => {
    tries++;
    return fetch(input, init);
  };
  const address = new URL("/video.m3u8", await closedPort());
  const error = await caught(openHls(address, { fetch: counting }));
  expect(error.message).toMatch(/refuses the connection.* Check the port/);
  expect(tries).toBe(3);
});

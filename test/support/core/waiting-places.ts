/** The places where core waits, each with a short limit: run under a clock that is set, or in a process that stands still. */
import { AsyncLocalStorage } from "node:async_hooks";
import { createServer as createHttpServer, type ServerResponse } from "node:http";
import { createServer, type Server } from "node:net";
import { answeredBefore } from "../../../core/cli/stop.ts";
import { fetchBytes, Gate } from "../../../core/hls/fetch-bytes.ts";
import { Hosts as KnownHosts } from "../../../core/hosts/host.ts";
import { runtimeFetch } from "../../../core/http/fetch.ts";
import { readRetryAfter } from "../../../core/http/status.ts";
import { watchLease } from "../../../core/journal/lease-watch.ts";
import { update } from "../../../core/journal/store.ts";
import { tryUntilDone } from "../../../core/journals/commands.ts";
import {
  type Client,
  createClient,
  memoryJournal,
  type Progress,
  type Requester,
  type UploadOptions,
  watchAsset,
} from "../../../core/mod.ts";
import { download } from "../../../core/source/download.ts";
import { retryUntilDone } from "../../../core/transfer/attempts.ts";
import { Interruption } from "../../../core/transfer/interruption.ts";
import { DEFAULT_RETRY, type RetryLimits } from "../../../core/transfer/request.ts";
import { Settling } from "../../../core/transfer/settling.ts";
import { bandwidthLimit } from "../../../core/transfer/transport.ts";
import { verifyStored } from "../../../core/upload/verify.ts";
import { openCall, runCall } from "../../../core/upload.ts";
import { createPoller } from "../../../core/watch-asset.ts";
import { MiB } from "../content.ts";
import { closeServer, openServer } from "../hosts/open-server.ts";

export interface Place {
  name: string;
  /** Milliseconds after which it ends, at least and at most. */
  least: number;
  most: number;
  /** May resolve with the milliseconds that a slow host adds to the most. */
  wait(hosts: Hosts): Promise<unknown>;
}

/** How a wait went: when it ended, in milliseconds since it began and since 1970, and how many timers it set. */
export interface Outcome {
  name: string;
  most: number;
  least: number;
  lasted: number;
  endedAt: number;
  timers: number;
}

/** Addresses that each behave in one way. */
interface Hosts {
  /** Takes connections, and says nothing. */
  silent: string;
  /** Takes no connections. */
  closed: string;
  /** Creates uploads, and reads no bodies. */
  stuck: string;
  /** Breaks the first request of each upload after 9 MiB, and takes the others. */
  breaking: string;
}

const LIMIT = 300;
/** Milliseconds after which a wait counts as one that doesn't end, so that its name is told. */
const LATEST = 60_000;
const { signal } = new AbortController();
const video = (size = 1000) =>
  new File([new Uint8Array(size)], "video.mp4", { type: "video/mp4", lastModified: 1 });
const hanging = () => new Promise<never>(() => {});
const settled = (work: Promise<unknown>) => work.catch(() => {});

function send(host: string, options: UploadOptions, size?: number): Promise<unknown> {
  const location = { asset: { id: "asset-1" }, tusEndpoint: `${host}/create`, mismatches: [] };
  const requester: Requester = { scope: "test", requestUpload: async () => location };
  const usual = { method: "resumable", retry: { attempts: 0 }, ...options } as const;
  // The port may have been another test's: a host that has answered is waited for.
  return runCall(openCall(requester, video(size), usual, { hosts: new KnownHosts() }));
}

/** A client whose asset is never ready. */
const processing = {
  readsAssets: true,
  getAsset: async () => ({ asset: { id: "a", status: { phase: "processing" } }, mismatches: [] }),
} as unknown as Required<Pick<Requester, "getAsset">> & Requester;

function attempts(retry: Partial<RetryLimits>, attempt: () => Promise<void>): Promise<void> {
  return retryUntilDone(attempt, {
    purpose: "upload",
    retry: { ...DEFAULT_RETRY, minDelay: 1, ...retry },
    signal,
    meter: { acknowledged: 0, sent: 0, enter() {} },
  });
}

/** Fails once so, and is done then. */
function failingOnce(failure: () => Interruption): () => Promise<void> {
  let failed = false;
  return async () => {
    if (failed) return;
    failed = true;
    throw failure();
  };
}

const away = () => new Interruption("connection", "nobody there");
const place = (name: string, least: number, most: number, wait: Place["wait"]): Place => ({
  ...{ name, least, most, wait },
});

export const PLACES: readonly Place[] = [
  place("wait before an attempt", LIMIT, LIMIT, () =>
    attempts(
      {},
      failingOnce(() => new Interruption("rate-limited", "busy", { retryAfter: LIMIT })),
    ),
  ),
  place("outage", 300, 350, () =>
    settled(
      attempts({ attempts: 2, minDelay: 100, outageDelay: 20 }, async () => {
        throw away();
      }),
    ),
  ),
  place("first contact", 200, 400, async ({ closed }) => {
    let tries = 0;
    const options: UploadOptions = {
      retry: { attempts: 18, maxDelay: 200 },
      onResponse({ duration }) {
        tries += duration;
      },
    };
    await settled(send(closed, options));
    return tries;
  }),
  place("time for an answer", LIMIT, LIMIT, ({ silent }) =>
    settled(send(silent, { timeout: { answer: LIMIT } })),
  ),
  place("stall", LIMIT, LIMIT, async ({ stuck }) => {
    const began = performance.now();
    let lastSent = began;
    const onProgress = ({ state }: Progress) => {
      if (state === "sending") lastSent = performance.now();
    };
    await settled(send(stuck, { timeout: { stall: LIMIT }, onProgress }, 44 * MiB));
    // Until then, sockets took bytes: fewer than all parts but the last, which go at once.
    return lastSent - began;
  }),
  place("offset that stands still", LIMIT, LIMIT, async ({ breaking }) => {
    let [slowest, all] = [0, 0];
    await send(
      breaking,
      {
        ...{ retry: { attempts: 3, minDelay: 1 }, timeout: { settle: LIMIT } },
        onResponse({ duration }) {
          slowest = Math.max(slowest, duration);
          all += duration;
        },
      },
      17 * MiB,
    );
    // The offset has to stand still for three times as long as the slowest answer took.
    return 3 * slowest + all;
  }),
  place("upload that isn't found", LIMIT, LIMIT, async () => {
    const settling = new Settling(LIMIT / 10, true);
    settling.missed();
    while (!settling.missing) await new Promise((resolve) => setTimeout(resolve, 20));
  }),
  place("bandwidth", LIMIT, LIMIT, async () => {
    const limit = bandwidthLimit(1_000);
    await limit.take(LIMIT, signal);
    await limit.take(1, signal);
  }),
  place("command of a store that fails", 0, LIMIT, () =>
    settled(tryUntilDone(() => Promise.reject(new Error("away")), "the store", LIMIT)),
  ),
  place("command of a store that hangs", LIMIT, LIMIT, () =>
    settled(tryUntilDone(hanging, "the store", LIMIT)),
  ),
  place("pieces while their host wants none", LIMIT, LIMIT, async () => {
    const gate = new Gate();
    gate.close(LIMIT);
    await gate.run(async () => {}, signal);
  }),
  place("piece without an answer", LIMIT, LIMIT, ({ silent }) =>
    settled(
      fetchBytes(
        { url: new URL(silent), most: 1 },
        {
          ...{ fetch: runtimeFetch, gate: new Gate(), signal, origin: silent, stall: LIMIT, attempts: 1 },
          credentials: undefined,
          headers: undefined,
        },
      ),
    ),
  ),
  place("download that stalls", LIMIT, LIMIT, () =>
    settled(download({ stall: LIMIT }, async () => new ReadableStream({ pull: hanging })).next()),
  ),
  place("call to the account", LIMIT, LIMIT, ({ silent }) =>
    settled(createClient({ baseUrl: silent, token: "t", timeout: LIMIT }).requestUpload({ name: "a" })),
  ),
  place("function that gives the token", LIMIT, LIMIT, ({ silent }) =>
    settled(createClient({ baseUrl: silent, token: hanging, timeout: LIMIT }).requestUpload({ name: "a" })),
  ),
  place("turns of those that watch", LIMIT, LIMIT, async () => {
    const poller = createPoller(LIMIT);
    await poller.turn(signal);
    await poller.turn(signal);
  }),
  place("pause of those that watch", LIMIT, LIMIT, async () => {
    const poller = createPoller(1);
    poller.pause(LIMIT);
    await poller.turn(signal);
  }),
];

/** Places whose limits are longer, and that nobody can shorten. */
export const LONG_PLACES: readonly Place[] = [
  place("Retry-After as a date", 0, 1_000, () => {
    const date = new Date(Date.now() + 1_000).toUTCString();
    return attempts(
      {},
      failingOnce(() => new Interruption("rate-limited", "busy", { retryAfter: readRetryAfter(date) ?? 0 })),
    );
  }),
  place("watchAsset()", 0, 2 * LIMIT + 500, async () => {
    const options = { timeout: 2 * LIMIT, minDelay: 100, maxDelay: 100 };
    for await (const _ of watchAsset({ ...processing }, "a", options));
  }),
  place("verify", 700, 2_000, () =>
    verifyStored({
      ...{ account: { ...processing }, assetId: "a", size: 1, signal, limit: 1_500, secrets: [] },
      source: undefined as never,
      digest: { onRead() {}, of: async () => undefined },
    }),
  ),
  place("journal whose entry another writes", 5_000, 5_000, () => {
    const journal = { ...memoryJournal(), claim: async () => undefined };
    return settled(update({ journal, key: "a", replaces: false, confirm: async () => {} }, (entry) => entry));
  }),
  place("command line that was told to stop", 5_000, 5_000, async () => {
    const stopper = new AbortController();
    const client = { requestUpload: hanging } as unknown as Client;
    const { account, signal: end } = answeredBefore(stopper.signal, client);
    void account.requestUpload({}, { signal });
    const ended = new Promise((resolve) => end.addEventListener("abort", resolve));
    stopper.abort();
    await ended;
  }),
  place("journal that doesn't tell of a lease", 10_000, 11_000, async () => {
    const lease = Object.assign(async () => {}, { isHeld: hanging });
    const watch = watchLease(lease, () => {});
    await settled(watch.confirm());
    watch.stop();
  }),
];

/** Begins all waits at once; the function that is returned ends when they have. */
export async function beginWaits(places: readonly Place[]): Promise<() => Promise<Outcome[]>> {
  const { hosts, close } = await openHosts();
  const counts = new AsyncLocalStorage<{ timers: number }>();
  const start = globalThis.setTimeout;
  globalThis.setTimeout = ((...given: Parameters<typeof start>) => {
    const count = counts.getStore();
    if (count !== undefined) count.timers++;
    return start(...given);
  }) as typeof start;
  const clock = performance.now.bind(performance);
  const waits = places.map(async ({ wait, ...place }): Promise<Outcome> => {
    const count = { timers: 0 };
    const began = clock();
    let late: ReturnType<typeof start> | undefined;
    const given = new Promise((resolve) => {
      late = start(resolve, LATEST);
    });
    const added = await counts.run(count, async () => await Promise.race([wait(hosts), given]));
    clearTimeout(late);
    const most = place.most + (typeof added === "number" ? added : 0);
    return { ...place, ...count, most, lasted: clock() - began, endedAt: performance.timeOrigin + clock() };
  });
  return async () => {
    try {
      return await Promise.all(waits);
    } finally {
      globalThis.setTimeout = start;
      await close();
    }
  };
}

async function openHosts(): Promise<{ hosts: Hosts; close(): Promise<void> }> {
  const servers: Server[] = [];
  const open = async (server: Server) => {
    servers.push(server);
    return `http://127.0.0.1:${await openServer(server)}`;
  };
  const upload = { "tus-resumable": "1.0.0", location: "/upload", "upload-offset": "0" };
  const told = { ...upload, "upload-length": `${17 * MiB}` };
  const answer = (response: ServerResponse, status: number, headers = told) =>
    void response.writeHead(status, headers).end();
  const sockets = new Set<{ destroy(): void }>();
  const unheard = createServer((socket) => void sockets.add(socket.on("error", () => {})));
  const closed = createServer();
  let broken = false;
  const hosts: Hosts = {
    silent: await open(unheard),
    closed: await open(closed),
    stuck: await open(
      createHttpServer((request, response) => {
        if (request.method === "POST") answer(response, 201);
      }),
    ),
    breaking: await open(
      createHttpServer(async (request, response) => {
        request.on("error", () => {});
        const { method, socket } = request;
        let came = 0;
        if (method !== "PATCH") return answer(response, method === "POST" ? 201 : 200);
        for await (const piece of request as AsyncIterable<Uint8Array>) {
          came += piece.length;
          if (broken || came < 9 * MiB) continue;
          broken = true;
          return void socket.resetAndDestroy();
        }
        const end = Number(request.headers["upload-offset"]) + came;
        answer(response, 204, { ...told, "upload-offset": `${end}` });
      }),
    ),
  };
  closed.close();
  return {
    hosts,
    async close() {
      for (const socket of sockets) socket.destroy();
      unheard.close();
      for (const server of servers)
        if ("closeAllConnections" in server) await closeServer(server as ReturnType<typeof createHttpServer>);
    },
  };
}

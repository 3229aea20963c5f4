/** The journal in Redis: the contract of every journal, whose a key is, and what happens when Redis is away. */
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type JournalEntry, journalKey } from "../../core/journal/mod.ts";
import { type RedisClient, type RedisJournalOptions, redisJournal } from "../../core/journals/redis.ts";
import { createClient, upload } from "../../core/mod.ts";
import { caught } from "../caught.ts";
import { content, sha256 } from "../content.ts";
import { MARKER } from "../marker.ts";
import { type Link, startLink } from "../redis/link.ts";
import { type RedisServer, startRedis } from "../redis/server.ts";
import { type OpenClient, redisClients } from "../runtimes/redis-clients.ts";
import { useService } from "../service/use-service.ts";
import { journalContract, writesNothingWithoutLease } from "./journal-contract.ts";

const MiB = 1024 * 1024;
const KEY = "0f".repeat(32);
const LEASE = 5_000;
const service = useService();
const client = () => createClient({ baseUrl: service.baseUrl, token: service.token });
const size = 24 * MiB + 5;
const video = () => new File([content(size)], "video.mp4", { type: "video/mp4", lastModified: 1 });
const entryOf = (id: string): JournalEntry => ({
  version: 1,
  uploads: { one: { method: "resumable", asset: { id }, mismatches: [] } },
});
let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis?.stop());

describe.each(redisClients())("redisJournal() with %s", (_, connect) => {
  let link: Link;
  let opened: OpenClient[];
  /** Goes around the link. */
  let direct: RedisClient;
  const open = async (port: number) => {
    const one = await connect(port);
    opened.push(one);
    return one.client;
  };
  beforeAll(async () => {
    opened = [];
    link = await startLink(redis.port);
    direct = await open(redis.port);
  });
  afterEach(() => {
    link.refuse(false);
    link.hold(false);
  });
  afterAll(async () => {
    for (const { close } of opened) close();
    await link?.close();
  });
  const options = (): RedisJournalOptions => ({ prefix: `${crypto.randomUUID()}:`, leaseTimeout: LEASE });

  test.each(Object.entries(journalContract))("%s", async (_, run) => {
    const [one, other] = [options(), options()];
    const clients = [await open(link.port), direct];
    let turn = 0;
    await run({
      open: () => redisJournal(clients[turn++ % 2] ?? direct, one),
      openOther: () => redisJournal(direct, other),
    });
  });

  test("lists the entries of its own prefix alone, whatever signs that has", async () => {
    const prefix = `a*[b]?\\${crypto.randomUUID()}:`;
    await redisJournal(direct, { prefix: prefix.replace("*", "star") }).set(KEY, entryOf("asset-1"));
    const journal = redisJournal(direct, { prefix });
    expect(await journal.list()).toEqual([]);
    await journal.set(KEY, entryOf("asset-2"));
    expect(await journal.list()).toMatchObject([{ journalKey: KEY, assetId: "asset-2" }]);
  });

  test("lists many entries", async () => {
    const journal = redisJournal(direct, options());
    const keys = Array.from({ length: 2_500 }, (_, at) => `${at}`.padStart(64, "0"));
    await Promise.all(keys.map((key) => journal.set(key, entryOf(key))));
    expect((await journal.list()).map(({ journalKey }) => journalKey).sort()).toEqual(keys);
  });

  test("forgets what is too old", async () => {
    const journal = redisJournal(direct, { ...options(), maxAge: 60 });
    await journal.set(KEY, entryOf("asset-1"));
    expect(await journal.get(KEY)).toEqual(entryOf("asset-1"));
    await delay(120);
    expect(await journal.get(KEY)).toBeUndefined();
  });

  test("gives a key to another once its holder has shown no sign of life", async () => {
    const own = options();
    const holder = await redisJournal(await open(link.port), own).claim(KEY);
    const rival = redisJournal(direct, own);
    await delay(LEASE + 500);
    expect(await rival.claim(KEY)).toBeUndefined();
    expect(await holder?.isHeld?.()).toBe(true);
    link.hold(true);
    const cut = Date.now();
    while ((await holder?.isHeld?.()) === true) await delay(100);
    // Two seconds before anybody else can have it.
    expect(await rival.claim(KEY)).toBeUndefined();
    expect(Date.now() - cut).toBeGreaterThan(1_000);
    let taken = await rival.claim(KEY);
    for (const deadline = Date.now() + LEASE; taken === undefined && Date.now() < deadline; await delay(100))
      taken = await rival.claim(KEY);
    expect(taken).toBeDefined();
    link.hold(false);
    expect(await holder?.isHeld?.()).toBe(false);
    await holder?.();
    expect(await taken?.isHeld?.()).toBe(true);
    await taken?.();
  });

  test("lets nobody write who has lost the lease", async () => {
    const own = options();
    const [journal, rival] = [redisJournal(direct, own), redisJournal(direct, own)];
    const lose = async (key: string) => {
      await remove(direct, `${own.prefix}lease:${key}`);
      return await rival.claim(key);
    };
    await writesNothingWithoutLease({ journal, rival, lose });
  });

  test("keeps a lease and its entry over a lost connection and a restart of Redis", async () => {
    const journal = redisJournal(await open(link.port), options());
    const lease = await journal.claim(KEY);
    await journal.set(KEY, entryOf("asset-1"));
    link.cut();
    expect(await lease?.isHeld?.()).toBe(true);
    link.cut();
    expect(await journal.get(KEY)).toEqual(entryOf("asset-1"));
    await redis.kill();
    const written = journal.set(KEY, entryOf("asset-2"));
    await redis.start();
    await written;
    expect(await journal.get(KEY)).toEqual(entryOf("asset-2"));
    expect(await lease?.isHeld?.()).toBe(true);
    expect(await journal.claim(KEY)).toBeUndefined();
    await lease?.();
  });

  test("tells in time that Redis is away, and says nothing of what it holds", async () => {
    const journal = redisJournal(await open(link.port), options());
    link.refuse(true);
    const error = await caught(journal.set(KEY, entryOf(MARKER)));
    expect(error).toMatchObject({
      code: "journal-failed",
      retryable: true,
      message: "Cannot use the journal: Redis gave no answer for 5 s",
    });
    expect(await caught(upload(client(), video(), { journal }))).toMatchObject({ code: "journal-failed" });
    expect(await service.requests("POST")).toEqual([]);
  });

  test("refuses an entry that is damaged, and one of another type", async () => {
    const own = options();
    const journal = redisJournal(direct, own);
    const key = (await journalKey(video())) ?? "";
    await command(direct, ["SET", `${own.prefix}entry:${key}`, `{"${MARKER}`]);
    expect(await caught(upload(client(), video(), { journal }))).toMatchObject({
      code: "journal-failed",
      message: expect.stringContaining("its entry for this source is damaged"),
    });
    expect(await journal.list()).toEqual([]);
    await command(direct, ["DEL", `${own.prefix}entry:${key}`]);
    await command(direct, ["LPUSH", `${own.prefix}entry:${key}`, "1"]);
    expect(await caught(upload(client(), video(), { journal }))).toMatchObject({
      code: "journal-failed",
      message: "Cannot use the journal: Redis refuses a command (WRONGTYPE)",
    });
    expect(await service.requests("POST")).toEqual([]);
  });

  test("asks for no location where Redis has no room for the note of it", async () => {
    const full = await startRedis(["--maxmemory", "1mb"]);
    try {
      const filled = await open(full.port);
      const journal = redisJournal(filled, options());
      const error = await caught(upload(client(), video(), { journal }));
      expect(error).toMatchObject({
        code: "journal-failed",
        message: expect.stringMatching(/Redis refuses a command \(OOM\)$|Nothing was asked$/),
      });
      expect(await service.requests("POST")).toEqual([]);
    } finally {
      await full.stop();
    }
  });

  test("asks for no location when the note alone could not be written", async () => {
    const own = options();
    const journal = redisJournal(direct, own);
    const lease = await journal.claim(`${KEY}.write`);
    await remove(direct, `${own.prefix}lease:${KEY}.write`);
    await redisJournal(direct, own).claim(`${KEY}.write`);
    expect(await caught(journal.set(KEY, entryOf("asset-1")))).toMatchObject({ code: "journal-failed" });
    await lease?.();
    expect(await caught(journal.reserve?.(KEY) ?? Promise.resolve())).toMatchObject({
      code: "journal-failed",
      message: expect.stringContaining("Nothing was asked"),
    });
  });

  test.each([
    ["connection is cut", async () => link.cut()],
    [
      "connection is away for three seconds",
      async () => {
        link.refuse(true);
        await delay(3_000);
        link.refuse(false);
      },
    ],
    [
      "server is killed and started again",
      async () => {
        await redis.kill();
        await redis.start();
      },
    ],
  ])("an upload during which the %s ends as one asset", async (_, disturb) => {
    await service.set({ throttle: 8 * MiB });
    const journal = redisJournal(await open(link.port), { ...options(), leaseTimeout: 12_000 });
    let disturbed = 0;
    let disturbing: Promise<void> | undefined;
    const end = () => {
      disturbing = undefined;
    };
    const { asset, resumed } = await upload(client(), video(), {
      journal,
      method: "resumable",
      chunkSize: 8 * MiB,
      onProgress: ({ sent }) => {
        if (disturbing !== undefined || sent <= disturbed * 7 * MiB) return;
        disturbed++;
        disturbing = disturb().finally(end);
      },
    });
    await disturbing;
    expect(disturbed).toBeGreaterThan(0);
    expect(resumed).toBe(false);
    expect((await service.whole(asset.id)).sha256).toBe(sha256(content(size)));
    expect(await service.assets()).toHaveLength(1);
    expect(await journal.list()).toEqual([]);
  });

  test("an upload whose lease is lost sends nothing more, and another call resumes its asset", async () => {
    await service.set({ throttle: 3 * MiB });
    const own = options();
    const journal = redisJournal(await open(link.port), own);
    let handedOver = 0;
    const call = upload(client(), video(), {
      journal,
      method: "resumable",
      onProgress({ sent }) {
        handedOver = sent;
        if (sent > 9 * MiB) link.hold(true);
      },
    });
    expect(await caught(call)).toMatchObject({ code: "in-progress", retryable: true });
    const told = handedOver;
    await delay(1_000);
    expect(handedOver).toBe(told);
    // The service counts a request once that has ended.
    const received = async () => (await service.uploads())[0]?.bytesReceived ?? 0;
    await expect.poll(received).toBeGreaterThan(0);
    expect(await received()).toBeLessThan(size);
    await service.set({ throttle: 0 });
    const rival = redisJournal(direct, own);
    let result: Awaited<ReturnType<typeof upload>> | undefined;
    while (result === undefined) {
      result = await upload(client(), video(), { journal: rival }).catch(async (error: { code?: string }) => {
        expect(error.code).toBe("in-progress");
        await delay(300);
        return undefined;
      });
    }
    expect(result.resumed).toBe(true);
    expect((await service.whole(result.asset.id)).sha256).toBe(sha256(content(size)));
    expect(await service.assets()).toHaveLength(1);
  });

  test("reports a request without an answer as an asset that may exist, once", async () => {
    await service.set({ stallAfter: [{ host: "api", method: "POST", bytes: 0, times: 1 }] });
    const journal = redisJournal(direct, options());
    const stop = new AbortController();
    const begun = caught(upload(client(), video(), { journal, signal: stop.signal }));
    await expect.poll(async () => (await service.requests("POST", "request-upload")).length).toBe(1);
    stop.abort();
    await begun;
    expect(await journal.list()).toMatchObject([{ assetId: undefined }]);
    expect(await caught(upload(client(), video(), { journal }))).toMatchObject({ code: "asset-unknown" });
    expect(await service.requests("POST", "request-upload")).toHaveLength(1);
    const { asset } = await upload(client(), video(), { journal });
    expect((await service.whole(asset.id)).sha256).toBe(sha256(content(size)));
  });
});

describe("redisJournal()", () => {
  const silent = { call: async () => null };

  test.each([
    ["no client", undefined, {}, "the client is undefined, expected a client of ioredis"],
    ["another client", { get() {} }, {}, "the client is an object, expected a client of ioredis"],
    ["a blank prefix", silent, { prefix: " " }, 'prefix is " ", expected a text'],
    [
      "a short lease",
      silent,
      { leaseTimeout: 4_999 },
      "leaseTimeout is 4999, expected milliseconds from 5000",
    ],
    ["no age", silent, { maxAge: 0 }, "maxAge is 0, expected milliseconds above 0"],
    ["an unknown option", silent, { ttl: 1 }, 'there is no option "ttl"'],
  ])("refuses %s before any command", (_, given, options, sentence) => {
    expect(() => redisJournal(given as RedisClient, options as RedisJournalOptions)).toThrow(sentence);
  });

  test("refuses a client that gives no texts", async () => {
    const journal = redisJournal({ call: async () => new Uint8Array(3) });
    expect(await caught(journal.get(KEY))).toMatchObject({
      code: "journal-failed",
      message: expect.stringContaining("Let it give strings"),
    });
  });
});

async function command(client: RedisClient, [name = "", ...args]: string[]): Promise<void> {
  if ("call" in client) await client.call(name, ...args);
  else if ("send" in client) await client.send(name, args);
  else await client.sendCommand([name, ...args]);
}

async function remove(client: RedisClient, key: string): Promise<void> {
  await command(client, ["DEL", key]);
}

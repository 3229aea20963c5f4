/** The journal in Redis: the contract of every journal, whose a key is, and what happens when Redis is away. */
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { JournalEntry } from "../../../core/journal/journal.ts";
import { redisJournal } from "../../../core/journals/redis.ts";
import { upload } from "../../../core/mod.ts";
import { startLink } from "../../redis/link.ts";
import { startRedis } from "../../redis/server.ts";
import { type OpenClient, type RedisClient, redisClients } from "../../runtimes/redis-clients.ts";
import { useService } from "../../service/use-service.ts";
import { caught } from "../../support/caught.ts";
import { MiB, videoFile } from "../../support/content.ts";
import { journalContract, writesNothingWithoutLease } from "../../support/core/journal-contract.ts";
import { expectOneAssetEach } from "../../support/core/pause-outcome.ts";
import { MOMENTS, pauseAtMoments } from "../../support/core/pauses.ts";
import { setClocks } from "../../support/core/set-clocks.ts";
import { inAll, inNode } from "../../support/in-all.ts";
import { MARKER } from "../../support/marker.ts";
import { useOpened } from "../../support/use-opened.ts";

const KEY = "0f".repeat(32);
const LEASE = 5_000;
const YEAR = 365 * 24 * 3_600_000;
const service = useService();
const size = 16 * MiB + 5;
const video = () => videoFile(size);
const options = (): NonNullable<Parameters<typeof redisJournal>[1]> => ({
  prefix: `${crypto.randomUUID()}:`,
  leaseTimeout: LEASE,
});
const entryOf = (id: string): JournalEntry => ({
  version: 1,
  uploads: { one: { method: "resumable", asset: { id }, mismatches: [] } },
});
const redis = useOpened(() => startRedis());
afterEach(() => {
  vi.useRealTimers();
});

/** Clients of one kind: through a link that can be cut, and around it. */
function useClients(connect: (port: number) => Promise<OpenClient>) {
  const opened: OpenClient[] = [];
  const open = async (port: number) => {
    const one = await connect(port);
    opened.push(one);
    return one.client;
  };
  const link = useOpened(() => startLink(redis.port));
  const clients = { open, link } as {
    open: typeof open;
    link: typeof link;
    linked: RedisClient;
    direct: RedisClient;
  };
  beforeAll(async () => {
    clients.linked = await open(link.port);
    clients.direct = await open(redis.port);
  });
  afterAll(() => {
    for (const { close } of opened) close();
  });
  return clients;
}

describe.each(redisClients())("redisJournal() with %s", (_, connect) => {
  const clients = useClients(connect);

  test.each(Object.entries(journalContract))("%s", async (_, run) => {
    const [one, other] = [options(), options()];
    let turn = 0;
    await run({
      open: (lifetimes) =>
        redisJournal(turn++ % 2 === 0 ? clients.linked : clients.direct, { ...one, ...lifetimes }),
      openOther: () => redisJournal(clients.direct, other),
    });
  });

  inAll("a call in the tick of an abort makes one asset and resumes it, at each moment", async () => {
    await service.set({ throttle: MiB });
    const own = options();
    const open = () => redisJournal(clients.direct, own);
    await expectOneAssetEach(service, await pauseAtMoments(MOMENTS, open, service.client));
  });

  test("lists the entries of its own prefix alone, whatever signs that has", async () => {
    const { direct } = clients;
    const prefix = `a*[b]?\\${crypto.randomUUID()}:`;
    await redisJournal(direct, { prefix: prefix.replace("*", "star") }).set(KEY, entryOf("asset-1"));
    const journal = redisJournal(direct, { prefix });
    expect(await journal.list()).toEqual([]);
    await journal.set(KEY, entryOf("asset-2"));
    expect(await journal.list()).toMatchObject([{ journalKey: KEY, assetId: "asset-2" }]);
  });

  inNode("lists more entries than Redis gives at once", async () => {
    const journal = redisJournal(clients.direct, options());
    const keys = Array.from({ length: 1_200 }, (_, at) => `${at}`.padStart(64, "0"));
    await Promise.all(keys.map((key) => journal.set(key, entryOf(key))));
    expect((await journal.list()).map(({ journalKey }) => journalKey).sort()).toEqual(keys);
  });

  test("forgets what is too old", async () => {
    const journal = redisJournal(clients.direct, { ...options(), maxAge: 60 });
    await journal.set(KEY, entryOf("asset-1"));
    await expect.poll(() => journal.get(KEY)).toBeUndefined();
  });

  // token-lease.test.ts has what a holder does by the clock.
  test("lets Redis free a lease that nobody renews, and leaves what another one has", async () => {
    const own = options();
    const [journal, rival] = [redisJournal(clients.linked, own), redisJournal(clients.direct, own)];
    const holder = await journal.claim(KEY);
    const left = Number(await command(clients.direct, ["PTTL", `${own.prefix}lease:${KEY}`]));
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(LEASE);
    await command(clients.direct, ["PEXPIRE", `${own.prefix}lease:${KEY}`, "0"]);
    const taken = await rival.claim(KEY);
    expect(await holder?.isHeld?.()).toBe(false);
    await holder?.();
    expect(await taken?.isHeld?.()).toBe(true);
    await taken?.();
  });

  test("holds a lease where the date is set forward, until Redis has freed it", async () => {
    const own = options();
    const journal = redisJournal(clients.direct, own);
    try {
      const lease = await journal.claim(KEY);
      setClocks({ date: 3_600_000 });
      expect(await lease?.isHeld?.()).toBe(true);
      await command(clients.direct, ["DEL", `${own.prefix}lease:${KEY}`]);
      setClocks({ date: 7_200_000 });
      expect(await lease?.isHeld?.()).toBe(false);
      expect(await command(clients.direct, ["GET", `${own.prefix}lease:${KEY}`])).toBeFalsy();
      await lease?.();
    } finally {
      setClocks();
    }
  });

  test.each([-30 * YEAR, 30 * YEAR])(
    "keeps entries by the clock of Redis, whatever the date (%s)",
    async (ahead) => {
      const journal = redisJournal(clients.direct, options());
      try {
        await journal.set(KEY, entryOf("asset-1"));
        setClocks({ date: ahead });
        await journal.set("other", entryOf("asset-2"));
        expect(await journal.get(KEY)).toEqual(entryOf("asset-1"));
        expect(await journal.list()).toHaveLength(2);
      } finally {
        setClocks();
      }
      expect(await journal.list()).toHaveLength(2);
    },
  );

  test("lets nobody write who has lost the lease", async () => {
    const own = options();
    const [journal, rival] = [redisJournal(clients.direct, own), redisJournal(clients.direct, own)];
    const lose = async (key: string) => {
      await command(clients.direct, ["DEL", `${own.prefix}lease:${key}`]);
      return await rival.claim(key);
    };
    await writesNothingWithoutLease({ journal, rival, lose });
  });

  test("keeps a lease and its entry over a lost connection and a restart of Redis", async () => {
    const journal = redisJournal(clients.linked, options());
    const lease = await journal.claim(KEY);
    await journal.set(KEY, entryOf("asset-1"));
    clients.link.cut();
    expect(await lease?.isHeld?.()).toBe(true);
    clients.link.cut();
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

  test("refuses an entry that is damaged, and one of another type", async () => {
    const own = options();
    const journal = redisJournal(clients.direct, own);
    const name = `${own.prefix}entry:${KEY}`;
    await command(clients.direct, ["SET", name, `{"${MARKER}`]);
    expect(await caught(journal.get(KEY))).toMatchObject({
      code: "journal-failed",
      message: expect.stringContaining("its entry for this source is damaged"),
    });
    expect(await journal.list()).toEqual([]);
    await command(clients.direct, ["DEL", name]);
    await command(clients.direct, ["LPUSH", name, "1"]);
    expect(await caught(journal.get(KEY))).toMatchObject({
      code: "journal-failed",
      message: "Cannot use the journal: Redis refuses a command (WRONGTYPE)",
    });
  });
});

describe("an upload with redisJournal()", () => {
  const [[, connect] = ["", async () => Promise.reject<OpenClient>()]] = redisClients();
  const clients = useClients(connect);

  test("asks for no location where Redis has no room for the note of it", async () => {
    const full = await startRedis(["--maxmemory", "100kb"]);
    try {
      const journal = redisJournal(await clients.open(full.port), options());
      const error = await caught(upload(service.client(), video(), { journal }));
      expect(error).toMatchObject({
        code: "journal-failed",
        message: expect.stringMatching(/Redis refuses a command \(OOM\)$|Nothing was asked$/),
      });
      expect(await service.requests("POST")).toEqual([]);
    } finally {
      await full.stop();
    }
  });

  test.each([
    ["no entry", undefined],
    ["one of another upload", entryOf("asset-0")],
  ])("asks for no location when the note alone could not be written, and there is %s", async (_, entry) => {
    const own = options();
    const journal = redisJournal(clients.direct, own);
    if (entry !== undefined) await journal.set(KEY, entry);
    const lease = await journal.claim(`${KEY}.write`);
    await command(clients.direct, ["DEL", `${own.prefix}lease:${KEY}.write`]);
    await redisJournal(clients.direct, own).claim(`${KEY}.write`);
    expect(await caught(journal.set(KEY, entryOf("asset-1")))).toMatchObject({ code: "journal-failed" });
    await lease?.();
    expect(await caught(journal.reserve?.(KEY) ?? Promise.resolve())).toMatchObject({
      code: "journal-failed",
      message: expect.stringContaining("Nothing was asked"),
    });
  });
});

describe("redisJournal()", () => {
  const silent = { call: async () => null };

  test.each([
    ["no client", undefined, {}, "the client is undefined, expected a client of ioredis"],
    // Every function has a call().
    ["a function", () => {}, {}, "the client is a function, expected a client of ioredis"],
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
  ])("refuses %s before any command", (_, given, wrong, sentence) => {
    expect(() =>
      redisJournal(given as RedisClient, wrong as NonNullable<Parameters<typeof redisJournal>[1]>),
    ).toThrow(sentence);
  });

  test("refuses a client that gives no texts", async () => {
    const journal = redisJournal({ call: async () => new Uint8Array(3) });
    expect(await caught(journal.get(KEY))).toMatchObject({
      code: "journal-failed",
      message: expect.stringContaining("Let it give strings"),
    });
  });

  test("tells in time that Redis is away, and says nothing of what it holds", async () => {
    vi.useFakeTimers();
    const journal = redisJournal({ call: () => new Promise(() => {}) });
    const failed = caught(journal.set(KEY, entryOf(MARKER)));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await failed).toMatchObject({
      code: "journal-failed",
      retryable: true,
      message: "Cannot use the journal: Redis gave no answer for 5 s",
    });
  });
});

async function command(client: RedisClient, [name = "", ...args]: string[]): Promise<unknown> {
  if ("call" in client) return await client.call(name, ...args);
  if ("send" in client) return await client.send(name, args);
  return await client.sendCommand([name, ...args]);
}

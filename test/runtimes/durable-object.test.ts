/** The journal in a Durable Object, with objects in this process; `durable-object.all.test.ts` asks those of a real workerd. */
import { afterEach, expect, test, vi } from "vitest";
import type { JournalEntry, Lease } from "../../core/journal/journal.ts";
import { durableObjectJournal, type JournalNamespace } from "../../core/journals/durable-object.ts";
import { createClient, journalKey, upload } from "../../core/mod.ts";
import { caught } from "../support/caught.ts";
import { journalContract, writesNothingWithoutLease } from "../support/core/journal-contract.ts";
import { MARKER } from "../support/marker.ts";
import { memoryObjects } from "./edge/memory-objects.ts";

const KEY = "0f".repeat(32);
const LEASE = 5_000;
const WRITE_LEASE = 4_000;
const { namespace, stored, wake } = memoryObjects();
const own = () => ({ name: crypto.randomUUID(), leaseTimeout: LEASE });
const open = (options: { name: string; maxAge?: number; keepDoneFor?: number }) =>
  durableObjectJournal(namespace, options);
const entryOf = (id: string): JournalEntry => ({
  version: 1,
  uploads: { one: { method: "resumable", asset: { id }, mismatches: [] } },
});
const video = new File(["video"], "video.mp4", { type: "video/mp4", lastModified: 1 });
/** Nothing is asked of it where the journal can't be read. */
const client = createClient({ baseUrl: "https://video.invalid", token: MARKER });
/** An object that can't be reached. */
const UNREACHABLE = { fetch: () => Promise.reject(new Error(MARKER)) };

const useClock = () =>
  vi.useFakeTimers({
    toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date", "performance"],
  });
afterEach(() => {
  vi.useRealTimers();
});

test.each(Object.entries(journalContract))("%s", async (_, run) => {
  const [one, other] = [own(), own()];
  await run({ open: (lifetimes) => open({ ...one, ...lifetimes }), openOther: () => open(other) });
});

test("lists many entries", async () => {
  const journal = open(own());
  const keys = Array.from({ length: 250 }, (_, at) => `${at}`.padStart(64, "0"));
  for (const key of keys) await journal.set(key, entryOf(key));
  expect((await journal.list()).map(({ journalKey: key }) => key).sort()).toEqual(keys);
});

test("forgets what is too old, and deletes it when the object wakes", async () => {
  useClock();
  const options = { ...own(), maxAge: 3_000 };
  const [journal, lasting] = [open(options), open({ name: options.name })];
  await journal.set(KEY, entryOf("asset-1"));
  await lasting.set(`${KEY}.lasting`, entryOf("asset-2"));
  // Not before a minute is over.
  expect(stored(options.name).alarm).toBe(Date.now() + 60_000);
  await vi.advanceTimersByTimeAsync(2_999);
  expect(await journal.get(KEY)).toEqual(entryOf("asset-1"));
  await vi.advanceTimersByTimeAsync(1);
  expect(await journal.get(KEY)).toBeUndefined();
  expect(await journal.list()).toMatchObject([{ assetId: "asset-2" }]);
  await wake(options.name);
  const week = 7 * 24 * 3_600_000;
  expect(stored(options.name)).toEqual({
    keys: [`entry:${KEY}.lasting`],
    alarm: Date.now() - 3_000 + week,
  });
});

test("an object that wakes deletes what is too old of many pages", async () => {
  useClock();
  const options = { ...own(), maxAge: 3_000 };
  const journal = open(options);
  for (let at = 0; at < 250; at++) await journal.set(`${at}`, entryOf("asset-1"));
  await vi.advanceTimersByTimeAsync(3_000);
  await wake(options.name);
  expect(stored(options.name)).toEqual({ keys: [], alarm: null });
});

/** A journal whose object can be out of reach. */
function openCut(options: { name: string }) {
  const cut = { isAway: false };
  const journal = durableObjectJournal(
    {
      idFromName: (name) => namespace.idFromName(name),
      get: (id) => (cut.isAway ? UNREACHABLE : namespace.get(id)),
    },
    options,
  );
  return { journal, cut };
}

test("gives a key to another once its holder has shown no sign of life", async () => {
  useClock();
  const options = own();
  const { journal, cut } = openCut(options);
  const lease = await journal.claim(KEY);
  cut.isAway = true;
  await vi.advanceTimersByTimeAsync(LEASE - 1);
  expect(await open(options).claim(KEY)).toBeUndefined();
  expect(await lease?.isHeld?.()).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  const taken = await open(options).claim(KEY);
  expect(await taken?.isHeld?.()).toBe(true);
  await taken?.();
});

test("lets nobody write who has lost the lease", async () => {
  useClock();
  const options = own();
  const { journal, cut } = openCut(options);
  const rival = open(options);
  const lose = async (key: string): Promise<Lease | undefined> => {
    cut.isAway = true;
    await vi.advanceTimersByTimeAsync(WRITE_LEASE);
    const taken = await rival.claim(key);
    // The last renewal is given up.
    await vi.advanceTimersByTimeAsync(1_000);
    cut.isAway = false;
    return taken;
  };
  await writesNothingWithoutLease({ journal, rival, lose });
});

test("holds a key for longer than its lease, by renewing it", async () => {
  useClock();
  const options = own();
  const lease = await open(options).claim(KEY);
  for (let passed = 0; passed < 3 * LEASE; passed += 100) await vi.advanceTimersByTimeAsync(100);
  expect(await open(options).claim(KEY)).toBeUndefined();
  expect(await lease?.isHeld?.()).toBe(true);
  await lease?.();
  const next = await open(options).claim(KEY);
  expect(next).toBeDefined();
  await next?.();
});

test("renews a key that it may not take only while it has the token", async () => {
  const object = namespace.get(namespace.idFromName(own().name) as never);
  const hold = async (token: string, more: object) => {
    const body = JSON.stringify({ do: "hold", key: KEY, token, timeout: LEASE, ...more });
    return (await (await object.fetch("http://journal/", { method: "POST", body })).json()).held;
  };
  expect(await hold("one", { onlyRenews: true })).toBe(false);
  expect(await hold("one", {})).toBe(true);
  expect(await hold("one", { onlyRenews: true })).toBe(true);
  expect(await hold("other", { onlyRenews: true })).toBe(false);
});

test("refuses a damaged entry, and an object that is no journal", async () => {
  const options = own();
  const key = (await journalKey(video)) ?? "";
  const object = namespace.get(namespace.idFromName(options.name) as never);
  const tell = async (body: object) =>
    (await object.fetch("http://journal/", { method: "POST", body: JSON.stringify(body) })).status;
  expect(await tell({ do: "write", key, fence: "", maxAge: 1e6, entry: `{"${MARKER}` })).toBe(200);
  expect(await tell({ do: "sing" })).toBe(400);
  expect(await caught(upload(client, video, { journal: open(options) }))).toMatchObject({
    code: "journal-failed",
    message: expect.stringContaining("its entry for this source is damaged"),
  });
  const other = {
    idFromName: () => ({}),
    get: () => ({ fetch: async () => new Response("", { status: 404 }) }),
  };
  expect(await caught(durableObjectJournal(other).get(KEY))).toMatchObject({
    code: "journal-failed",
    message:
      "Cannot use the journal: the Durable Object refuses a command (404). Is it a JournalObject of this version?",
  });
});

test("tells in time that the object can't be reached", async () => {
  useClock();
  const away = { idFromName: () => ({}), get: () => UNREACHABLE };
  const reading = caught(durableObjectJournal(away).get(KEY));
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await reading).toMatchObject({
    code: "journal-failed",
    retryable: true,
    message: "Cannot use the journal: the Durable Object gave no answer for 5 s",
  });
});

test.each([
  ["no namespace", undefined, {}, "the namespace is undefined, expected a binding to Durable Objects"],
  ["a blank name", "", { name: " " }, 'name is " ", expected a text'],
  ["a short lease", "", { leaseTimeout: 4_999 }, "leaseTimeout is 4999, expected milliseconds from 5000"],
  ["an unknown option", "", { prefix: "a" }, 'there is no option "prefix"'],
])("refuses %s before any command", (_, given, options, sentence) => {
  const to = (given === "" ? namespace : given) as JournalNamespace;
  expect(() => durableObjectJournal(to, options as { name: string })).toThrow(sentence);
});

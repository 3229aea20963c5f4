/** The journal in a Durable Object: in a real workerd, used from its workers and from Node. */
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type JournalEntry, journalKey, type Lease } from "../../core/journal/mod.ts";
import { durableObjectJournal, type JournalNamespace } from "../../core/journals/durable-object.ts";
import { createClient, upload } from "../../core/mod.ts";
import { caught, note } from "../caught.ts";
import { content, sha256 } from "../content.ts";
import { journalContract, writesNothingWithoutLease } from "../core/journal-contract.ts";
import { serveVideos, type Videos } from "../fleet/videos.ts";
import { MARKER } from "../marker.ts";
import { useService } from "../service/use-service.ts";
import { bundle } from "./bundle.ts";
import type { JournalTask } from "./edge/journal.ts";
import { type Edge, startEdge } from "./edge/miniflare.ts";

const MiB = 1024 * 1024;
const KEY = "0f".repeat(32);
const LEASE = 5_000;
const service = useService();
let edge: Edge;
let videos: Videos;

beforeAll(async () => {
  videos = await serveVideos();
  edge = await startEdge({
    name: "journal",
    script: await bundle("edge/journal.ts", ["workerd", "worker", "browser", "module"]),
    durableObjects: { JOURNAL: { className: "WakeableJournal", useSQLite: true } },
    bindings: { BASE_URL: service.baseUrl, TOKEN: service.token },
  });
});
afterAll(() => Promise.all([edge?.stop(), videos?.close()]));

/** The objects by way of the worker: miniflare's own way from Node waits for each call with the whole process. */
const namespace: JournalNamespace = {
  idFromName: (name) => ({ name }),
  get: ({ name }: { name: string }) => ({
    fetch: (address, init) =>
      edge
        .miniflare()
        .dispatchFetch(`http://edge/object/${name}${address.endsWith("/wake") ? "?wake" : ""}`, init),
  }),
};

/** Asks the worker. */
async function ask(task: JournalTask): Promise<Record<string, unknown>> {
  const body = JSON.stringify(task);
  const text = await (await edge.miniflare().dispatchFetch("http://edge/", { method: "POST", body })).text();
  note(text);
  return JSON.parse(text);
}

/** An object that can't be reached. */
const UNREACHABLE = { fetch: () => Promise.reject(new Error(MARKER)) };

const own = () => ({ name: crypto.randomUUID(), leaseTimeout: LEASE });
const open = (options: { name: string; maxAge?: number }) => durableObjectJournal(namespace, options);
const client = () => createClient({ baseUrl: service.baseUrl, token: service.token });
const entryOf = (id: string): JournalEntry => ({
  version: 1,
  uploads: { one: { method: "resumable", asset: { id }, mismatches: [] } },
});

test("every case of the contract is run", async () => {
  expect(await ask({ do: "cases" })).toEqual(Object.keys(journalContract));
});

describe("durableObjectJournal() in workerd", () => {
  test.each(Object.keys(journalContract))("%s", async (title) => {
    expect(await ask({ do: "case", title })).toEqual({});
  });
});

describe("durableObjectJournal() from Node", () => {
  test.each(Object.entries(journalContract))("%s", async (_, run) => {
    const [one, other] = [own(), own()];
    await run({ open: () => open(one), openOther: () => open(other) });
  });

  test("lists many entries", async () => {
    const journal = open(own());
    const keys = Array.from({ length: 250 }, (_, at) => `${at}`.padStart(64, "0"));
    for (const key of keys) await journal.set(key, entryOf(key));
    expect((await journal.list()).map(({ journalKey: key }) => key).sort()).toEqual(keys);
  });

  test("forgets what is too old, and deletes it when the object wakes", async () => {
    const options = { ...own(), maxAge: 3_000 };
    const [journal, lasting] = [open(options), open({ name: options.name })];
    await journal.set(KEY, entryOf("asset-1"));
    await lasting.set(`${KEY}.lasting`, entryOf("asset-2"));
    expect(await journal.get(KEY)).toEqual(entryOf("asset-1"));
    await expect.poll(() => journal.get(KEY)).toBeUndefined();
    expect(await journal.list()).toMatchObject([{ assetId: "asset-2" }]);
    const object = namespace.get(namespace.idFromName(options.name) as never);
    const woken = await object.fetch("http://journal/wake", { method: "POST", body: "" });
    expect(JSON.parse(await woken.text())).toEqual([`entry:${KEY}.lasting`]);
    expect(await lasting.list()).toMatchObject([{ assetId: "asset-2" }]);
  });

  test("gives a key to another once its holder shows no sign of life, and lets that one write nothing more", async () => {
    const options = own();
    let isAway = false;
    const journal = durableObjectJournal(
      {
        idFromName: (name) => namespace.idFromName(name),
        get: (id) => (isAway ? UNREACHABLE : namespace.get(id)),
      },
      options,
    );
    const rival = open(options);
    const lose = async (key: string) => {
      isAway = true;
      let taken: Lease | undefined;
      await expect
        .poll(async () => {
          taken = await rival.claim(key);
          return taken;
        })
        .toBeDefined();
      isAway = false;
      return taken;
    };
    await writesNothingWithoutLease({ journal, rival, lose });
  });

  test("holds a key for longer than its lease, by renewing it", async () => {
    const options = own();
    const lease = await open(options).claim(KEY);
    await delay(LEASE + 500);
    expect(await open(options).claim(KEY)).toBeUndefined();
    expect(await lease?.isHeld?.()).toBe(true);
    await lease?.();
  });

  test("keeps entries and leases when the object's machine is gone", async () => {
    const options = own();
    const journal = open(options);
    await journal.set(KEY, entryOf("asset-1"));
    const lease = await journal.claim(KEY);
    await edge.kill();
    await edge.start();
    const after = open(options);
    expect(await after.get(KEY)).toEqual(entryOf("asset-1"));
    expect(await after.claim(KEY)).toBeUndefined();
    await lease?.();
    await expect.poll(async () => (await after.claim(KEY)) !== undefined, { timeout: 30_000 }).toBe(true);
  });

  test("reports a request without an answer as an asset that may exist, once", async () => {
    await service.set({ stallAfter: [{ host: "api", method: "POST", bytes: 0, times: 1 }] });
    const journal = open(own());
    const video = () => new File([content(MiB)], "video.mp4", { type: "video/mp4", lastModified: 1 });
    const stop = new AbortController();
    const begun = caught(upload(client(), video(), { journal, signal: stop.signal }));
    await expect.poll(async () => (await service.requests("POST", "request-upload")).length).toBe(1);
    stop.abort();
    await begun;
    expect(await journal.list()).toMatchObject([{ assetId: undefined }]);
    expect(await caught(upload(client(), video(), { journal }))).toMatchObject({ code: "asset-unknown" });
    expect(await service.requests("POST", "request-upload")).toHaveLength(1);
    const { asset } = await upload(client(), video(), { journal });
    expect((await service.whole(asset.id)).sha256).toBe(sha256(content(MiB)));
  });

  test("refuses a damaged entry, and an object that is no journal", async () => {
    const options = own();
    const video = new File([content(MiB)], "video.mp4", { type: "video/mp4", lastModified: 1 });
    const key = (await journalKey(video)) ?? "";
    const damage = { do: "write", key, fence: "", maxAge: 1e6, entry: `{"${MARKER}` };
    expect(await command(options.name, damage)).toBe(200);
    expect(await caught(upload(client(), video, { journal: open(options) }))).toMatchObject({
      code: "journal-failed",
      message: expect.stringContaining("its entry for this source is damaged"),
    });
    expect(await command(options.name, { do: "sing" })).toBe(400);
    const other = {
      idFromName: () => ({}),
      get: () => ({ fetch: async () => new Response("", { status: 404 }) }),
    };
    expect(await caught(durableObjectJournal(other).get(KEY))).toMatchObject({
      code: "journal-failed",
      message:
        "Cannot use the journal: the Durable Object refuses a command (404). Is it a JournalObject of this version?",
    });
    expect(await service.requests("POST")).toEqual([]);
  });

  test("tells in time that the object can't be reached", async () => {
    const away = { idFromName: () => ({}), get: () => UNREACHABLE };
    const video = new File([content(MiB)], "video.mp4", { type: "video/mp4", lastModified: 1 });
    expect(await caught(upload(client(), video, { journal: durableObjectJournal(away) }))).toMatchObject({
      code: "journal-failed",
      retryable: true,
      message: "Cannot use the journal: the Durable Object gave no answer for 5 s",
    });
    expect(await service.requests("POST")).toEqual([]);
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
});

test("an upload whose workerd is killed in the middle is resumed as the same asset", async () => {
  const task: JournalTask = {
    do: "upload",
    name: crypto.randomUUID(),
    address: videos.address(10),
    leaseTimeout: LEASE,
    options: { method: "resumable" },
  };
  await service.set({ throttle: 2 * MiB });
  const lost = ask(task).catch(() => ({}));
  await expect.poll(async () => (await service.uploads())[0]?.arrived ?? 0).toBeGreaterThan(9 * MiB);
  // A second worker keeps away from it.
  expect(await ask(task)).toMatchObject({ code: "in-progress" });
  await edge.kill();
  await lost;
  await service.set({ throttle: 0 });
  await edge.start();
  let outcome: Record<string, unknown> = {};
  await expect
    .poll(
      async () => {
        outcome = await ask(task);
        return outcome.code;
      },
      { timeout: 6 * LEASE, interval: 500 },
    )
    .toBeUndefined();
  expect(outcome).toMatchObject({ resumed: true });
  const [stored, ...more] = await service.assets();
  expect(more).toEqual([]);
  expect(stored?.asset.id).toBe(outcome.id);
  expect((await service.whole(`${outcome.id}`)).sha256).toBe(videos.sha256(10));
  expect(await open({ name: task.name }).list()).toEqual([]);
});

async function command(name: string, body: object): Promise<number> {
  const object = namespace.get(namespace.idFromName(name) as never);
  return (await object.fetch("http://journal/", { method: "POST", body: JSON.stringify(body) })).status;
}

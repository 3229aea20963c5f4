/** The journal in a Durable Object of a real workerd, used from its workers and from Node. */
import { expect, test } from "vitest";
import type { JournalEntry } from "../../core/journal/journal.ts";
import { durableObjectJournal, type JournalNamespace } from "../../core/journals/durable-object.ts";
import { serveVideos } from "../fleet/videos.ts";
import { useService } from "../service/use-service.ts";
import { note } from "../support/caught.ts";
import { journalContract } from "../support/core/journal-contract.ts";
import { expectOneAssetEach } from "../support/core/pause-outcome.ts";
import type { PauseOutcome } from "../support/core/pauses.ts";
import { useOpened } from "../support/use-opened.ts";
import { bundle } from "./bundle.ts";
import type { JournalTask } from "./edge/journal.ts";
import { startEdge } from "./edge/miniflare.ts";

const MiB = 1024 * 1024;
const KEY = "0f".repeat(32);
const LEASE = 5_000;
const service = useService();
const videos = useOpened(serveVideos);
const edge = useOpened(async () =>
  startEdge({
    name: "journal",
    script: await bundle("edge/journal.ts", ["workerd", "worker", "browser", "module"]),
    durableObjects: { JOURNAL: { className: "WakeableJournal", useSQLite: true } },
    bindings: { BASE_URL: service.baseUrl, TOKEN: service.token },
  }),
);

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

async function ask(task: JournalTask): Promise<Record<string, unknown>> {
  const body = JSON.stringify(task);
  const text = await (await edge.miniflare().dispatchFetch("http://edge/", { method: "POST", body })).text();
  note(text);
  return JSON.parse(text);
}

const open = (options: { name: string; maxAge?: number; leaseTimeout?: number }) =>
  durableObjectJournal(namespace, options);
const entryOf = (id: string): JournalEntry => ({
  version: 1,
  uploads: { one: { method: "resumable", asset: { id }, mismatches: [] } },
});

test("every case of the contract is run", async () => {
  expect(await ask({ do: "cases" })).toEqual(Object.keys(journalContract));
});

test.each(Object.keys(journalContract))("in workerd: %s", async (title) => {
  expect(await ask({ do: "case", title })).toEqual({});
});

test("a call in the tick of an abort makes one asset and resumes it, at each moment", async () => {
  await service.set({ throttle: MiB });
  const outcomes = await ask({ do: "pause", name: crypto.randomUUID() });
  await expectOneAssetEach(service, outcomes as unknown as PauseOutcome[]);
});

test("lists many entries, and deletes what is too old when the object wakes", async () => {
  const name = crypto.randomUUID();
  const journal = open({ name });
  const keys = Array.from({ length: 250 }, (_, at) => `${at}`.padStart(64, "0"));
  for (const key of keys) await journal.set(key, entryOf(key));
  await open({ name, maxAge: 1 }).set(KEY, entryOf("asset-1"));
  await expect.poll(() => journal.get(KEY)).toBeUndefined();
  expect((await journal.list()).map(({ journalKey: key }) => key).sort()).toEqual(keys);
  const object = namespace.get(namespace.idFromName(name) as never);
  const woken = await object.fetch("http://journal/wake", { method: "POST", body: "" });
  expect(JSON.parse(await woken.text())).toEqual(keys.map((key) => `entry:${key}`));
});

test("keeps entries and leases when the object's machine is gone", async () => {
  const options = { name: crypto.randomUUID(), leaseTimeout: LEASE };
  const journal = open(options);
  await journal.set(KEY, entryOf("asset-1"));
  const lease = await journal.claim(KEY);
  await edge.kill();
  await edge.start();
  const after = open(options);
  expect(await after.get(KEY)).toEqual(entryOf("asset-1"));
  expect(await after.claim(KEY)).toBeUndefined();
  await lease?.();
  await expect.poll(async () => (await after.claim(KEY)) !== undefined).toBe(true);
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
    .poll(async () => {
      outcome = await ask(task);
      return outcome.code;
    })
    .toBeUndefined();
  expect(outcome).toMatchObject({ resumed: true });
  const [stored, ...more] = await service.assets();
  expect(more).toEqual([]);
  expect(stored?.asset.id).toBe(outcome.id);
  expect((await service.whole(`${outcome.id}`)).sha256).toBe(videos.sha256(10));
  expect(await open({ name: task.name }).list()).toEqual([]);
});

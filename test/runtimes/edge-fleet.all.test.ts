/** The example at the edge: a Workflow for each video of a bucket, in a real workerd that is killed in the middle. */
import { createHash } from "node:crypto";
import { expect, test, vi } from "vitest";
import type { Outcome } from "../../core/examples/edge/bindings.ts";
import { useService } from "../service/use-service.ts";
import { note } from "../support/caught.ts";
import { content, contentHash, MiB } from "../support/content.ts";
import { useOpened } from "../support/use-opened.ts";
import { bundle } from "./bundle.ts";
import type { EdgeCounts } from "./edge/fleet.ts";
import { startEdge } from "./edge/miniflare.ts";

const VIDEOS = 50;
const STEP = 16 * MiB;
const INTAKE_KEY = "intake-key";
const service = useService();
vi.setConfig({ testTimeout: 600_000 });

interface Told {
  status: string;
  output?: Outcome;
  error?: string;
}

const edge = useOpened(async () =>
  startEdge({
    name: "fleet",
    script: await bundle("edge/fleet.ts", ["workerd", "worker", "browser", "module"]),
    durableObjects: { JOURNAL: { className: "JournalObject", useSQLite: true } },
    workflows: { VIDEOS: { name: "upcut-videos", className: "VideoWorkflow" } },
    r2Buckets: ["BUCKET"],
    queueProducers: { INTAKE: { queueName: "upcut-intake" } },
    queueConsumers: { "upcut-intake": { maxBatchSize: 100, maxBatchTimeout: 1 } },
    bindings: {
      UPCUT_URL: service.baseUrl,
      UPCUT_TOKEN: service.token,
      INTAKE_KEY,
      UPCUT_STEP: `${STEP / MiB}`,
      UPCUT_LEASE: "5000",
      UPCUT_RETRY: "1000",
    },
  }),
);

async function ask(path: string, init: { method?: string; body?: string; key?: string } = {}) {
  const { key = INTAKE_KEY, ...request } = init;
  const headers = { authorization: `Bearer ${key}` };
  const response = await edge.miniflare().dispatchFetch(`http://edge/${path}`, { ...request, headers });
  const text = await response.text();
  note(text);
  return { status: response.status, text };
}

const add = async (keys: string[]) =>
  JSON.parse((await ask("", { method: "POST", body: keys.join("\n") })).text);
const counts = async () => JSON.parse((await ask("counts")).text) as EdgeCounts;
async function tell(key: string): Promise<Told | undefined> {
  const { status, text } = await ask(`?key=${encodeURIComponent(key)}`);
  // The job is on its way through the queue.
  return status === 404 ? undefined : (JSON.parse(text) as Told);
}
const hasEnded = (told: Told | undefined) => told?.status === "complete" || told?.status === "errored";
const idOf = (key: string) => `v-${createHash("sha256").update(key).digest("hex").slice(0, 32)}`;

/** Every fifth has several steps; every tenth breaks off in the middle of one. */
const sizeOf = (seed: number) => (seed % 5 === 0 ? 35 * MiB + seed : 200_000 + seed * 17_001);
const keyOf = (seed: number) => `videos/${seed % 10 === 0 ? "torn" : "whole"} ${seed}.mp4`;
const seeds = Array.from({ length: VIDEOS }, (_, at) => at + 1);

async function put(key: string, bytes: Uint8Array, options?: object): Promise<void> {
  const bucket = (await edge.miniflare().getR2Bucket("BUCKET")) as unknown as {
    put(key: string, value: Uint8Array, options?: object): Promise<unknown>;
  };
  await bucket.put(key, bytes, options);
}

async function fill(): Promise<void> {
  for (const seed of seeds) await put(keyOf(seed), content(sizeOf(seed), seed));
  await put("notes.txt", content(1000), { httpMetadata: { contentType: "text/plain" } });
}

test("refuses callers without the key", async () => {
  expect(await ask("?key=a", { key: "another" })).toMatchObject({ status: 401 });
  expect(await ask("", { method: "DELETE" })).toMatchObject({ status: 405 });
  expect(await ask("?key=a")).toMatchObject({ status: 404 });
  expect(await ask("?key=a", { method: "PUT" })).toMatchObject({ status: 409 });
});

test("fifty videos become fifty assets, over steps that fail and a workerd that is killed", async () => {
  await fill();
  // What it took to fill the bucket is not to be counted.
  await edge.kill();
  await edge.start();
  const good = seeds.map(keyOf);
  const keys = [...good, "missing.mp4", "notes.txt"];
  await service.set({ throttle: 40 * MiB, latency: 5 });
  expect(await add([...keys, ...keys, ""])).toEqual({ added: 2 * keys.length });

  const countEnded = async () => (await Promise.all(keys.map(tell))).filter(hasEnded).length;
  await expect.poll(countEnded).toBeGreaterThan(20);
  const first = await counts();
  expect(await countEnded()).toBeLessThan(keys.length);
  await edge.kill();
  await edge.start();
  // What the queue had is lost with it; what is added again adds nothing.
  await add(keys);
  for (const key of keys) {
    await expect.poll(() => tell(key)).toBeDefined();
    if (!hasEnded(await tell(key))) await ask(`restart/${idOf(key)}`);
  }
  await expect.poll(countEnded).toBe(keys.length);

  const second = await counts();
  const stored = await service.assets();
  let doubtful = 0;
  for (const seed of seeds) {
    const told = await tell(keyOf(seed));
    expect(told, keyOf(seed)).toMatchObject({ status: "complete", output: { size: sizeOf(seed) } });
    doubtful += told?.output?.doubtful ?? 0;
    const { sha256: hash } = await service.whole(told?.output?.assetId ?? "");
    expect(hash, keyOf(seed)).toBe(contentHash(sizeOf(seed), seed));
  }
  expect(stored.length).toBeGreaterThanOrEqual(VIDEOS);
  expect(stored.length).toBeLessThanOrEqual(VIDEOS + doubtful);
  expect(await tell("missing.mp4")).toMatchObject({
    status: "errored",
    error: expect.stringContaining("invalid-source: "),
  });
  expect(await tell("notes.txt")).toMatchObject({
    status: "errored",
    error: expect.stringContaining("not-a-video: "),
  });

  const patches = await service.requests("PATCH");
  const largest = Math.max(...patches.map(({ contentLength }) => Number(contentLength)));
  // No more than one step's parts in a request, or in a range that is read.
  expect(largest).toBe(STEP);
  expect(Math.max(first.largestRange, second.largestRange)).toBe(STEP);
  expect(first.broken + second.broken).toBeGreaterThan(7);
});

test("a step that ended while it asked for an asset is told as one that may exist", async () => {
  await service.set({ stallAfter: [{ host: "api", method: "POST", bytes: 0, times: 1 }] });
  await put("asked.mp4", content(MiB, 60));
  await add(["asked.mp4"]);
  await expect.poll(async () => (await service.requests("POST", "request-upload")).length).toBe(1);
  await edge.kill();
  await edge.start();
  await ask(`restart/${idOf("asked.mp4")}`);
  await expect
    .poll(() => tell("asked.mp4"))
    .toMatchObject({
      status: "complete",
      output: { size: MiB, doubtful: 1 },
    });
  expect(await ask("?key=asked.mp4", { method: "PUT" })).toMatchObject({ status: 409 });
});

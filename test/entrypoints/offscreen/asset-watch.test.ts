import { openAsBlob } from "node:fs";
import { appendFile, writeFile } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { readAsset } from "../../../entrypoints/background/assets.ts";
import { createAssetWatch } from "../../../entrypoints/offscreen/asset-watch.ts";
import { type JobEvent, reduce } from "../../../entrypoints/offscreen/job-reducer.ts";
import type { OpenJob, OpenSource } from "../../../entrypoints/offscreen/job-source.ts";
import type { Ends } from "../../../entrypoints/shared/job.ts";
import { DEFAULT_SETTINGS } from "../../../entrypoints/shared/settings.ts";
import type { AnswerRule } from "../../service/switches.ts";
import { useService } from "../../service/use-service.ts";
import { content, contentHash } from "../../support/content.ts";
import { makeJob } from "../../support/extension/pages/jobs.ts";
import { stubAccount } from "../../support/extension/stub-account.ts";
import { useFolder } from "../../support/use-folder.ts";

const service = useService();
const folder = useFolder("watched");
const asset = "/api/asset/{id}";
const HOUR = 3_600_000;
let settings: typeof DEFAULT_SETTINGS;
let told: { isAtWork?: boolean; ended?: Ends }[];
let asked: number[];
const pending = new Set<Promise<unknown>>();

beforeEach(() => {
  settings = { ...DEFAULT_SETTINGS, address: service.baseUrl, paths: { ...DEFAULT_SETTINGS.paths, asset } };
  told = [];
  asked = [];
  const sendMessage = async (message: { type: string; isAtWork?: boolean }) => {
    if (message.type === "assets-followed") told.push(message);
    // A list of another file may still tell how it stands.
    if (message.type !== "read-asset") return;
    asked.push(Date.now());
    const reading = readAsset(message as never);
    pending.add(reading);
    return await reading.finally(() => pending.delete(reading));
  };
  stubAccount({ settings, token: service.token }, { runtime: { sendMessage } });
  vi.useFakeTimers({ toFake: ["Date", "performance", "setTimeout", "clearTimeout"] });
});
afterEach(() => void vi.useRealTimers());

/** Moves the clock from one wait to the next, never while the service is asked, and ends with no question open. */
async function passUntil(isOver: () => boolean): Promise<void> {
  for (;;) {
    // An answer is noted, and a wait leads to a question, a turn of the event loop later.
    await setImmediate();
    if (pending.size > 0) await Promise.all(pending);
    else if (isOver()) return;
    else await vi.advanceTimersToNextTimerAsync();
  }
}

const isIdle = () => told.at(-1)?.isAtWork === false;

/** How many ended, as the background was told. */
function ended(): [number, number] {
  const all = told.flatMap((each) => each.ended ?? []);
  return [all.reduce((sum, { done }) => sum + done, 0), all.reduce((sum, { failed }) => sum + failed, 0)];
}

/** The list, as far as the watch uses it. */
function listOf(...jobs: { id: string; source?: OpenSource }[]) {
  const all = new Map(
    jobs.map(({ id, ...more }) => {
      const own = { id, playbackUrl: `https://own.example/${id}` };
      return [id, { ...makeJob("done", { asset: own, address: service.baseUrl, ...more }), id } as OpenJob];
    }),
  );
  return {
    get: (id: string) => all.get(id),
    all: () => [...all.values()],
    apply: async (id: string, event: JobEvent) => {
      const job = all.get(id);
      if (job !== undefined) all.set(id, reduce(job, event));
    },
  };
}

const idsOf = (...ids: string[]) => ids.map((id) => ({ id }));

/** Has the service answer for an asset, one answer after the other. */
function answers(id: string, ...all: (Partial<Omit<AnswerRule, "body">> & { body: object })[]): AnswerRule[] {
  return all.map(({ body, ...more }) => ({
    host: "api",
    method: "GET",
    path: `/api/asset/${id}`,
    times: 1,
    status: 200,
    contentType: "application/json",
    body: JSON.stringify({ id, ...body }),
    ...more,
  }));
}

const ready = { status: { phase: "ready", progress: 1 }, playbackUrl: "https://play.example/a.m3u8" };
const working = (more: object) => ({ body: { status: { phase: "processing", ...more } } });

test("what the service says of uploaded videos stands in the list, whatever it says, and is told at the end", async () => {
  const reason = `no video track, says ${service.token}`;
  await service.set({
    answerStatus: [
      ...answers("new", { status: 404, body: { errors: ["asset not found"] } }, { body: ready }),
      ...answers("slow", working({ progress: 0.4 })),
      ...answers("slow", { body: { status: { phase: "failed", errorMessage: "no sound" } } }),
      ...answers("bad", { body: { status: { phase: "failed", errorMessage: reason } } }),
      ...answers("odd", { body: { status: { phase: "polishing", progress: 7, errorMessage: [] } } }),
      ...answers("odd", working({ progress: "half" }), { body: ready }),
      ...answers("back", working({ progress: 0.6, updatedAt: 2 }), working({ progress: 0.2, updatedAt: 1 })),
      ...answers("back", { body: { status: { phase: "ready", updatedAt: 3 } } }),
      ...answers("large", { body: { ...ready, name: "x".repeat(2_000_000) } }),
      ...answers("other", { body: { id: "else" } }),
      ...answers("refused", { status: 401, body: { errors: [`no token ${service.token} found`] } }),
    ],
  });
  const list = listOf(...idsOf("new", "slow", "bad", "odd", "back", "large", "other", "refused"));
  const seen: Record<string, unknown[]> = {};
  const { apply } = list;
  list.apply = async (id, event) => {
    await apply(id, event);
    const { since: _, error, ...known } = list.get(id)?.processing ?? { since: 0 };
    const news = error === undefined ? known : error.code;
    const all = seen[id] ?? [];
    seen[id] = all;
    if (JSON.stringify(news) !== JSON.stringify(all.at(-1))) all.push(news);
  };
  const watch = createAssetWatch(list, { read: async () => settings });
  await watch.refresh();
  await passUntil(isIdle);
  const hidden = expect.stringMatching(/^\[hidden/);
  expect(seen).toEqual({
    new: [{}, { stage: "ready", progress: 1 }],
    slow: [{}, { stage: "working", progress: 0.4 }, { stage: "failed", reason: "no sound" }],
    bad: [{}, { stage: "failed", reason: hidden }],
    odd: [{}, { stage: "working" }, { stage: "ready", progress: 1 }],
    back: [{}, { stage: "working", progress: 0.6 }, { stage: "ready" }],
    large: [{}, "unexpected-answer"],
    other: [{}, "unexpected-answer"],
    refused: [{}, "unauthorized"],
  });
  // The service's own address, and where it names none, that of its first answer.
  expect(list.get("new")?.asset).toEqual({ id: "new", playbackUrl: ready.playbackUrl });
  expect(list.get("back")?.asset).toEqual({ id: "back", playbackUrl: "https://own.example/back" });
  expect(list.get("refused")?.state).toBe("done");
  expect(JSON.stringify([list.all(), told])).not.toContain(service.token);
  expect(ended()).toEqual([3, 2]);

  // What is finished is asked no more; what was given up is, once the account has changed.
  const before = asked.length;
  await watch.refresh();
  expect(isIdle()).toBe(true);
  expect(asked).toHaveLength(before);
  await service.set({ answerStatus: answers("refused", { body: ready }) });
  await watch.refresh(true);
  await passUntil(() => list.get("refused")?.processing?.stage === "ready");
});

test("a service is left alone for as long as it says, and asked again after an hour in which it is away", async () => {
  const busy = { status: 429, retryAfter: "120", body: {} };
  const stillWorking = answers("a", working({})).map((rule) => ({ ...rule, times: 5 }));
  const begun = [...stillWorking, ...answers("b", { body: ready })];
  await service.set({ answerStatus: [...answers("", busy), ...begun] });
  const list = listOf(...idsOf("a", "b"));
  await createAssetWatch(list, { read: async () => settings }).refresh();
  const stages = () => list.all().map(({ processing }) => processing?.stage);
  await passUntil(() => stages().every((stage) => stage !== undefined));
  const [first = 0, second = 0] = asked;
  expect(second - first).toBeGreaterThanOrEqual(120_000);

  await service.set({ answerStatus: [], dropAnswer: [{ host: "api", method: "GET", path: "/api/asset/" }] });
  const [before, back] = [asked.length, Date.now() + HOUR];
  await passUntil(() => Date.now() > back);
  expect(list.get("a")?.processing?.error).toBeUndefined();
  expect((asked.length - before) / 60).toBeLessThan(3);
  await service.set({ dropAnswer: [], answerStatus: answers("a", { body: ready }) });
  await passUntil(isIdle);
  expect(stages()).toEqual(["ready", "ready"]);
});

test("what is stored is compared with the file that was sent, as far as both are known", async () => {
  const SIZE = 300_017;
  const path = `${folder.path}/changed.mp4`;
  await writeFile(path, content(SIZE));
  const changed = await openAsBlob(path);
  await appendFile(path, "more");
  const hash = [{ algorithm: "SHA-256", hash: contentHash(SIZE).toUpperCase() }];
  const whole = { ...ready, size: SIZE, hash };
  const progress = 1;
  const cases: Record<string, [object[], object, Blob?]> = {
    whole: [[whole], { stage: "ready", progress, same: "content" }, new Blob([content(SIZE)])],
    other: [[whole], { stage: "differs", progress }, new Blob([content(SIZE, 2)])],
    short: [[{ ...ready, size: 0 }], { stage: "differs", progress }],
    sized: [
      [{ ...ready, size: SIZE, hash: [null, { hash: 7 }] }],
      { stage: "ready", progress, same: "size" },
    ],
    // After a restart, and where the file has changed since.
    lost: [[whole], { stage: "ready", progress, same: "size" }],
    changed: [[whole], { stage: "ready", progress, same: "size" }, changed],
    silent: [[ready], { stage: "ready", progress }, new Blob([content(SIZE)])],
    failed: [[{ ...whole, status: { phase: "failed" } }], { stage: "failed" }, new Blob([content(SIZE, 2)])],
    // A comparison is made once, and stays.
    early: [
      [{ ...whole, status: { phase: "processing" } }, ready],
      { stage: "ready", progress, same: "content" },
      new Blob([content(SIZE)]),
    ],
  };
  await service.set({
    answerStatus: Object.entries(cases).flatMap(([id, [records]]) =>
      answers(id, ...records.map((body) => ({ body }))),
    ),
  });
  const list = listOf(
    ...Object.entries(cases).map(([id, [, , blob]]) => {
      const source = { ...makeJob("done").source, size: SIZE };
      return { id, source: blob === undefined ? source : { ...source, blob } };
    }),
  );
  const watch = createAssetWatch(list, { read: async () => settings });
  for (const job of list.all()) await watch.add(job);
  await passUntil(isIdle);
  for (const [id, [, expected]] of Object.entries(cases)) {
    const { since: _, ...found } = list.get(id)?.processing ?? { since: 0 };
    expect(found, id).toEqual(expected);
    expect(list.get(id)?.asset, id).not.toHaveProperty("hash");
  }
  expect(ended()).toEqual([6, 3]);
});

test("nothing is asked of another account's videos, without a path, or after a day", async () => {
  const list = listOf({ id: "a" });
  const read = async () => settings;
  settings = { ...settings, address: "https://other.example" };
  await createAssetWatch(list, { read }).refresh(true);
  settings = { ...settings, address: service.baseUrl, paths: DEFAULT_SETTINGS.paths };
  await createAssetWatch(list, { read }).refresh(true);
  settings = { ...settings, paths: { ...DEFAULT_SETTINGS.paths, asset } };
  await list.apply("a", { type: "processed", processing: { since: 1 } });
  await createAssetWatch(list, { read }).refresh(true);
  expect(told).toEqual([]);
  // The background knows better than a copy of the settings.
  expect(await readAsset({ address: "https://other.example", id: "a" })).toBeNull();
  expect(await service.requests("GET")).toEqual([]);
});

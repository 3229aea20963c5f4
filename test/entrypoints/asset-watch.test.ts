import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { readAsset } from "../../entrypoints/background/assets.ts";
import { createAssetWatch } from "../../entrypoints/offscreen/asset-watch.ts";
import { type JobEvent, reduce } from "../../entrypoints/offscreen/job-reducer.ts";
import type { OpenJob } from "../../entrypoints/offscreen/job-source.ts";
import { DEFAULT_SETTINGS } from "../../entrypoints/shared/settings.ts";
import { useService } from "../service/use-service.ts";
import { makeJob } from "./pages/jobs.ts";
import { stubAccount } from "./stub-account.ts";

const service = useService();
const asset = "/api/asset/{id}";
let settings: typeof DEFAULT_SETTINGS;
let told: unknown[];
/** Resolves once nothing is followed any more. */
let idle: Promise<unknown>;

beforeEach(() => {
  settings = { ...DEFAULT_SETTINGS, address: service.baseUrl, paths: { ...DEFAULT_SETTINGS.paths, asset } };
  told = [];
  idle = new Promise((resolve) => {
    const sendMessage = async (message: { type: string; isAtWork?: boolean }) => {
      if (message.type === "read-asset") return await readAsset(message as never);
      told.push(message);
      if (message.isAtWork === false) resolve(undefined);
      return null;
    };
    stubAccount({ settings, token: service.token }, { runtime: { sendMessage } });
  });
});
afterEach(() => void vi.unstubAllGlobals());

/** The list, as far as the watch uses it. */
function listOf(...ids: string[]) {
  const jobs = new Map<string, OpenJob>(
    ids.map((id) => [id, { ...makeJob("done", { asset: { id }, address: service.baseUrl }), id } as OpenJob]),
  );
  return {
    get: (id: string) => jobs.get(id),
    all: () => [...jobs.values()],
    apply: async (id: string, event: JobEvent) => {
      const job = jobs.get(id);
      if (job !== undefined) jobs.set(id, reduce(job, event));
    },
  };
}

/** Has the service answer for an asset, one answer after the other. */
function answers(id: string, ...all: { status?: number; body: object }[]) {
  return all.map(({ status = 200, body }) => ({
    host: "api",
    method: "GET",
    path: `/api/asset/${id}`,
    times: 1,
    status,
    contentType: "application/json",
    body: JSON.stringify({ id, ...body }),
  }));
}

test("what the service says of uploaded videos stands in the list, whatever it says, and is told at the end", async () => {
  const ready = { status: { phase: "ready", progress: 1 }, playbackUrl: "https://play.example/a.m3u8" };
  const reason = `no video track, says ${service.token}`;
  await service.set({
    answerStatus: [
      ...answers("new", { status: 404, body: { errors: ["asset not found"] } }, { body: ready }),
      ...answers("slow", { body: { status: { phase: "processing", progress: 0.4 } } }),
      ...answers("bad", { body: { status: { phase: "failed", errorMessage: reason } } }),
      ...answers("odd", { body: { status: { phase: "polishing", progress: 7, errorMessage: [] } } }),
      ...answers("other", { body: { id: "else" } }),
      ...answers("refused", { status: 401, body: { errors: [`no token ${service.token} found`] } }),
      ...answers("slow", { body: { status: { phase: "failed", errorMessage: "no sound" } } }),
      ...answers("odd", { body: ready }),
    ] as never,
  });
  const list = listOf("new", "slow", "bad", "odd", "other", "refused");
  const seen: unknown[] = [];
  const { apply } = list;
  list.apply = async (id, event) => {
    await apply(id, event);
    const { since: _, error, ...known } = list.get(id)?.processing ?? { since: 0 };
    seen.push([id, error === undefined ? known : error.code]);
  };
  const watch = createAssetWatch(list, { read: async () => settings });
  await watch.refresh();
  await idle;
  expect(seen).toEqual(
    expect.arrayContaining([
      ["new", { stage: "ready", progress: 1 }],
      ["slow", { stage: "working", progress: 0.4 }],
      ["slow", { stage: "failed", reason: "no sound" }],
      ["bad", { stage: "failed", reason: expect.stringMatching(/^\[hidden/) }],
      ["odd", { stage: "working" }],
      ["odd", { stage: "ready", progress: 1 }],
      ["other", "unexpected-answer"],
      ["refused", "unauthorized"],
    ]),
  );
  expect(list.get("new")).toMatchObject({
    state: "done",
    asset: { id: "new", playbackUrl: ready.playbackUrl },
  });
  expect(list.get("refused")?.state).toBe("done");
  expect(JSON.stringify([list.all(), told])).not.toContain(service.token);
  expect(told.at(-1)).toMatchObject({ isAtWork: false, ended: { ready: 2, failed: 2 } });

  // What is finished is asked no more; what was given up is, once the account has changed.
  const asked = async () => (await service.requests("GET")).length;
  const before = await asked();
  await watch.refresh();
  expect(told.at(-1)).toMatchObject({ isAtWork: false });
  expect(await asked()).toBe(before);
  await service.set({ answerStatus: answers("refused", { body: ready }) as never });
  await watch.refresh(true);
  await expect.poll(() => list.get("refused")?.processing?.stage).toBe("ready");
});

test("nothing is asked of another account's videos, without a path, or after a day", async () => {
  const list = listOf("a");
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

/** One job of the fleet, with a real Redis: what is noted of assets when its worker ends between two steps. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { stateOf } from "../../core/examples/fleet/asset-state.ts";
import { notesOf, type VideoNotes } from "../../core/examples/fleet/notes.ts";
import type { Outcome } from "../../core/examples/fleet/settings.ts";
import { uploadVideo } from "../../core/examples/fleet/upload-video.ts";
import { redisJournal } from "../../core/journals/redis.ts";
import { createClient, type Journal } from "../../core/mod.ts";
import { startRedis } from "../redis/server.ts";
import { openIoredis } from "../runtimes/redis-clients.ts";
import { useService } from "../service/use-service.ts";
import { useOpened } from "../support/use-opened.ts";
import { serveVideos } from "./videos.ts";

const service = useService({ assetCall: true });
const [redis, videos] = [useOpened(() => startRedis()), useOpened(serveVideos)];
let connection: ReturnType<typeof openIoredis>;
let journal: Journal;
let notes: VideoNotes;
beforeAll(() => {
  connection = openIoredis(redis.port);
});
beforeEach(() => {
  const own = crypto.randomUUID();
  journal = redisJournal(connection, { prefix: `${own}:` });
  notes = notesOf(connection as never, own);
});
afterAll(() => connection?.disconnect());

/** Uploads the video of a job; what it gives never comes to the queue. */
async function run(use: Journal = journal, own: VideoNotes = notes): Promise<Outcome> {
  const data = { address: videos.address(2), line: 1 };
  const job = { data, updateProgress: async () => {}, moveToDelayed: async () => {} };
  const client = createClient({ baseUrl: service.baseUrl, token: service.token });
  const stopping = new AbortController().signal;
  const task = { client, journal: use, notes: own, queue: {}, job, token: "", signal: undefined, stopping };
  return await uploadVideo(task as never);
}

/** The process ends where this is awaited. */
const ended = () => Promise.reject(new Error("killed"));

test("a worker that ended between the last byte and the queue's notice leaves its asset, and no doubt", async () => {
  const first = await run();
  expect(first).toMatchObject({ resumed: false });
  expect(await run()).toEqual({ ...first, resumed: true });
  expect(await notes.doubts(first.assetId)).toEqual([]);
  expect(await service.assets()).toHaveLength(1);
});

test("a worker that ended between the last byte and the journal's note leaves its asset, and no doubt", async () => {
  const set: Journal["set"] = (key, entry) => (key.endsWith(".done") ? ended() : journal.set(key, entry));
  const first = await run({ ...journal, set });
  expect(await run()).toEqual({ ...first, resumed: true });
  expect(await service.assets()).toHaveLength(1);
});

test("a worker that ended before the answer was stored names that asset, and not the one of record", async () => {
  const ask: VideoNotes["ask"] = async () => {
    const asked = await notes.ask();
    const made = async (asset: string) => {
      await asked.made(asset);
      await ended();
    };
    return { ...asked, made };
  };
  await run(journal, { ...notes, ask }).catch(() => {});
  const [orphan] = await service.assets();
  const second = await run();
  expect(second.doubtful).toEqual([orphan?.asset.id]);
  expect(second.assetId).not.toBe(orphan?.asset.id);
  // As the report tells of both.
  const paths = { asset: "/api/asset/{id}" };
  const client = createClient({ baseUrl: service.baseUrl, token: service.token, paths });
  await service.whole(second.assetId);
  const words = 'not whole, phase "uploading"';
  expect(await stateOf(client, orphan?.asset.id ?? "")).toEqual({ isWhole: false, words });
  expect(await stateOf(client, second.assetId)).toMatchObject({ isWhole: true });
  const failed = {
    getAsset: async () => ({ asset: { id: "a", status: { phase: "failed" } }, mismatches: [] }),
  };
  const state = { isWhole: true, hasFailed: true, words: 'whole, phase "failed"' };
  expect(await stateOf(failed as unknown as typeof client, "a")).toEqual(state);
  expect(await stateOf(client, "nobody")).toEqual({ isWhole: false, words: "the service doesn't know it" });
  // Until there is an outcome, the last one that was made is still to become it.
  expect(await notes.doubts()).toEqual([orphan?.asset.id]);
});

test("an answer that was lost is told as one that may exist", async () => {
  await service.set({ dropAnswer: [{ host: "api", method: "POST", times: 1 }] });
  await expect(run()).rejects.toThrow("asset-unknown");
  expect(await run()).toMatchObject({ doubtful: ["unknown"] });
});

test("an answer that refuses leaves no doubt", async () => {
  await service.set({ answerStatus: [{ host: "api", method: "POST", status: 403, times: 1 }] });
  await expect(run()).rejects.toThrow("forbidden");
  expect(await notes.doubts()).toEqual([]);
});

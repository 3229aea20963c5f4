/** The list of uploads: what pages are told of a job, and what is left of one that is done. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openJobList } from "../../../entrypoints/offscreen/job-list.ts";
import type { StoredSource } from "../../../entrypoints/shared/job.ts";
import type { OffscreenEvent } from "../../../entrypoints/shared/messages.ts";
import { makeJob } from "../../support/extension/pages/jobs.ts";

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("chrome", { runtime: { sendMessage: async () => null } });
});
afterEach(() => void vi.useRealTimers());

const address = "https://cdn.example/video.mp4?signature=one";
const page = "https://news.example/today";
const journal = { key: "key", entry: { version: 1, uploads: {} } } as const;
const host = "cdn.example";
const source: StoredSource = {
  kind: "url",
  name: "video.mp4",
  type: "video/mp4",
  lastModified: 0,
  host,
  hasPage: true,
  url: address,
  page,
};
/** The states of the jobs that pages were told of together. */
const told = (events: OffscreenEvent[]) =>
  events.flatMap((event) => (event.type === "changed" ? [event.jobs.map(({ state }) => state)] : []));
const asset = { id: "asset-1" };
const outcome = { resent: 0, duration: 1, resumed: false };

test("pages are told no address, and none is left once the upload is done, nor what it was resumed by", async () => {
  const events: OffscreenEvent[] = [];
  const list = await openJobList((event) => void events.push(event));
  const { id, ...job } = makeJob("uploading", { asset });
  await list.add([{ ...job, id, source, journal }]);
  expect(list.get(id)).toMatchObject({ source: { url: address }, journal });
  await list.apply(id, { type: "finished", endedAt: 1, size: 5, asset, outcome });
  expect(list.get(id)?.state).toBe("done");
  expect(JSON.stringify(list.get(id))).not.toMatch(/cdn\.example\/|news\.example/);
  expect(list.get(id)).not.toHaveProperty("journal");
  vi.advanceTimersByTime(200);
  expect(told(events)).toEqual([["uploading"], ["done"]]);
  expect(JSON.stringify(events)).not.toMatch(/cdn\.example\/|news\.example/);
});

test("pages are told at once, and of uploads that go as they should five times a second", async () => {
  const events: OffscreenEvent[] = [];
  const list = await openJobList((event) => void events.push(event));
  const jobs = [makeJob("draft"), makeJob("uploading", { asset }), makeJob("uploading", { asset })];
  const [draft = "", second = "", third = ""] = jobs.map(({ id }) => id);
  await list.add(jobs);
  const progressed = { type: "progressed", progress: { sent: 1, acknowledged: 0, speed: 1 } } as const;
  await list.apply(second, progressed);
  vi.advanceTimersByTime(100);
  await list.apply(third, { type: "finished", endedAt: 1, size: 5, asset, outcome });
  vi.advanceTimersByTime(99);
  const before = [["draft", "uploading", "uploading"]];
  expect(told(events)).toEqual(before);
  vi.advanceTimersByTime(1);
  expect(told(events)).toEqual([...before, ["uploading", "done"]]);
  await list.apply(second, progressed);
  await list.apply(draft, { type: "started" });
  expect(told(events).slice(2)).toEqual([["uploading", "queued"]]);
  vi.advanceTimersByTime(1000);
  await list.apply(second, progressed);
  expect(told(events).slice(3)).toEqual([["uploading"]]);
});

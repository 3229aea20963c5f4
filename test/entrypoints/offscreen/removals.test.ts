import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { OpenJob } from "../../../entrypoints/offscreen/job-source.ts";
import { createRemovals } from "../../../entrypoints/offscreen/removals.ts";
import { makeJob } from "../../support/extension/pages/jobs.ts";

beforeEach(() => {
  vi.useFakeTimers();
  // The background is told which locations to forget.
  vi.stubGlobal("chrome", { runtime: { sendMessage: async () => null } });
});
afterEach(() => void vi.useRealTimers());

/** A list of jobs, of which some are removed. */
function makeList(...ids: string[]) {
  const jobs = new Map<string, OpenJob>(ids.map((id) => [id, makeJob("failed", { id })]));
  const told: [string[], number | undefined][] = [];
  const stopped: string[] = [];
  const list = {
    get: (id: string) => jobs.get(id),
    add: async (added: OpenJob[]) => {
      for (const job of added) jobs.set(job.id, job);
    },
    remove: async (removed: string[], undoable?: number) => {
      for (const id of removed) jobs.delete(id);
      told.push([removed, undoable]);
    },
  };
  const uploads = { stop: async (id: string) => void stopped.push(id), startQueued: async () => {} };
  return { jobs, told, stopped, removals: createRemovals(list, uploads) };
}

test("what was removed is put back as it was", async () => {
  const { jobs, told, stopped, removals } = makeList("a", "b");
  const before = jobs.get("a");
  await removals.remove(["a", "unknown"]);
  expect([...jobs.keys()]).toEqual(["b"]);
  expect(told).toEqual([[["a"], 1]]);
  expect(stopped).toEqual(["a"]);
  await removals.undo();
  expect(jobs.get("a")).toBe(before);
});

test("removals in a row are taken back together", async () => {
  const { jobs, told, removals } = makeList("a", "b", "c");
  await removals.remove(["a"]);
  vi.advanceTimersByTime(4000);
  await removals.remove(["b"]);
  expect(told).toEqual([
    [["a"], 1],
    [["b"], 2],
  ]);
  vi.advanceTimersByTime(4000);
  await removals.undo();
  expect([...jobs.keys()].sort()).toEqual(["a", "b", "c"]);
});

test("after some seconds it is gone, and so is what is forgotten at once", async () => {
  const { jobs, removals } = makeList("a", "b");
  await removals.remove(["a"]);
  vi.advanceTimersByTime(6000);
  await removals.undo();
  await removals.remove(["b"]);
  removals.forget();
  await removals.undo();
  expect([...jobs.keys()]).toEqual([]);
});

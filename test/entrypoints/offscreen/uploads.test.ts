import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { OpenJob } from "../../../entrypoints/offscreen/job-source.ts";
import { createUploadQueue } from "../../../entrypoints/offscreen/uploads.ts";
import { makeJob } from "../../support/extension/pages/jobs.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A queue whose jobs run until the test ends them. */
function makeQueue(limit: number) {
  const jobs: OpenJob[] = [];
  const runs = new Map<string, { end(): void; stopper: AbortController }>();
  const queue = createUploadQueue({
    jobs: () => jobs,
    limit: async () => limit,
    run: (id, stopper) =>
      new Promise<void>((resolve) => {
        const end = () => {
          runs.delete(id);
          for (const job of jobs) if (job.id === id) job.state = "done";
          resolve();
        };
        stopper.signal.addEventListener("abort", end);
        runs.set(id, { end, stopper });
      }),
  });
  const add = (id: string, state: OpenJob["state"] = "queued") => jobs.push(makeJob(state, { id }));
  return { queue, jobs, add, runs, running: () => [...runs.keys()] };
}

test("startQueued() runs as many jobs as are wanted, and the next one when one has ended", async () => {
  const { queue, add, runs, running } = makeQueue(2);
  for (const id of ["one", "two", "three"]) add(id);
  add("draft", "draft");
  await queue.startQueued();
  expect(running()).toEqual(["one", "two"]);
  await queue.startQueued();
  expect(running()).toEqual(["one", "two"]);
  runs.get("one")?.end();
  await vi.advanceTimersByTimeAsync(0);
  expect(running()).toEqual(["two", "three"]);
  expect([queue.isRunning("one"), queue.isRunning("two")]).toEqual([false, true]);
});

test("a job in its grace starts when that is over, and keeps no other one waiting until then", async () => {
  const { queue, jobs, add, running } = makeQueue(2);
  const now = Date.now();
  for (const [id, startsAt] of [
    ["soon", now + 300],
    ["later", now + 400],
    ["past", now - 1000],
  ] as const)
    jobs.push(makeJob("queued", { id, startsAt }));
  add("free");
  await queue.startQueued();
  expect(running().toSorted()).toEqual(["free", "past"]);
  for (const id of ["free", "past"]) await queue.stop(id);
  await vi.advanceTimersByTimeAsync(299);
  expect(running()).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(running()).toEqual(["soon"]);
  await vi.advanceTimersByTimeAsync(100);
  expect(running()).toEqual(["soon", "later"]);
});

test("a job whose grace would be longer than any starts: the clock was set back", async () => {
  const { queue, jobs, running } = makeQueue(1);
  jobs.push(makeJob("queued", { id: "one", startsAt: Date.now() + 3_600_000 }));
  await queue.startQueued();
  expect(running()).toEqual(["one"]);
});

test("stop() aborts a job and resolves when it has ended, also one that doesn't run", async () => {
  const { queue, add, runs, running } = makeQueue(1);
  add("one");
  await queue.startQueued();
  const signal = runs.get("one")?.stopper.signal;
  await queue.stop("one");
  expect(signal?.aborted).toBe(true);
  expect(running()).toEqual([]);
  await queue.stop("unknown");
});

test.each([
  ["ends and leaves it queued", async () => {}],
  ["fails", () => Promise.reject(new Error("nobody foresaw"))],
])("a job whose run %s is begun again after a pause, and keeps no other one waiting", async (_, run) => {
  const begun: string[] = [];
  const jobs = ["bad", "good"].map((id) => makeJob("queued", { id }));
  const queue = createUploadQueue({
    jobs: () => jobs,
    limit: async () => 1,
    run: async (id) => {
      begun.push(id);
      if (id === "bad") return await run();
      for (const job of jobs) if (job.id === id) job.state = "done";
    },
  });
  for (let call = 0; call < 10; call++) await queue.startQueued();
  await vi.advanceTimersByTimeAsync(4_999);
  expect(begun.toSorted()).toEqual(["bad", "good"]);
  await vi.advanceTimersByTimeAsync(1);
  expect(begun).toHaveLength(3);
});

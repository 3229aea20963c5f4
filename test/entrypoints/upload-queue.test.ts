import { expect, test } from "vitest";
import type { OpenJob } from "../../entrypoints/offscreen/job-source.ts";
import { createUploadQueue } from "../../entrypoints/offscreen/upload-queue.ts";
import { makeJob } from "./pages/jobs.ts";

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
  return { queue, add, runs, running: () => [...runs.keys()] };
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
  await expect.poll(running).toEqual(["two", "three"]);
  expect([queue.isRunning("one"), queue.isRunning("two")]).toEqual([false, true]);
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

import fc from "fast-check";
import { expect, test } from "vitest";
import { STATES } from "../../entrypoints/shared/job.ts";
import { byPlace, byTurn } from "../../entrypoints/shared/list-order.ts";
import { makeJob } from "./pages/jobs.ts";

test("what runs is first, then what needs the person, the queue, drafts, and what has ended", () => {
  const states = [
    "cancelled",
    "draft",
    "queued",
    "done",
    "failed",
    "uploading",
    "paused",
    "waiting",
  ] as const;
  const jobs = states.map((state, createdAt) => makeJob(state, { createdAt }));
  expect(jobs.sort(byPlace).map(({ state }) => state)).toEqual([
    "waiting",
    "uploading",
    "paused",
    "failed",
    "queued",
    "draft",
    "done",
    "cancelled",
  ]);
});

test("the queue is shown in the order in which it is uploaded, and others newest first", () => {
  const created = [2999.999, 2999.998, 1999.999, 1999.998];
  const queue = created.map((createdAt) => makeJob("queued", { createdAt }));
  // Batches take their turn as they came, and each in its own order.
  expect(queue.toSorted(byPlace)).toEqual(queue.toSorted(byTurn));
  expect(queue.toSorted(byPlace).map(({ createdAt }) => createdAt)).toEqual([
    1999.999, 1999.998, 2999.999, 2999.998,
  ]);
  const done = created.map((createdAt) => makeJob("done", { createdAt }));
  expect(done.toReversed().sort(byPlace)).toEqual(done);
});

test("what was moved up is uploaded first, the latest of it before the others", () => {
  const [first, second, third] = [1, 2, 3].map((createdAt) => makeJob("queued", { createdAt }));
  const queue = [first, { ...second, movedUpAt: 10 }, { ...third, movedUpAt: 20 }] as ReturnType<
    typeof makeJob
  >[];
  expect(queue.sort(byTurn).map(({ createdAt }) => createdAt)).toEqual([3, 2, 1]);
});

test("any two uploads have one order", () => {
  const job = fc
    .record({
      state: fc.constantFrom(...STATES),
      createdAt: fc.integer({ min: 0, max: 3 }),
      movedUpAt: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
    })
    .map(({ state, createdAt, movedUpAt }) => ({
      state,
      createdAt,
      ...(movedUpAt !== undefined && { movedUpAt }),
    }));
  fc.assert(
    fc.property(job, job, job, (a, b, c) => {
      expect(Math.sign(byPlace(a, b)) + Math.sign(byPlace(b, a))).toBe(0);
      if (byPlace(a, b) <= 0 && byPlace(b, c) <= 0) expect(byPlace(a, c)).toBeLessThanOrEqual(0);
    }),
  );
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { STATES } from "../../../entrypoints/shared/job.ts";
import { byPlace, byTurn } from "../../../entrypoints/shared/list-order.ts";
import { makeJob } from "../../support/extension/pages/jobs.ts";

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
  const created = [
    { createdAt: 3000, place: 0 },
    { createdAt: 3000, place: 1 },
    { createdAt: 2000, place: 0 },
    { createdAt: 2000, place: 1 },
  ];
  const queue = created.map((each) => makeJob("queued", each));
  // Batches take their turn as they came, and each in its own order.
  expect(queue.toSorted(byPlace)).toEqual(queue.toSorted(byTurn));
  const order = queue.toSorted(byPlace).map(({ createdAt, place }) => ({ createdAt, place }));
  expect(order).toEqual([...created.slice(2), ...created.slice(0, 2)]);
  const done = created.map((each) => makeJob("done", each));
  expect(done.toReversed().sort(byPlace)).toEqual(done);
});

test("what was done last is shown before what was added after it", () => {
  const done = [3, 1, 2, undefined].map((endedAt) =>
    makeJob("done", endedAt === undefined ? {} : { endedAt }),
  );
  expect(done.sort(byPlace).map(({ endedAt }) => endedAt)).toEqual([3, 2, 1, undefined]);
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
      place: fc.integer({ min: 0, max: 3 }),
      movedUpAt: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
    })
    .map(({ state, createdAt, place, movedUpAt }) => ({
      state,
      createdAt,
      place,
      ...(movedUpAt !== undefined && { movedUpAt }),
    }));
  fc.assert(
    fc.property(job, job, job, (a, b, c) => {
      expect(Math.sign(byPlace(a, b)) + Math.sign(byPlace(b, a))).toBe(0);
      if (byPlace(a, b) <= 0 && byPlace(b, c) <= 0) expect(byPlace(a, c)).toBeLessThanOrEqual(0);
    }),
  );
});

test("one of a batch that was moved up comes before what was not, and an unknown state comes last", () => {
  const [moved, other] = [makeJob("queued", { movedUpAt: 1 }), makeJob("queued", { createdAt: 9 })];
  expect(byTurn(moved, other)).toBeLessThan(0);
  const later = { ...makeJob("cancelled"), state: "later" as never };
  expect(byPlace(makeJob("cancelled"), later)).toBeLessThan(0);
  const [first, second] = [
    makeJob("done", { place: 0 }),
    makeJob("done", { place: 1, createdAt: makeJob("done").createdAt }),
  ];
  expect(Math.sign(byPlace(first, { ...second, createdAt: first.createdAt }))).toBe(-1);
});

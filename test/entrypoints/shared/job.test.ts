import { expect, test } from "vitest";
import {
  graceLeft,
  hasFailed,
  isAskedAbout,
  isEnded,
  isProcessed,
  knownSize,
  lacksFields,
  publicSource,
  withEnd,
  withoutSecrets,
} from "../../../entrypoints/shared/job.ts";
import { makeJob } from "../../support/extension/pages/jobs.ts";

test("ends are counted, and named by the last one that failed", () => {
  const job = (id: string) => makeJob("done", { id, fields: { ...makeJob("done").fields, name: id } });
  const one = withEnd(undefined, job("a"), true);
  expect(one).toEqual({ done: 1, failed: 0, last: { jobId: "a", name: "a" } });
  const failed = withEnd(withEnd(one, job("b"), true), job("c"), false);
  expect(failed).toEqual({ done: 2, failed: 1, last: { jobId: "c", name: "c" } });
  expect(withEnd(failed, job("d"), true)).toEqual({ ...failed, done: 3 });
  expect(withEnd(undefined, job("a"), false)).toMatchObject({ done: 0, failed: 1 });
});

test("the grace of a queued job ends when it starts, and is never longer than at first", () => {
  const left = (startsAt: number | undefined, state: "queued" | "draft" = "queued") =>
    graceLeft(makeJob(state, { ...(startsAt !== undefined && { startsAt }) }), 10_000);
  expect([left(10_001), left(15_000), left(15_001), left(10_000), left(undefined)]).toEqual([
    1, 5000, 0, 0, 0,
  ]);
  expect(left(12_000, "draft")).toBe(0);
});

test("states and stages say what can still come of a job", () => {
  const states = ["failed", "asset-unknown", "done", "cancelled", "paused"] as const;
  expect(states.map((state) => hasFailed({ state }))).toEqual([true, true, false, false, false]);
  expect(states.map((state) => isEnded(makeJob(state)))).toEqual([false, false, true, true, false]);
  const stages = ["working", "ready", "failed", "differs"] as const;
  const processed = stages.map((stage) => isProcessed({ processing: { since: 0, stage } }));
  expect([...processed, isProcessed({})]).toEqual([false, true, true, true, false]);
  expect([knownSize({ size: 5, estimated: 7 }), knownSize({ estimated: 7 })]).toEqual([5, 7]);
});

test("pages are told of a source what they show, and nothing that is secret", () => {
  const source = { ...makeJob("done").source, host: "a.example", size: 5 };
  const stored = { ...source, url: "https://a.example/?token=1", page: "https://b.example", quality: "best" };
  expect(publicSource(stored)).toEqual(source);
  const job = { ...makeJob("done"), source: stored, journal: { key: "a" }, sentContent: {} } as never;
  expect(withoutSecrets(job)).toEqual({
    ...makeJob("done"),
    id: expect.anything(),
    createdAt: expect.anything(),
    source,
  });
});

test("a question or a field that was left out keeps a job from starting", () => {
  const asked = [
    { uploadedBefore: 1 },
    { duplicateOf: "a" },
    { otherLength: { playedSeconds: 1, foundSeconds: 2 } },
    {},
  ];
  expect(asked.map((each) => isAskedAbout(makeJob("draft", each)))).toEqual([true, true, true, false]);
  const asset = { id: "asset-1" };
  const lacking = [{ fieldsLeftOut: ["name"] }, { fieldsLeftOut: ["name"], asset }, {}];
  expect(lacking.map(lacksFields)).toEqual([true, false, false]);
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type JobEvent, reduce } from "../../../entrypoints/offscreen/job-reducer.ts";
import { summarise } from "../../../entrypoints/offscreen/list-summary.ts";
import { isEnded, isUnfinished, type Job, STATES } from "../../../entrypoints/shared/job.ts";
import { failure, makeJob } from "../../support/extension/pages/jobs.ts";

const asset = { id: "asset-1" };
const file = { kind: "file" as const, name: "video.mp4", size: 100, type: "video/mp4", lastModified: 1 };
const other = { ...file, name: "other.mp4", size: 7 };
const draft = makeJob("draft", { id: "job", createdAt: 1, source: file });
const { fields } = draft;

/** An event of every kind, in every variant that the reducer tells apart. */
const EVENTS: readonly JobEvent[] = [
  { type: "edited", fields },
  { type: "started" },
  { type: "requesting", address: "https://video.example" },
  { type: "progressed", progress: { sent: 50, acknowledged: 20, speed: 5 } },
  { type: "progressed", progress: { sent: 60, acknowledged: 20, speed: 5 }, asset },
  { type: "fetched", fetched: 70, estimated: 90 },
  { type: "lacking", seconds: 2 },
  { type: "waiting", waiting: { reason: "connection", until: 5, attempt: 1 } },
  { type: "waiting", waiting: { reason: "offline", until: undefined, attempt: 1 } },
  { type: "paused" },
  { type: "continued" },
  {
    type: "finished",
    endedAt: 1,
    size: 100,
    asset,
    outcome: { resent: 0, duration: 9, resumed: false },
  },
  { type: "failed", error: failure("interrupted") },
  { type: "failed", error: failure("asset-unknown") },
  { type: "failed", error: failure("source-changed") },
  { type: "failed", error: failure("unauthorized") },
  { type: "ending" },
  { type: "cancelled", endedAtService: true },
  { type: "cancelled", endedAtService: false },
  { type: "cancelled", endedAtService: false, asset },
  { type: "length-differs", lengths: { playedSeconds: 600, foundSeconds: 15 } },
  { type: "file-lost" },
  { type: "file-given", source: file },
  { type: "file-given", source: other },
  { type: "file-refused", refused: other },
  { type: "redrafted" },
  { type: "scheduled", startsAt: 5 },
  { type: "account-changed", faults: ["token"] },
  ...(["a", "b"] as const).flatMap((id): JobEvent[] => [
    { type: "account-set", account: { id, name: "video.example", ending: id } },
    { type: "account-used", account: { id, name: "video.example", ending: id } },
    { type: "permission-needed", needs: { permission: "account", id } },
  ]),
  { type: "account-kept" },
  { type: "permission-needed", needs: { permission: "file" } },
  { type: "permission-needed", needs: { permission: "host", origin: "https://upload.example" } },
  { type: "permission-given" },
  { type: "pictured", thumbnail: "data:image/png;base64," },
  { type: "moved-up", at: 5 },
  { type: "duplicate-over", uploadedAt: 5 },
];
/** What a person can cause by a click or by choosing a file, and what core says by itself. */
const BY_PERSON = EVENTS.filter(({ type }) =>
  ["started", "continued", "file-given", "permission-given", "redrafted"].includes(type),
);
const BY_CORE = EVENTS.filter(({ type }) =>
  ["requesting", "progressed", "waiting", "finished", "failed"].includes(type),
);
const ENDING: readonly JobEvent["type"][] = ["ending", "cancelled", "finished"];
/** Endings are rarer, or few histories would be long. */
const histories = fc.array(
  fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom(...EVENTS.filter(({ type }) => !ENDING.includes(type))) },
    { weight: 1, arbitrary: fc.constantFrom(...EVENTS.filter(({ type }) => ENDING.includes(type))) },
  ),
  { maxLength: 30 },
);
const replay = (events: readonly JobEvent[], job = draft) => events.reduce(reduce, job);
const RUNS = { numRuns: process.env.UPCUT_FILES === "all" ? 5000 : 1000 };

/** Whether some of these events lead from a job to a state, in a few steps. */
function leads(job: Job, events: readonly JobEvent[], to: (job: Job) => boolean): boolean {
  let front = [job];
  for (let depth = 0; depth < 4; depth++) {
    if (front.some(to)) return true;
    front = front.flatMap((each) => events.map((event) => reduce(each, event)));
    front = [...new Map(front.map((each) => [`${each.state} ${each.asset?.id}`, each])).values()];
  }
  return front.some(to);
}

/** Every job that can come of a draft, as far as the reducer tells jobs apart. */
function reachable(): Job[] {
  const kindOf = ({
    state,
    startsAt,
    retryOffered,
    asset,
    waiting,
    error,
    needs,
    refused,
    unstarted,
    ending,
  }: Job) =>
    JSON.stringify([
      [state, startsAt, retryOffered, unstarted, ending, asset?.id, waiting?.reason],
      [error?.code, needs, refused?.name],
    ]);
  const found = new Map([[kindOf(draft), draft]]);
  // The map grows while it is walked through.
  for (const job of found.values()) {
    for (const event of EVENTS) {
      const next = reduce(job, event);
      if (!found.has(kindOf(next))) found.set(kindOf(next), next);
    }
  }
  return [...found.values()];
}

function hasWayOn(job: Job): boolean {
  if (isEnded(job)) return true;
  // Whoever cancels it ends it.
  if (job.ending) return reduce(job, { type: "cancelled", endedAtService: false }).state === "cancelled";
  if (isUnfinished(job)) return leads(job, BY_CORE, ({ state }) => state === "done");
  return leads(job, BY_PERSON, ({ state }) => state === "queued");
}

test("every job that can be reached has a way on, and every state can be reached", () => {
  const jobs = reachable();
  expect(jobs.filter((job) => !hasWayOn(job))).toEqual([]);
  expect([...new Set(jobs.map(({ state }) => state))].sort()).toEqual([...STATES].sort());
});

describe("after any sequence of events", () => {
  test("a job that has not ended can be cancelled, and one that has stays as it is", () => {
    fc.assert(
      fc.property(histories, histories, (events, more) => {
        const job = replay(events);
        expect(reduce(job, { type: "cancelled", endedAtService: false }).state).toBe(
          job.state === "done" ? "done" : "cancelled",
        );
        if (isEnded(job)) expect(replay(more, job).state).toBe(job.state);
      }),
      RUNS,
    );
  });

  test("a job that is being cancelled isn't continued, and stays as it is but for its end", () => {
    fc.assert(
      fc.property(histories, histories, (events, more) => {
        const job = reduce(replay(events), { type: "ending" });
        const later = replay(more, job);
        if (isEnded(job)) expect(job.ending).toBeUndefined();
        else expect([job.state, "done", "cancelled"]).toContain(later.state);
        expect(isUnfinished(later)).toBe(false);
      }),
      RUNS,
    );
  });

  test("a job says only what its state means", () => {
    fc.assert(
      fc.property(histories, (events) => {
        const job = replay(events);
        expect(job.waiting !== undefined, `waiting while ${job.state}`).toBe(job.state === "waiting");
        expect(job.needs !== undefined, `needs while ${job.state}`).toBe(job.state === "needs-permission");
        expect(job.error !== undefined, `error while ${job.state}`).toBe(
          job.state === "failed" || job.state === "asset-unknown",
        );
        if (job.ending) expect(isEnded(job) || isUnfinished(job)).toBe(false);
        if (job.startsAt !== undefined) expect(job.state).toBe("queued");
        if (job.retryOffered) expect(job.state).toBe("failed");
        if (job.unstarted) expect(job.state).toMatch(/^needs-(file|permission)$/);
        if (job.refused !== undefined)
          expect(["needs-file", "needs-permission", "failed"]).toContain(job.state);
        if (job.state === "done")
          expect(job).toMatchObject({ asset, progress: { acknowledged: job.source.size } });
      }),
      RUNS,
    );
  });

  test("nothing but its start begins what the person is asked about", () => {
    const others = histories.map((events) => events.filter(({ type }) => type !== "started"));
    fc.assert(
      fc.property(others, (events) => {
        const job = replay(events, { ...draft, uploadedBefore: 5 });
        expect(["draft", "needs-file", "needs-permission", "cancelled"]).toContain(job.state);
      }),
      RUNS,
    );
  });

  test("an asset that is known stays known, and no event changes a job in place", () => {
    fc.assert(
      fc.property(histories, (events) => {
        let job = draft;
        for (const event of events) {
          const before = structuredClone(job);
          const next = reduce(job, event);
          expect(job).toEqual(before);
          if (job.asset !== undefined) expect(next.asset).toEqual(job.asset);
          job = next;
        }
      }),
      RUNS,
    );
  });

  test("the totals of the list add up", () => {
    fc.assert(
      fc.property(fc.array(histories, { maxLength: 8 }), (lists) => {
        const jobs = lists.map((events) => replay(events));
        const { unfinished, running, unended, waiting, fraction } = summarise(jobs);
        expect(unended + jobs.filter(isEnded).length).toBe(jobs.length);
        expect(unfinished + waiting).toBeLessThanOrEqual(unended);
        expect(running).toBeLessThanOrEqual(unfinished);
        expect(fraction).toBeGreaterThanOrEqual(0);
        expect(fraction).toBeLessThan(1);
      }),
      { numRuns: 1000 },
    );
  });
});

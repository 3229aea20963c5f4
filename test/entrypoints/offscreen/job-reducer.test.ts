import { describe, expect, test } from "vitest";
import type { ErrorRecord } from "../../../core/mod.ts";
import { type JobEvent, reduce } from "../../../entrypoints/offscreen/job-reducer.ts";
import { summarise } from "../../../entrypoints/offscreen/list-summary.ts";
import { FAULT } from "../../../entrypoints/shared/fault.ts";
import { graceLeft, type Job, type JobState } from "../../../entrypoints/shared/job.ts";
import { isOffered } from "../../../entrypoints/shared/next-steps.ts";
import { failure, makeJob } from "../../support/extension/pages/jobs.ts";

const error = failure("interrupted", { retryable: true });
const asset = { id: "asset-1" };
const source = { ...makeJob("draft").source, name: "video.mp4", size: 100 };
const job = (state: JobState, more: Partial<Job> = {}): Job =>
  makeJob(state, { id: "job", createdAt: 1, source, ...more });
const progressed: JobEvent = {
  type: "progressed",
  progress: { sent: 50, acknowledged: 20, speed: 5 },
  asset,
};

test("what is fetched and estimated of a video in pieces stays until it is whole", () => {
  const { size: _, ...source } = job("queued").source;
  const fetched = reduce(job("queued", { source }), { type: "fetched", fetched: 40, estimated: 90 });
  expect(fetched).toMatchObject({ state: "queued", progress: { fetched: 40 }, source: { estimated: 90 } });
  const sending = reduce({ ...fetched, state: "requesting" }, progressed);
  expect(sending).toMatchObject({ progress: { sent: 50, fetched: 40 }, source: { estimated: 90 } });
  expect(summarise([sending]).fraction).toBeCloseTo(50 / 90);
  const outcome = { resent: 0, duration: 9, resumed: false };
  const done = reduce(sending, { type: "finished", endedAt: 1, size: 100, asset, outcome });
  expect(done.source).toEqual({ ...source, size: 100 });
  expect(done.progress).toEqual({ sent: 100, acknowledged: 100, speed: 5 });
  expect(reduce(job("paused"), { type: "fetched", fetched: 1, estimated: 2 }).progress.fetched).toBe(
    undefined,
  );
});

test("the most seconds that its pieces were told to lack stay with a video", () => {
  const once = reduce(job("uploading"), { type: "lacking", seconds: 2 });
  expect(once).toMatchObject({ state: "uploading", source: { lacking: 2 } });
  const again = reduce(once, { type: "lacking", seconds: 1 });
  const outcome = { resent: 0, duration: 9, resumed: false };
  expect(reduce(again, { type: "finished", endedAt: 1, size: 100, asset, outcome }).source.lacking).toBe(2);
});

describe("a job", () => {
  test("goes from draft to done", () => {
    const events: JobEvent[] = [
      { type: "edited", fields: { name: "Video", method: "resumable", staticMp4: true, further: {} } },
      { type: "started" },
      { type: "requesting", address: "https://video.example" },
      progressed,
      { type: "waiting", waiting: { reason: "connection", until: 5, attempt: 1 } },
      progressed,
      {
        type: "finished",
        endedAt: 1,
        size: 100,
        asset,
        outcome: { resent: 0, duration: 9, resumed: false },
      },
    ];
    const states: JobState[] = [];
    let now = job("draft");
    for (const event of events) {
      now = reduce(now, event);
      states.push(now.state);
    }
    expect(states).toEqual(["draft", "queued", "requesting", "uploading", "waiting", "uploading", "done"]);
    expect(now).toMatchObject({
      address: "https://video.example",
      progress: { sent: 100 },
      fields: { name: "Video" },
    });
    expect(now.waiting).toBeUndefined();
  });

  test("that doubles a running one is asked about until that one ends, and further on if it is done", () => {
    const draft = job("draft", { duplicateOf: "first" });
    expect(reduce(draft, { type: "duplicate-over" })).toEqual(job("draft"));
    const told = reduce(draft, { type: "duplicate-over", uploadedAt: 5 });
    expect(told).toEqual(job("draft", { uploadedBefore: 5 }));
  });

  test("that starts in some seconds is queued with that time, and can be edited or started until then", () => {
    const scheduled = reduce(job("draft"), { type: "scheduled", startsAt: 9000 });
    expect(scheduled).toMatchObject({ state: "queued", startsAt: 9000 });
    expect([8999, 9000, 3000].map((now) => graceLeft(scheduled, now))).toEqual([1, 0, 0]);
    expect(reduce(scheduled, { type: "redrafted" })).toEqual(job("draft"));
    const started = reduce(scheduled, { type: "started" });
    expect(started).toEqual(job("queued"));
    // The job's run has begun, or is about to.
    expect(reduce(started, { type: "redrafted" })).toBe(started);
    expect(reduce(started, { type: "started" })).toBe(started);
  });

  test("that failed for the account is offered to be tried again once the account was changed", () => {
    const failed = (code: ErrorRecord["code"]) => job("failed", { error: { ...error, code } });
    const event: JobEvent = { type: "account-changed", faults: ["token"] };
    const offered = reduce(failed("unauthorized"), event);
    expect(offered.retryOffered).toBe(true);
    expect(reduce(offered, { type: "continued" }).retryOffered).toBeUndefined();
    for (const other of [
      failed("wrong-address"),
      failed("interrupted"),
      job("failed", { error: FAULT }),
      job("paused"),
    ])
      expect(reduce(other, event)).toBe(other);
  });

  const account = (id: string) => ({ id, name: "video.example", ending: `…${id}` });
  const [a, b, c] = [account("aaaa"), account("bbbb"), account("cccc")] as const;
  const setAccount = (one: Job, to: typeof a) => reduce(one, { type: "account-set", account: to });

  test("that is to begin waits for its own account while another one is set, and goes on with that", () => {
    const queued = setAccount(job("queued"), a);
    expect(setAccount(queued, a)).toBe(queued);
    const other = setAccount(queued, b);
    expect(other).toMatchObject({ state: "needs-permission", needs: { permission: "account", id: "bbbb" } });
    expect(setAccount(other, a)).toEqual(queued);
    expect(reduce(other, { type: "account-used", account: b })).toEqual({ ...queued, account: b });
  });

  test("is asked about once for each other account", () => {
    const asked = setAccount(job("paused", { account: a }), b);
    expect(asked).toMatchObject({ state: "paused", otherAccount: { id: "bbbb", isKept: false } });
    const kept = reduce(asked, { type: "account-kept" });
    expect(setAccount(kept, b)).toBe(kept);
    expect(kept.otherAccount?.isKept).toBe(true);
    expect(setAccount(kept, c).otherAccount).toEqual({ id: "cccc", isKept: false });
    expect(reduce(kept, { type: "account-used", account: c })).toEqual(job("paused", { account: c }));
  });

  test.each(["draft", "paused", "needs-file", "failed", "waiting"] as const)(
    "keeps its state while another account is set: %s",
    (state) => {
      const own = job(state, { account: a, ...(state === "failed" && { error }) });
      const other = setAccount(own, b);
      expect(other.state).toBe(state);
      expect(setAccount(other, a)).toEqual(own);
    },
  );

  test("that has begun, or has ended, belongs to its account and waits for none", () => {
    for (const state of ["queued", "paused", "uploading", "needs-file"] as const) {
      const begun = job(state, { account: a, asset });
      expect(setAccount(begun, b)).toBe(begun);
    }
    const done = job("done", { account: a });
    expect(setAccount(done, b)).toBe(done);
  });

  test("that has an asset and failed for its token is offered the account that is set then, until the person keeps it", () => {
    const failed = (code: ErrorRecord["code"]) =>
      job("failed", { account: a, asset, error: { ...error, code } });
    const refused = failed("unauthorized");
    const other = setAccount(refused, b);
    expect(other).toEqual({ ...refused, otherAccount: { id: "bbbb", isKept: false } });
    expect(isOffered(other)).toBe(true);
    expect(setAccount(other, a)).toEqual(refused);
    const changed = reduce(other, { type: "account-changed", faults: ["token"] });
    expect(isOffered(reduce(changed, { type: "account-kept" }))).toBe(false);
    const interrupted = failed("interrupted");
    expect(setAccount(interrupted, b)).toBe(interrupted);
  });

  test("that was held for its account is a draft again where it was one", () => {
    const needs = { permission: "account", id: "bbbb" } as const;
    const held = reduce(job("draft", { account: a }), { type: "permission-needed", needs });
    expect(reduce(held, { type: "account-used", account: b })).toEqual(job("draft", { account: b }));
  });

  test("that was paused takes no more progress, and continues from the queue", () => {
    const paused = reduce(reduce(job("uploading"), progressed), { type: "paused" });
    expect(reduce(paused, progressed)).toBe(paused);
    expect(paused).toMatchObject({ state: "paused", progress: { sent: 50 } });
    expect(reduce(paused, { type: "continued" }).state).toBe("queued");
  });

  test("says that an asset may exist when the answer to its request was lost", () => {
    const unknown = reduce(job("requesting"), { type: "failed", error: { ...error, code: "asset-unknown" } });
    expect(unknown.state).toBe("asset-unknown");
    expect(reduce(unknown, { type: "continued" }).state).toBe("queued");
  });

  test("that lost its file continues once that is given, or is a draft again where it had no asset", () => {
    const lost = reduce(job("uploading", { asset }), { type: "file-lost" });
    expect(lost.state).toBe("needs-file");
    const source = { kind: "file" as const, name: "other.mp4", size: 7, type: "video/mp4", lastModified: 2 };
    expect(reduce(lost, { type: "file-given", source }).state).toBe("queued");
    const refused = reduce(lost, { type: "file-refused", refused: source });
    expect(refused).toMatchObject({ state: "needs-file", refused: source });
    expect(reduce(refused, { type: "file-given", source: lost.source }).refused).toBeUndefined();
    expect(reduce(reduce(job("draft"), { type: "file-lost" }), { type: "file-given", source })).toMatchObject(
      {
        state: "draft",
        source,
      },
    );
  });

  test.each([
    ["its file was allowed", { type: "permission-needed", needs: { permission: "file" } }],
    [
      "its host was allowed",
      { type: "permission-needed", needs: { permission: "host", origin: "https://a" } },
    ],
  ] as const)("that is a draft becomes a draft again, and not queued, after %s", (_, needed) => {
    const given = (from: JobState) => reduce(reduce(job(from), needed), { type: "permission-given" });
    expect(given("draft")).toEqual(job("draft"));
    expect(given("paused")).toEqual(job("queued"));
    const again = reduce(reduce(job("draft"), needed), { type: "continued" });
    expect(again).toEqual(job("draft"));
    expect(reduce(given("draft"), { type: "started" })).toEqual(job("queued"));
  });

  test("whose address gives a video of another length becomes a draft that is asked about, unless it has an asset", () => {
    const lengths = { playedSeconds: 600, foundSeconds: 15 };
    const asked = reduce(job("queued"), { type: "length-differs", lengths });
    expect(asked).toEqual(job("draft", { otherLength: lengths }));
    expect(reduce(asked, { type: "started" })).toEqual(job("queued", { otherLength: lengths }));
    for (const begun of [job("uploading", { asset }), job("paused")])
      expect(reduce(begun, { type: "length-differs", lengths })).toBe(begun);
  });

  test.each([
    { uploadedBefore: 5 },
    { duplicateOf: "first" },
    { otherLength: { playedSeconds: 600, foundSeconds: 15 } },
  ])("that the person is asked about is not started by its time: %j", (about) => {
    const draft = job("draft", about);
    expect(reduce(draft, { type: "scheduled", startsAt: 9000 })).toBe(draft);
    expect(reduce(draft, { type: "started" }).state).toBe("queued");
  });

  test("gets its size once its source is read, and counts in percent from then on", () => {
    const { size: _, ...source } = job("uploading").source;
    const unread = reduce(job("uploading", { source }), progressed);
    expect(summarise([unread])).toMatchObject({ fraction: 0 });
    const read = reduce(unread, { ...progressed, size: 200 });
    expect(read.source.size).toBe(200);
    expect(summarise([read])).toMatchObject({ fraction: 0.25 });
  });
});

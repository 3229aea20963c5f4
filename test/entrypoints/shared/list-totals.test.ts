import { describe, expect, test } from "vitest";
import { summarySentence } from "../../../entrypoints/popup/list-header.tsx";
import type { Job } from "../../../entrypoints/shared/job.ts";
import { totalsOf } from "../../../entrypoints/shared/list-totals.ts";
import { failure, fromPage, makeJob } from "../../support/extension/pages/jobs.ts";

const GB = 1e9;
const sized = (size: number) => ({ ...makeJob("draft").source, size });
const at = (sent: number, speed = 0) => ({ sent, acknowledged: sent, speed });
const plain = (jobs: Job[]) => summarySentence(totalsOf(jobs)).replace(/[\u2068\u2069]/g, "");

describe("the head of the list", () => {
  test("counts uploads, their bytes and the time left", () => {
    const jobs = [
      makeJob("uploading", { source: sized(4 * GB), progress: at(GB, 1e6) }),
      makeJob("uploading", { source: sized(GB), progress: at(0, 1e6) }),
      makeJob("queued", { source: sized(2 * GB) }),
      makeJob("done", { source: sized(3 * GB) }),
    ];
    expect(totalsOf(jobs)).toMatchObject({
      all: 4,
      done: 1,
      sent: 4 * GB,
      size: 10 * GB,
      left: 6 * GB,
      speed: 2e6,
      fraction: 0.4,
      running: 2,
      pausable: 3,
    });
    expect(plain(jobs)).toBe("1 of 4 · 4\u00a0of\u00a010\u00a0GB · 50\u00a0min\u00a0left");
  });

  test("leaves sizes out that nobody knows, and then names no time", () => {
    const { size: _, ...unsized } = fromPage;
    const jobs = [
      makeJob("uploading", { source: sized(GB), progress: at(GB / 2, 1e6) }),
      makeJob("uploading", { source: unsized, progress: at(7, 1e6) }),
    ];
    expect(plain(jobs)).toBe("0 of 2 · 0.5\u00a0of\u00a01\u00a0GB · 1 of unknown size");
    expect(totalsOf(jobs.slice(1)).fraction).toBeUndefined();
    expect(totalsOf([...jobs, makeJob("done", { source: unsized })])).toMatchObject({ all: 3, unsized: 1 });
  });

  test("names no time while nothing moves, and none for what waits for the person", () => {
    const paused = makeJob("paused", { source: sized(8 * GB), progress: at(GB) });
    expect(plain([paused, makeJob("queued", { source: sized(GB) })])).toBe(
      "0 of 2 · 1\u00a0of\u00a09\u00a0GB",
    );
    const running = makeJob("uploading", { source: sized(GB), progress: at(0, 1e7) });
    expect(plain([paused, running])).toBe("0 of 2 · 1\u00a0of\u00a09\u00a0GB · 2\u00a0min\u00a0left");
  });

  test("leaves out what ended before all that is open was added, drafts, and what was cancelled", () => {
    const old = Array.from({ length: 20 }, () => makeJob("done"));
    const open = makeJob("queued");
    const jobs = [...old, open, makeJob("done"), makeJob("draft"), makeJob("cancelled")];
    expect(totalsOf(jobs)).toMatchObject({ all: 2, done: 1 });
    expect(totalsOf(old)).toMatchObject({ all: 0, done: 0, running: 0 });
  });

  test("counts a batch whole, from its first upload to its last", () => {
    const batch = (open: number) =>
      Array.from({ length: 300 }, (_, place) =>
        makeJob(place < open ? "done" : "queued", { createdAt: 5000, place }),
      );
    for (const open of [0, 1, 60, 299]) expect(totalsOf(batch(open))).toMatchObject({ all: 300, done: open });
  });

  test("never counts fewer while one batch after the other comes to its end", () => {
    const begun = [1, 1, 3, 5].map((createdAt, place) => makeJob("queued", { createdAt, place }));
    const states: number[][] = [];
    // The first one of a batch ends before the next batch is added.
    for (let now = 1; now <= 6; now++) {
      const jobs = begun.flatMap((job, at) => {
        const endedAt = [2, 3, 4, 6][at] ?? 0;
        if (job.createdAt > now) return [];
        return endedAt <= now ? [{ ...job, state: "done" as const, endedAt }] : [job];
      });
      const { all, done } = totalsOf(jobs);
      states.push([done, all]);
    }
    expect(states).toEqual([
      [0, 2],
      [1, 2],
      [2, 3],
      [0, 0],
      [0, 1],
      [0, 0],
    ]);
  });

  test("is not kept from its end by what failed", () => {
    const error = failure("unreachable");
    const jobs = [
      makeJob("uploading", { source: sized(GB), progress: at(GB) }),
      makeJob("failed", { source: sized(9 * GB), error }),
    ];
    expect(totalsOf(jobs)).toMatchObject({ all: 1, failed: 1, size: GB, fraction: 0.99, retryable: 1 });
    expect(plain(jobs)).toBe("0 of 1 · 1\u00a0of\u00a01\u00a0GB · 1 failed");
  });

  test("offers to try again only what may succeed", () => {
    const jobs = (["unreachable", "not-a-video", "source-changed", "unauthorized"] as const).map((code) =>
      makeJob("failed", { error: failure(code) }),
    );
    expect(totalsOf(jobs).retryable).toBe(2);
  });
});

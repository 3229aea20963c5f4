import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { OpenJob } from "../../../entrypoints/offscreen/job-source.ts";
import { createSummaryReport, summarise } from "../../../entrypoints/offscreen/list-summary.ts";
import { makeJob } from "../../support/extension/pages/jobs.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("summarise() counts jobs by what can be done, and takes the progress that the list tells", () => {
  const jobs = [
    makeJob("uploading", { progress: { sent: 24_100_000, acknowledged: 0, speed: 0 } }),
    makeJob("queued"),
    makeJob("draft"),
    makeJob("failed"),
    makeJob("needs-file"),
    makeJob("done"),
  ];
  const expected = { unfinished: 2, running: 1, unended: 5, waiting: 3, fraction: 0.375 };
  expect(summarise(jobs)).toEqual(expected);
});

test("a list that can't be stored is not taken for idle", () => {
  const sendMessage = vi.fn(async () => null);
  vi.stubGlobal("chrome", { runtime: { sendMessage } });
  createSummaryReport(new Map(), () => true).send();
  expect(sendMessage.mock.calls).toMatchObject([[{ summary: { unended: 1 } }]]);
});

test("the background is told together of uploads that end within a second, by the last one that failed", () => {
  const sendMessage = vi.fn(async () => null);
  vi.stubGlobal("chrome", { runtime: { sendMessage } });
  const { noteState } = createSummaryReport(new Map(), () => false);
  for (const state of ["failed", "done", "uploading"] as const) noteState(makeJob(state, { id: state }));
  vi.advanceTimersByTime(1_000);
  const ended = { done: 1, failed: 1, last: { jobId: "failed" } };
  expect(sendMessage.mock.calls).toMatchObject([[{ ended }]]);
});

test("the background is told of the first change at once, and of a hundred others in few reports, the last one too", () => {
  const told: { summary: object }[] = [];
  const sendMessage = async (message: { summary: object }) => void told.push(message);
  vi.stubGlobal("chrome", { runtime: { sendMessage } });
  const jobs = new Map<string, OpenJob>();
  const { send } = createSummaryReport(jobs, () => false);
  for (let count = 1; count <= 101; count++) {
    const job = makeJob("draft");
    jobs.set(job.id, job);
    send();
    if (count === 1) expect(told).toHaveLength(1);
    vi.advanceTimersByTime(5);
  }
  vi.advanceTimersByTime(1_000);
  expect(told.length).toBeLessThan(6);
  expect(told.at(-1)?.summary).toMatchObject({ waiting: 101 });
});

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { announceBy, isAlarming, noteNews } from "../../../entrypoints/popup/announcements.ts";
import type { Job, JobState } from "../../../entrypoints/shared/job.ts";
import { makeJob } from "../../support/extension/pages/jobs.ts";

let said: string[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  said = [];
  announceBy((sentence) => said.push(sentence));
});
afterEach(() => {
  vi.runAllTimers();
  vi.useRealTimers();
});

/** A job that goes through states, one right after the other. */
function go(name: string, ...states: (JobState | Partial<Job>)[]): Job {
  const fields = { ...makeJob("draft").fields, name };
  let job = makeJob("requesting", { fields });
  for (const next of states) {
    const before = job;
    job = { ...before, ...(typeof next === "string" ? { state: next } : next) };
    noteNews(before, job);
  }
  return job;
}

const made = (stage: "working" | "ready" | "failed") =>
  ({ state: "done", processing: { since: 0, stage } }) as const;

test.each<[(JobState | Partial<Job>)[], string[]]>([
  [["done"], ["video 0: Uploaded"]],
  [["paused"], ["video 0: Paused"]],
  [["done", "done", "failed", "done"], ["3 videos uploaded, 1 failed"]],
  [["done", "done"], ["2 videos uploaded"]],
  [["failed", "asset-unknown"], ["2 uploads failed"]],
  [["paused", "paused", "paused"], ["3 uploads: Paused"]],
  // A row that failed says so itself, and what only begins is shown.
  [["failed"], []],
  [["uploading", "requesting", "queued"], []],
  [["paused", "cancelled", "paused"], ["2 uploads: Paused. 1 upload: Cancelled"]],
  [
    ["done", made("ready"), made("ready"), made("failed")],
    ["1 video uploaded. 2 uploads: Ready. 1 upload: The service could not process it"],
  ],
])("%j within a moment are told as %j", (states, expected) => {
  for (const [index, state] of states.entries()) go(`video ${index}`, state);
  vi.advanceTimersByTime(1000);
  expect(said).toEqual(expected);
});

test("an upload that goes on after an interruption is told, and one that only begins is not", () => {
  const waiting: Partial<Job> = { state: "waiting", waiting: { reason: "connection", attempt: 1 } };
  const job = go("a", waiting);
  vi.advanceTimersByTime(1000);
  noteNews(job, { ...job, state: "uploading" });
  vi.advanceTimersByTime(1000);
  expect(said).toEqual(["a: Interrupted", "a: Resumed"]);
});

test("what the service made of a video is told, and not how far it is", () => {
  for (const end of [made("ready"), made("failed")]) {
    const job = go("a", "done");
    vi.advanceTimersByTime(1000);
    noteNews(job, { ...job, ...made("working") });
    vi.advanceTimersByTime(1000);
    noteNews(job, { ...job, ...end });
    vi.advanceTimersByTime(1000);
  }
  const uploaded = "a: Uploaded";
  expect(said).toEqual([uploaded, "a: Ready", uploaded, "a: The service could not process it"]);
});

test("an upload that continues is not called interrupted while its host settles, or for a blink", () => {
  const waiting = (reason: "settling" | "connection") =>
    ({ state: "waiting", waiting: { reason, until: undefined, attempt: 1 } }) as const;
  go("a", "paused");
  vi.advanceTimersByTime(1000);
  said = [];
  go("a", "queued", waiting("settling"));
  vi.advanceTimersByTime(1000);
  go("b", waiting("connection"), "uploading");
  vi.advanceTimersByTime(1000);
  expect(said).toEqual([]);
  go("c", waiting("connection"));
  vi.advanceTimersByTime(1000);
  expect(said).toEqual(["c: Interrupted"]);
});

test("only the first row that failed raises an alert, until the others were told", () => {
  const fail = () => isAlarming(go("video", "failed"));
  expect([fail(), fail(), fail()]).toEqual([true, false, false]);
  vi.advanceTimersByTime(1000);
  expect(fail()).toBe(true);
});

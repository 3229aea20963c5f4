import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createAnnouncements } from "../../entrypoints/popup/announcements.ts";
import type { JobState } from "../../entrypoints/shared/job.ts";
import { makeJob } from "./pages/jobs.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** What is said of uploads that come into these states within a moment. */
function saidOf(...states: JobState[]): string[] {
  const said: string[] = [];
  const announcements = createAnnouncements((sentence) => said.push(sentence));
  for (const [index, state] of states.entries()) announcements.note(makeJob(state), `video ${index}`);
  vi.advanceTimersByTime(1000);
  return said;
}

test.each([
  [["done"], ["video 0: Uploaded"]],
  [["paused"], ["video 0: Paused"]],
  [["done", "done", "failed", "done"], ["3 videos uploaded, 1 failed"]],
  [["done", "done"], ["2 videos uploaded"]],
  [["failed", "asset-unknown"], ["2 uploads failed"]],
  [["paused", "paused", "paused"], ["3 uploads: Paused"]],
  // A row that failed says so itself, and what only begins is shown.
  [["failed"], []],
  [["uploading", "requesting", "queued"], []],
] as const)("%j within a moment are told as %j", (states, said) => {
  expect(saidOf(...states)).toEqual(said);
});

test("only the first row that failed raises an alert, until the others were told", () => {
  const announcements = createAnnouncements(() => {});
  const fail = () => announcements.note(makeJob("failed"), "video");
  expect([fail(), fail(), fail()]).toEqual([true, false, false]);
  vi.advanceTimersByTime(1000);
  expect(fail()).toBe(true);
});

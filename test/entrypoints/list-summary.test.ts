import { expect, test } from "vitest";
import { summarise } from "../../entrypoints/offscreen/list-summary.ts";
import { makeJob } from "./pages/jobs.ts";

test("summarise() counts jobs by what can be done, and takes the progress of unfinished ones", () => {
  const jobs = [
    makeJob("uploading", { progress: { sent: 24_100_000, acknowledged: 0, speed: 0 } }),
    makeJob("queued"),
    makeJob("draft"),
    makeJob("failed"),
    makeJob("needs-file"),
    makeJob("done"),
  ];
  const expected = {
    unfinished: 2,
    running: 1,
    open: 5,
    needsAttention: 1,
    failed: 1,
    drafts: 1,
    done: 1,
    fraction: 0.25,
  };
  expect(summarise(jobs)).toEqual(expected);
});

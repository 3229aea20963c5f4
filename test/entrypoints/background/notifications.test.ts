import { expect, test } from "vitest";
import { wordsFor } from "../../../entrypoints/background/notifications.ts";
import { summarise } from "../../../entrypoints/offscreen/list-summary.ts";
import type { Job } from "../../../entrypoints/shared/job.ts";
import { makeJob } from "../../support/extension/pages/jobs.ts";

/** The title for uploads that have ended, beside the others of the list. */
function title(done: number, failed: number, ...jobs: Job[]): string | undefined {
  const ended = { done, failed, last: { jobId: "1", name: "video.mp4" } };
  return wordsFor(summarise(jobs), ended)?.[0];
}

test("a notification names the upload that failed, or counts those that ended", () => {
  expect(title(0, 1, makeJob("failed"))).toBe("video.mp4 needs attention");
  expect(title(1, 2, makeJob("failed"))).toBe("1 video uploaded, 2 failed");
  expect(title(1, 1, makeJob("failed"))).toBe("1 video uploaded, 1 failed");
});

test("a notification tells of what is done once nothing else runs, and says where that is all", () => {
  expect(title(1, 0, makeJob("uploading"))).toBe(undefined);
  expect(title(1, 0, makeJob("failed"))).toBe("video.mp4 is uploaded");
  expect(title(1, 0, makeJob("done"))).toBe("All uploads are done");
});

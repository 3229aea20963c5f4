import { expect, test } from "vitest";
import {
  notifyOfUploads,
  watchNotificationClicks,
  wordsFor,
} from "../../../entrypoints/background/notifications.ts";
import { summarise } from "../../../entrypoints/offscreen/list-summary.ts";
import type { Job } from "../../../entrypoints/shared/job.ts";
import { makeJob } from "../../support/extension/pages/jobs.ts";
import { stubWorker } from "../../support/extension/stub-worker.ts";

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

test("several that are done are counted, and where to look is said", () => {
  const words = (done: number, failed: number, ...jobs: Job[]) =>
    wordsFor(summarise(jobs), { done, failed, last: { jobId: "1", name: "video.mp4" } });
  expect(words(2, 0)).toEqual(["All uploads are done", "2 videos uploaded"]);
  expect(words(1, 0)?.[1]).toContain("video.mp4");
  expect(words(2, 0, makeJob("failed"))?.[0]).toBe("2 videos uploaded");
  for (const each of [words(0, 1), words(1, 1), words(0, 2), words(1, 0, makeJob("failed"))])
    expect(each?.[1]).not.toBe("");
});

test("a notification is shown where that is wanted and allowed, and a click on it opens its upload", async () => {
  const allowed = ["notifications"];
  const { calls, stored, answers, fire } = stubWorker({
    "permissions.contains": async ({ permissions = [] as string[] }) =>
      permissions.length > 0 && permissions.every((each) => allowed.includes(each)),
  });
  const shown = () => calls.filter(([name]) => name === "notifications.create");
  const notified = () => notifyOfUploads(summarise([]), ended);
  const ended = { done: 1, failed: 0, last: { jobId: "7", name: "video.mp4" } };
  await notified();
  stored.local.settings = { notifications: true };
  await notifyOfUploads(summarise([]), undefined);
  await notifyOfUploads(summarise([makeJob("uploading")]), ended);
  expect(shown()).toEqual([]);
  await notified();
  const title = expect.stringContaining("All uploads are done");
  const iconUrl = "chrome-extension://upcut/icon/128.png";
  expect(shown()).toMatchObject([
    ["notifications.create", "upcut-upload", { type: "basic", iconUrl, title }],
  ]);
  watchNotificationClicks();
  answers["windows.create"] = undefined;
  await Promise.all(fire("notifications.onClicked", "upcut-stream"));
  expect(calls.map(([name]) => name)).not.toContain("windows.create");
  await Promise.all(fire("notifications.onClicked", "upcut-upload"));
  expect(calls.slice(-2)).toEqual([
    ["notifications.clear", "upcut-upload"],
    ["windows.create", expect.objectContaining({ url: expect.stringMatching(/popup\.html\?tab=&job=7$/) })],
  ]);
  delete stored.session["notified-job"];
  await Promise.all(fire("notifications.onClicked", "upcut-upload"));
  expect(calls.at(-1)?.[1]).toMatchObject({ url: expect.stringMatching(/\?tab=$/) });
  allowed.pop();
  await notified();
  expect(shown()).toHaveLength(1);
});

import { expect, test } from "vitest";
import { badgeOf, showBadge } from "../../../entrypoints/background/badge.ts";
import { summarise } from "../../../entrypoints/offscreen/list-summary.ts";
import type { Job } from "../../../entrypoints/shared/job.ts";
import { makeJob } from "../../support/extension/pages/jobs.ts";
import { stubWorker } from "../../support/extension/stub-worker.ts";

const badge = (...jobs: Job[]) => {
  const { text, title } = badgeOf(summarise(jobs));
  return [text, title];
};

test("the badge is empty while nothing is to be done", () => {
  expect(badge()).toEqual(["", "Upcut"]);
  expect(badge(makeJob("done"), makeJob("cancelled"), makeJob("paused"))).toEqual(["", "Upcut"]);
});

test("the badge counts what waits for the person while nothing runs, and the title says it in words", () => {
  const waiting = (["draft", "needs-file", "needs-permission", "failed", "asset-unknown"] as const).map(
    (state) => makeJob(state),
  );
  expect(badge(makeJob("draft"))).toEqual(["1", "Upcut · 1 upload waits for you"]);
  expect(badge(...waiting, makeJob("done"))).toEqual(["5", "Upcut · 5 uploads wait for you"]);
  expect(badge(...Array.from({ length: 1000 }, () => makeJob("draft")))[0]).toBe("999+");
});

test("the badge shows percent while something runs, and the title also says what waits", () => {
  const running = makeJob("uploading", { progress: { sent: 24_100_000, acknowledged: 0, speed: 1 } });
  expect(badge(running)).toEqual(["50%", "Upcut · Uploading, 50%"]);
  expect(badge(running, makeJob("draft"))).toEqual([
    "50%",
    "Upcut · Uploading, 50% · 1 upload waits for you",
  ]);
});

test("the badge shows that something starts by itself in a moment", () => {
  expect(badge(makeJob("queued", { startsAt: 5 }))).toEqual(["…", "Upcut · Starting"]);
  expect(badge(makeJob("queued"), makeJob("draft"))).toEqual([
    "1",
    "Upcut · Starting · 1 upload waits for you",
  ]);
});

test("the badge has one colour while uploads go on, and another one while they wait for the person", async () => {
  const { calls } = stubWorker();
  for (const job of [makeJob("uploading"), makeJob("queued", { startsAt: 5 }), makeJob("draft")])
    await showBadge(summarise([job]));
  const given = (name: string) =>
    calls.flatMap(([each, first]) => (each === `action.${name}` ? [first] : []));
  expect(given("setBadgeText")).toEqual([{ text: "0%" }, { text: "…" }, { text: "1" }]);
  expect(given("setTitle")).toContainEqual({ title: "Upcut · Starting" });
  const [running, starting, waiting] = given("setBadgeBackgroundColor");
  expect(starting).toEqual(running);
  expect(waiting).not.toEqual(running);
  expect(given("setBadgeTextColor")).toContainEqual({ color: "#ffffff" });
});

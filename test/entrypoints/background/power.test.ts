import { expect, test, vi } from "vitest";
import { keepAwake } from "../../../entrypoints/background/power.ts";
import { summarise } from "../../../entrypoints/offscreen/list-summary.ts";
import { makeJob } from "../../support/extension/pages/jobs.ts";
import { stubWorker } from "../../support/extension/stub-worker.ts";

/** What the browser is called for, for a list of one job. */
async function callsFor(state: "uploading" | "paused", wanted: boolean, allowed: boolean, keep = keepAwake) {
  const { calls, stored } = stubWorker({
    "permissions.contains": async ({ permissions }: { permissions: string[] }) =>
      allowed && permissions[0] === "power",
  });
  stored.local.settings = { keepAwake: wanted };
  await keep(summarise([makeJob(state)]));
  return calls.filter(([name]) => name.startsWith("power"));
}

test("the computer is kept awake while an upload runs, where that is wanted and allowed", async () => {
  expect(await callsFor("uploading", true, true)).toEqual([["power.requestKeepAwake", "system"]]);
  expect(await callsFor("paused", true, true)).toEqual([["power.releaseKeepAwake"]]);
  expect(await callsFor("uploading", false, true)).toEqual([["power.releaseKeepAwake"]]);
  expect(await callsFor("uploading", true, false)).toEqual([]);
});

test("Firefox is not called", async () => {
  vi.stubEnv("FIREFOX", "true");
  vi.resetModules();
  const inFirefox = await import("../../../entrypoints/background/power.ts");
  vi.resetModules();
  vi.unstubAllEnvs();
  expect(await callsFor("uploading", true, true, inFirefox.keepAwake)).toEqual([]);
});

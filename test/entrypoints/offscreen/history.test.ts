import { describe, expect, test } from "vitest";
import { fromAddress } from "../../../entrypoints/offscreen/drafts.ts";
import { historyEntryOf } from "../../../entrypoints/offscreen/history.ts";
import type { OpenJob } from "../../../entrypoints/offscreen/job-source.ts";
import { makeJob } from "../../support/extension/pages/jobs.ts";

const LONG = 1_500_000;

describe("historyEntryOf()", () => {
  test("cuts a name of a million characters", async () => {
    const job: OpenJob = {
      id: "1",
      createdAt: 0,
      state: "done",
      progress: { sent: 0, acknowledged: 0, speed: 0 },
      fields: { name: "x".repeat(LONG) } as OpenJob["fields"],
      ...fromAddress({ address: "https://a.example/1.mp4", title: "x".repeat(LONG) }),
    };
    expect((await historyEntryOf(job, 1)).name).toBe("x".repeat(200));
  });

  test("leaves out a link that the service gave where it is too long, or none", async () => {
    const playbackUrl = `https://play.example/${"x".repeat(LONG)}`;
    const links = { playbackUrl: "https://play.example/1", downloadUrl: "https://play.example/1.mp4" };
    const kept = async (more: object) =>
      await historyEntryOf(makeJob("done", { asset: { id: "a", ...more } }) as OpenJob, 1);
    expect(await kept(links)).toMatchObject(links);
    for (const wrong of [{ playbackUrl }, { playbackUrl: "javascript:1" }, { playbackUrl: 7 }])
      expect(await kept(wrong)).not.toHaveProperty("playbackUrl");
  });
});

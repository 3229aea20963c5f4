import { describe, expect, test } from "vitest";
import { fromAddress } from "../../../entrypoints/offscreen/drafts.ts";
import { historyEntryOf } from "../../../entrypoints/offscreen/history.ts";
import type { OpenJob } from "../../../entrypoints/offscreen/job-source.ts";
import { readLink } from "../../../entrypoints/shared/video-link.ts";
import { shortName } from "../../../entrypoints/shared/video-name.ts";
import { makeJob } from "../../support/extension/pages/jobs.ts";

const LONG = 1_500_000;

describe("a name of a million characters", () => {
  test("is cut in whole characters", () => {
    expect(shortName("x".repeat(LONG))).toBe("x".repeat(200));
    expect(shortName("🎬".repeat(LONG / 2))).toBe("🎬".repeat(200));
    expect(shortName(`x${"🎬".repeat(LONG / 2)}`)).toBe(`x${"🎬".repeat(199)}`);
    expect(shortName("The tour")).toBe("The tour");
  });

  test("of a link is cut, and so are the addresses of its page and its frame", () => {
    const link = readLink(`https://a.example/${"x".repeat(LONG)}.mp4`);
    if ("refused" in link) throw new Error("the link was refused");
    const long = `https://a.example/${"y".repeat(LONG)}`;
    const { source } = fromAddress({ ...link, page: long, referrer: long, pieces: "hls" });
    expect(source).toMatchObject({
      name: "x".repeat(200),
      url: link.address,
      page: "https://a.example",
      referrer: "https://a.example",
    });
  });

  test("leaves an entry in the history that can be read", async () => {
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

  test("of a link that the service gave is left out of the history, as is what is none", async () => {
    const playbackUrl = `https://play.example/${"x".repeat(LONG)}`;
    const links = { playbackUrl: "https://play.example/1", downloadUrl: "https://play.example/1.mp4" };
    const kept = async (more: object) =>
      await historyEntryOf(makeJob("done", { asset: { id: "a", ...more } }) as OpenJob, 1);
    expect(await kept(links)).toMatchObject(links);
    for (const wrong of [{ playbackUrl }, { playbackUrl: "javascript:1" }, { playbackUrl: 7 }])
      expect(await kept(wrong)).not.toHaveProperty("playbackUrl");
  });
});

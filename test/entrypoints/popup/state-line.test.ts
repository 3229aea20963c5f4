import { describe, expect, test } from "vitest";
import { linksOfJob } from "../../../entrypoints/popup/links.ts";
import {
  bytesLine,
  comparedSentence,
  detailsOf,
  explanationsOf,
  stateLine,
} from "../../../entrypoints/popup/state-line.ts";
import type { Processing } from "../../../entrypoints/shared/job.ts";
import { failure, half, inPieces, makeJob } from "../../support/extension/pages/jobs.ts";

describe("stateLine()", () => {
  test.each([
    [
      { sent: 21_900_000, fetched: 48_200_000 },
      "7%|1\u00a0min\u00a0left",
      "48.2\u00a0MB fetched|21.9\u00a0of\u00a0about\u00a0310\u00a0MB",
    ],
    // What an earlier run has sent was fetched, too.
    [
      { sent: 21_900_000, fetched: 2_000_000 },
      "7%|1\u00a0min\u00a0left",
      "21.9\u00a0MB fetched|21.9\u00a0of\u00a0about\u00a0310\u00a0MB",
    ],
    // More was sent than was estimated.
    [{ sent: 320_000_000, fetched: 330_000_000 }, "320\u00a0MB", "330\u00a0MB fetched|320\u00a0MB"],
    [{ sent: 310_000_000, fetched: 310_000_000 }, "Finishing…", "310\u00a0MB fetched|310\u00a0MB"],
  ])("says of a video in pieces how far it is, and its bytes apart: %j", (progress, line, bytes) => {
    const job = makeJob("uploading", { source: inPieces, progress: { ...half, ...progress } });
    expect(stateLine(job, 0).split(" · ")).toEqual(line.split("|"));
    expect(bytesLine(job).split(" · ")).toEqual(`${bytes}|3.2\u00a0MB/s`.split("|"));
  });

  test("tells percent and time of an upload, and its bytes and speed apart", () => {
    const job = makeJob("uploading", { progress: half });
    expect(stateLine(job, 0)).toBe("45% · 8\u00a0sec\u00a0left");
    expect(bytesLine(job)).toBe("21.9\u00a0of\u00a048.2\u00a0MB · 3.2\u00a0MB/s");
  });

  test("says of a video in pieces about how large it is before it is begun, and exactly once it is done", () => {
    const source = { ...inPieces, size: 312_000_000 };
    expect(stateLine(makeJob("draft", { source: inPieces }), 0)).toBe("about\u00a0310\u00a0MB · cdn.example");
    expect(stateLine(makeJob("done", { source }), 0)).toBe("Uploaded · 312\u00a0MB");
  });
});

test("a failure is one sentence, and what it left behind and the service's words are details", () => {
  const resume = { assetId: "asset-1", offset: 16_777_216, possible: true };
  const error = failure("source-changed", { resume, details: ["no such part"] });
  const job = makeJob("failed", { error });
  expect(stateLine(job, 0)).toBe("The file was changed, moved or deleted since it was chosen.");
  expect(detailsOf(job)).toEqual([
    "Choose the same one again, or remove this and upload the new one.",
    "The service said: “no such part”.",
    "16.8\u00a0MB of 48.2\u00a0MB uploaded. It resumes from there.",
  ]);
  expect(stateLine(makeJob("failed"), 0)).toBe("Failed");
});

test("the service's own words come first where they tell the cause, and what else is known is folded away", () => {
  const words = "Your plan allows videos of up to 10 MB";
  const rejected = (details: string[]) => makeJob("failed", { error: failure("rejected", { details }) });
  expect(stateLine(rejected([`${words}\u202E`, "See video.example/plans"]), 0)).toBe(
    `${words}; See video.example/plans`,
  );
  expect(detailsOf(rejected([words]))[0]).toBe("The service refuses the request.");
  expect(stateLine(rejected(["[hidden: it repeats a secret]"]), 0)).toBe("The service refuses the request.");
  const token = makeJob("failed", { error: failure("unauthorized", { details: ["jwt expired"] }) });
  expect(stateLine(token, 0)).toBe("The service doesn't accept the token.");
});

describe("what the service makes of an uploaded video", () => {
  const ready = { id: "asset-1", playbackUrl: "https://play.example/a.m3u8" };
  const since = 1_700_000_000_000;
  const error = failure("unauthorized");
  test.each<[Partial<Processing>, string, string[], boolean]>([
    [{}, "Uploaded", [], true],
    [{ stage: "working" }, "Processing…", [], true],
    [{ stage: "working", progress: 0.4 }, "Processing 40%", [], true],
    [{ stage: "ready", progress: 1 }, "Ready", [], true],
    [
      { stage: "failed", reason: "no\u202E video track" },
      "The service could not process it",
      ["no video track"],
      false,
    ],
    [{ stage: "differs" }, "The service has stored something else", [], false],
    [
      { stage: "working", progress: 0.4, error },
      "Uploaded",
      ["The token was refused, so nothing more is known of this video."],
      true,
    ],
    [
      { error: failure("unexpected-answer") },
      "Uploaded",
      ["The service didn't say whether this video is ready."],
      true,
    ],
  ])(
    "%j is said, and its link is offered unless nothing can come of it",
    (processing, state, why, isLinked) => {
      const job = makeJob("done", { asset: ready, processing: { since, ...processing } });
      expect(stateLine(job, since)).toBe(`${state} · 48.2\u00a0MB`);
      expect(explanationsOf(job)).toEqual(why);
      expect(linksOfJob(job, "").watch !== undefined).toBe(isLinked);
    },
  );

  test.each<[Partial<Processing>, string]>([
    [{ stage: "ready" }, ""],
    [{ stage: "ready", same: "content" }, "Verified: the service has stored exactly this content."],
    [{ stage: "ready", same: "size" }, "The stored size is the same. The content was not compared."],
  ])("%j tells how far it was compared", (processing, sentence) => {
    expect(comparedSentence(makeJob("done", { processing: { since, ...processing } }))).toBe(sentence);
  });

  test("is said for a day at most", () => {
    const job = makeJob("done", { processing: { since, stage: "working" } });
    expect(stateLine(job, since + 86_400_001)).toBe("Uploaded · 48.2\u00a0MB");
  });
});

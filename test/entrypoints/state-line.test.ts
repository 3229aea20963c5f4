import { describe, expect, test } from "vitest";
import { doneActions } from "../../entrypoints/popup/done-actions.ts";
import { stateLine } from "../../entrypoints/popup/state-line.ts";
import { half, inPieces, makeJob } from "./pages/jobs.ts";

describe("stateLine()", () => {
  test.each([
    [
      { sent: 21_900_000, fetched: 48_200_000 },
      "48.2 MB fetched · 21.9 of about 310 MB · 3.2 MB/s · 1 min left",
    ],
    // What an earlier run has sent was fetched, too.
    [
      { sent: 21_900_000, fetched: 2_000_000 },
      "21.9 MB fetched · 21.9 of about 310 MB · 3.2 MB/s · 1 min left",
    ],
    // It is more than was estimated.
    [{ sent: 320_000_000, fetched: 330_000_000 }, "330 MB fetched · 320 MB · 3.2 MB/s"],
    [{ sent: 310_000_000, fetched: 310_000_000 }, "Finishing…"],
  ])("says of a video in pieces what is fetched, and that its size is estimated: %j", (progress, line) => {
    const job = makeJob("uploading", { source: inPieces, progress: { ...half, ...progress } });
    expect(stateLine(job, 0)).toBe(line);
  });

  test("says of a video in pieces about how large it is before it is begun, and exactly once it is done", () => {
    const source = { ...inPieces, size: 312_000_000 };
    expect(stateLine(makeJob("draft", { source: inPieces }), 0)).toBe("about 310 MB · cdn.example");
    expect(stateLine(makeJob("done", { source }), 0)).toBe("Uploaded · 312 MB");
  });
});

describe("doneActions()", () => {
  test("begin with the link to be copied where that is no page to watch", () => {
    const playlist = { id: "asset-1", playbackUrl: "https://play.example/a.m3u8" };
    expect(doneActions(makeJob("done", { asset: playlist }), "")).toEqual([
      "copy-link",
      "open",
      "copy-asset-id",
    ]);
  });

  test.each(["\ud800", "a\u202Eb", "a\nrm -rf ~", "", 7, null, {}])("offer no copy of the id %j", (id) => {
    const record = { id: "asset-1", playbackId: id } as never;
    expect(doneActions(makeJob("done", { asset: record }), "")).toEqual(["copy-asset-id"]);
  });
});

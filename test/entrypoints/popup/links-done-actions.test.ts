import { describe, expect, test } from "vitest";
import { doneActions } from "../../../entrypoints/popup/links.ts";
import { makeJob } from "../../support/extension/pages/jobs.ts";

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

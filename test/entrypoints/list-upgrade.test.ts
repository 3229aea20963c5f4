import { describe, expect, test } from "vitest";
import { isFault } from "../../entrypoints/shared/fault.ts";
import { upgradeJob as upgrade } from "../../entrypoints/shared/list-upgrade.ts";
import { failure, inPieces, makeJob } from "./pages/jobs.ts";

const upgradeJob = (job: unknown) => upgrade(job, 1);

/** A job as version 1 of the list held it. */
const old = (more: object = {}) => ({
  id: "job-1",
  createdAt: 1_700_000_000_000.999,
  file: { name: "video.mp4", size: 100, type: "video/mp4", lastModified: 1 },
  fields: { name: "Video", method: "auto", staticMp4: false, further: {} },
  state: "paused",
  progress: { sent: 50, acknowledged: 20, speed: 5 },
  ...more,
});
const file = { kind: "file", name: "video.mp4", size: 100, type: "video/mp4", lastModified: 1 };
const journal = { key: "k", entry: { version: 1, uploads: { k: { location: "https://u.example/1" } } } };
const error = { name: "UploadError", code: "interrupted", message: "Cannot finish", retryable: true };

describe("upgradeJob()", () => {
  test("describes a chosen file with its handle as one source, and leaves the rest as it was", () => {
    const handle = { kind: "file", name: "video.mp4" };
    const asset = { id: "asset-1" };
    const { file: _, ...rest } = old({ journal, asset });
    expect(upgradeJob(old({ handle, journal, asset }))).toEqual({ ...rest, source: { ...file, handle } });
    expect(upgradeJob(old())?.source).toEqual(file);
  });

  test("describes a video at an address with its page", () => {
    const from = { kind: "address", host: "cdn.example", hasPage: true };
    const video = {
      address: "https://cdn.example/video.mp4?signature=s",
      page: "https://page.example/",
      open: true,
    };
    const place = { kind: "url", host: "cdn.example", hasPage: true };
    const { address: url, page, open } = video;
    expect(upgradeJob(old({ from, video }))?.source).toEqual({ ...file, ...place, url, page, open });
    // An ended job has forgotten its address.
    expect(upgradeJob(old({ from, state: "done" }))?.source).toEqual({ ...file, ...place });
  });

  test("describes a video that only its page can read", () => {
    const from = { kind: "page-blob", host: "page.example", hasPage: true };
    const upgraded = upgradeJob(old({ from, video: { page: "https://page.example/" }, state: "needs-file" }));
    expect(upgraded?.source).toEqual({ ...file, ...from, page: "https://page.example/" });
    expect(upgraded).not.toHaveProperty("video");
  });

  test.each([
    ["too-soon", "rate-limited"],
    ["not-reached", "unreachable"],
    ["service-failed", "service-error"],
    ["end-unknown", "terminate-unknown"],
    ["source-changed", "source-changed"],
  ])("calls the error %s %s", (before, now) => {
    expect(upgradeJob(old({ state: "failed", error: { ...error, code: before } }))?.error?.code).toBe(now);
  });

  test("gives the facts of an error their present names and units", () => {
    const facts = {
      status: 503,
      sentences: ["come back later"],
      retryAfter: 30,
      kept: { assetId: "asset-1", bytes: 20, continues: true },
    };
    expect(upgradeJob(old({ state: "failed", error: { ...error, ...facts } }))?.error).toEqual({
      ...error,
      httpStatus: 503,
      details: ["come back later"],
      retryAfter: 30_000,
      resume: { assetId: "asset-1", offset: 20, possible: true },
    });
  });

  test("tells a fault of the extension from a service that failed", () => {
    const fault = { ...error, name: "UpcutError", code: "service-failed" };
    const upgraded = upgradeJob(old({ state: "failed", error: fault }));
    expect(upgraded?.error && isFault(upgraded.error)).toBe(true);
  });

  test("gives outcome and waiting reason their present names", () => {
    const outcome = { resent: 0, duration: 9, continued: true };
    expect(upgradeJob(old({ state: "done", outcome }))?.outcome).toEqual({
      resent: 0,
      duration: 9,
      resumed: true,
    });
    const waiting = { reason: "status", until: 5, attempt: 1 };
    expect(upgradeJob(old({ state: "waiting", waiting }))?.waiting).toEqual({
      ...waiting,
      reason: "http-status",
    });
  });

  test("leaves a job of the present form as it is", () => {
    const upgraded = upgradeJob(
      old({
        state: "failed",
        error: { ...error, status: 429, retryAfter: 5 },
        outcome: { continued: false },
      }),
    );
    expect(upgradeJob(upgraded)).toEqual(upgraded);
  });

  test.each([
    ["nothing", undefined],
    ["a text", "job"],
    ["a list", []],
    ["no id", old({ id: 7 })],
    ["an unknown state", old({ state: "flying" })],
    ["no fields", old({ fields: null })],
    ["no file", old({ file: undefined })],
    ["a file without a name", old({ file: {} })],
    ["a source of an unknown kind", old({ from: { kind: "tape" } })],
  ])("leaves out what can't be understood: %s", (_, job) => {
    expect(upgradeJob(job)).toBeUndefined();
  });

  test("gives what is offered to be tried again its present name", () => {
    const failed = makeJob("failed", { error: failure("unauthorized") });
    expect(upgrade({ ...failed, mended: true }, 2)).toEqual({ ...failed, retryOffered: true });
    expect(upgrade(failed, 2)).toEqual(failed);
  });

  test("gives lengths of version 2 their unit", () => {
    const { source, ...draft } = makeJob("draft", { source: inPieces });
    const now = { ...draft, source: { ...source, playedSeconds: 600 } };
    expect(upgrade({ ...draft, source: { ...source, played: 600 } }, 2)).toEqual(now);
    const otherLength = { playedSeconds: 600, foundSeconds: 15 };
    expect(upgrade({ ...now, otherLength: { played: 600, found: 15 } }, 2)).toEqual({ ...now, otherLength });
    expect(upgrade({ ...now, otherLength }, 2)).toEqual({ ...now, otherLength });
  });

  test("keeps a job of version 2 that is damaged: the person sees it, and can remove it", () => {
    const damaged = { id: "job-1", state: "flying" };
    expect(upgrade(damaged, 2)).toEqual(damaged);
  });
});

import { expect, test } from "vitest";
import { ERROR_CODES, isErrorCode } from "../../../core/extension.ts";
import type { ErrorCode } from "../../../core/mod.ts";
import { stateLabel } from "../../../entrypoints/popup/message-catalogue.ts";
import { stepsFor } from "../../../entrypoints/popup/steps.ts";
import { STATES } from "../../../entrypoints/shared/job.ts";
import { asset, failure, fromPage, makeJob } from "../../support/extension/pages/jobs.ts";

const stepsAfter = (code: ErrorCode, possible?: boolean) => {
  const resume = possible === undefined ? {} : { resume: { assetId: "a", offset: 1, possible } };
  return stepsFor(makeJob("failed", { error: failure(code, resume) }));
};

test("an upload can be got rid of in every state", () => {
  for (const state of STATES) {
    const { tools } = stepsFor(makeJob(state));
    expect(
      tools.some((tool) => ["cancel", "remove", "more"].includes(tool)),
      state,
    ).toBe(true);
  }
});

test("a failed upload is continued where the service has its bytes, and starts over where it has not", () => {
  expect(stepsAfter("interrupted", true).buttons).toEqual(["continue"]);
  expect(stepsAfter("upload-gone", false).buttons).toEqual(["start-over"]);
  expect(stepsAfter("rejected", false).buttons).toEqual(["start-over"]);
  expect(stepsAfter("unreachable").buttons).toEqual(["try-again"]);
});

test("a failure of the settings leads to the options first, and one of the fields to these", () => {
  expect(stepsAfter("unauthorized").buttons).toEqual(["change-token", "try-again"]);
  expect(stepsAfter("wrong-address").buttons).toEqual(["open-options", "try-again"]);
  expect(stepsAfter("unexpected-answer", false).buttons).toEqual(["open-options", "start-over"]);
  expect(stepsAfter("rejected").buttons).toEqual(["edit", "try-again"]);
});

test("of what the service says, a field is edited, and anything else is tried again", () => {
  const after = (details: string) =>
    stepsFor(makeJob("failed", { error: failure("rejected", { details: [details] }) })).buttons;
  expect(after("profiles.0.width must be integer")).toEqual(["edit", "try-again"]);
  expect(after("Your plan allows videos of up to 10 MB")).toEqual(["try-again", "edit"]);
});

test("every error has a button that can succeed", () => {
  for (const code of Object.keys(ERROR_CODES).filter(isErrorCode))
    expect(stepsAfter(code).buttons, code).not.toEqual([]);
});

test("a webhook policy without its id can be edited after the service failed", () => {
  const error = failure("service-error", { httpStatus: 500 });
  const { fields } = makeJob("failed");
  const lacking = { ...fields, playbackPolicy: { type: "webhook" } };
  expect(stepsFor(makeJob("failed", { error })).buttons).toEqual(["try-again"]);
  expect(stepsFor(makeJob("failed", { error, fields: lacking })).buttons).toEqual(["edit", "try-again"]);
});

test("an upload that the service still has is cancelled there, not only removed", () => {
  expect(stepsAfter("interrupted", true).tools).toEqual(["cancel"]);
  expect(stepsAfter("upload-gone", false).tools).toEqual(["remove"]);
});

test("an upload that needs permission offers to allow its host, or to allow or choose its file", () => {
  const host = makeJob("needs-permission", { needs: { permission: "host", origin: "https://up.example" } });
  expect(stepsFor(host).buttons).toEqual(["allow-host"]);
  expect(stepsFor(makeJob("needs-permission", { needs: { permission: "file" } })).buttons).toEqual([
    "allow-file",
    "choose-file",
  ]);
});

test.each(["needs-file", "failed"] as const)(
  "a new version that was refused can be uploaded instead: %s",
  (state) => {
    const { source } = makeJob(state);
    const after = (name: string) =>
      stepsFor(makeJob(state, { error: failure("source-changed"), refused: { ...source, name } })).buttons;
    expect(after(source.name)).toEqual(["upload-new", "choose-file"]);
    expect(after("other.mp4")).toEqual(["choose-file", "upload-new"]);
  },
);

test("an upload for another account is sent with the one that is set when the person says so, or removed", () => {
  const otherAccount = { id: "b", isKept: true };
  const held = makeJob("needs-permission", { otherAccount, needs: { permission: "account", id: "b" } });
  expect(stepsFor(held)).toEqual({ buttons: ["use-account"], tools: ["remove"] });
  const failed = makeJob("failed", { otherAccount, error: failure("unauthorized"), retryOffered: true });
  expect(stepsFor(failed).buttons).toEqual(["use-account"]);
});

test.each(["unauthorized", "invalid-option"] as const)(
  "an upload with an asset that failed for its former token is sent with the new one: %s",
  (code) => {
    const otherAccount = { id: "b", isKept: false };
    const resume = { assetId: "a", offset: 1, possible: true };
    const failed = makeJob("failed", { asset, otherAccount, error: failure(code, { resume }) });
    expect(stepsFor(failed).buttons).toEqual(["use-account"]);
    const interrupted = { ...failed, error: failure("interrupted", { resume }) };
    expect(stepsFor(interrupted).buttons).toEqual(["continue"]);
  },
);

test("a video of a page goes on from its page, and is never chosen as a file", () => {
  const resume = { assetId: "a", offset: 1, possible: true };
  const after = (code: ErrorCode, kind: "url" | "page-blob") =>
    stepsFor(makeJob("failed", { source: { ...fromPage, kind }, error: failure(code, { resume }) })).buttons;
  expect(after("source-refused", "url")).toEqual(["open-page", "continue"]);
  expect(after("source-unreadable", "url")).toEqual(["open-page", "continue"]);
  expect(after("source-changed", "url")).toEqual(["start-over"]);
  expect(after("source-unreadable", "page-blob")).toEqual(["open-page"]);
  const lost = makeJob("needs-file", { source: { ...fromPage, kind: "page-blob" } });
  expect(stepsFor(lost).buttons).toEqual(["open-page"]);
  const needs = { permission: "host", origin: "https://cdn.example", reads: true } as const;
  expect(stepsFor(makeJob("needs-permission", { source: fromPage, needs })).buttons).toEqual([
    "allow-host",
    "open-page",
  ]);
});

test.each(["paused", "failed", "needs-file", "draft"] as const)(
  "an upload that is being cancelled says so and has no buttons: %s",
  (state) => {
    const job = makeJob(state, { ending: true });
    expect(stepsFor(job)).toEqual({ buttons: [], tools: [] });
    expect(stateLabel(job)).toBe("Cancelling…");
  },
);

import { expect, test } from "vitest";
import { accountFault, canBeRetried, stepAfter } from "../../../entrypoints/shared/next-steps.ts";
import { failure, makeJob } from "../../support/extension/pages/jobs.ts";

test.each([
  ["unauthorized", "token", true],
  ["wrong-address", "address", true],
  ["unreachable", "address", true],
  ["invalid-option", "token", true],
  ["invalid-request", undefined, false],
  ["empty-source", undefined, false],
  ["source-changed", undefined, false],
  ["upload-gone", undefined, false],
  ["interrupted", undefined, true],
] as const)("after %s the account's %s is corrected, and trying again helps: %s", (code, fault, helps) => {
  const job = makeJob("failed", { error: failure(code) });
  expect([accountFault(job), canBeRetried(job)]).toEqual([fault, helps]);
  expect(accountFault({ ...job, state: "paused" })).toBeUndefined();
  expect(canBeRetried({ ...job, state: "paused" })).toBe(false);
  expect(canBeRetried({ ...job, fieldsLeftOut: ["name"] })).toBe(false);
});

test("a stream that wasn't ended needs another id or other options, or another try", () => {
  const codes = ["not-found", "unauthorized", "wrong-address", "rate-limited"];
  expect(codes.map((code) => stepAfter(code).place)).toEqual(["id", "options", "options", undefined]);
});

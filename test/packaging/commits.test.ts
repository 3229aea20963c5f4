import { expect, test } from "vitest";
import { problemOf } from "../commits.ts";

test.each([
  "fix(core): redact echoed tokens in upload errors",
  "feat!: resume uploads from a folder",
  "refactor(e2e): process one file at a time",
  "test: feed the parser half a line",
  `docs: ${"x".repeat(66)}`,
])("takes %j", (subject) => {
  expect(problemOf(subject)).toBeUndefined();
});

test.each([
  ["core: how an extension has begun anew is told once", "no type"],
  ["Add a button", "no type"],
  ["fix(core): Redact tokens", "small letters"],
  ["fix(core): redacted tokens", "imperative"],
  ["fix(core): redacting tokens", "imperative"],
  ["fix(core): redacts tokens", "imperative"],
  ["fix(core): redact tokens.", "period"],
  [`docs: ${"x".repeat(67)}`, "73 characters"],
])("refuses %j", (subject, problem) => {
  expect(problemOf(subject)).toContain(problem);
});

import { expect, test } from "vitest";
import { SUBJECT } from "./commits.ts";

test.each([
  ["fix(core): redact echoed tokens in upload errors", true],
  ["feat!: resume uploads from a folder", true],
  ["refactor(e2e): process one file at a time", true],
  ["test: feed the parser half a line", true],
  ["docs: bring the folders up to date", true],
  [`docs: ${"x".repeat(66)}`, true],
  [`docs: ${"x".repeat(67)}`, false],
  ["core: how an extension has begun anew is told once", false],
  ["Add a button", false],
  ["fix(core): Redact tokens", false],
  ["fix(core): redact tokens.", false],
])("%j is a subject of a commit: %s", (subject, expected) => {
  expect(SUBJECT.test(subject)).toBe(expected);
});

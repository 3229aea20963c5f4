import { expect, test } from "vitest";
import { lookalikeOf } from "../../../core/options/lookalike.ts";

const NAMES = ["bandwidth", "onProgress", "on", "resume", "size"];

test.each([
  ["bandwith", "bandwidth"],
  ["on-progress", "onProgress"],
  ["ONPROGRESS", "onProgress"],
  // Characters that are left out, added, replaced and swapped.
  ["bandwdh", "bandwidth"],
  ["ressume", "resume"],
  ["besume", "resume"],
  ["reusme", "resume"],
  // A third of the characters may differ, and no more.
  ["resxyz", undefined],
  ["siz", "size"],
  ["sxx", undefined],
  ["in", undefined],
  ["", undefined],
  [`resume${"-".repeat(34)}`, "resume"],
  [`resume${"-".repeat(35)}`, undefined],
])("%j may mean %j", (given, name) => expect(lookalikeOf(given, NAMES)).toBe(name));

test("of several names the nearest is meant, and the first of those that are as near", () => {
  expect(lookalikeOf("resumed", ["resumes", "resume", "resumed"])).toBe("resumed");
  expect(lookalikeOf("resumed", ["resume", "resumes"])).toBe("resume");
});

import { expect, test } from "vitest";
import { tell } from "../../../core/options/tell.ts";

const failure = new Error("no");

test.each([
  [
    "throws",
    () => {
      throw failure;
    },
  ],
  ["rejects with", () => Promise.reject(failure)],
])("tell() passes on what a function %s", async (_, listener) => {
  const failures: unknown[] = [];
  tell(listener, "report", (error) => failures.push(error));
  await expect.poll(() => failures).toEqual([failure]);
  expect(() => tell(undefined, "report", () => {})).not.toThrow();
});

import { expect, test } from "vitest";
import { camelCase } from "../../../entrypoints/shared/camel-case.ts";

test("camelCase() makes the name of a message of a word with hyphens", () => {
  expect([camelCase("not-a-video"), camelCase("rejected")]).toEqual(["notAVideo", "rejected"]);
});

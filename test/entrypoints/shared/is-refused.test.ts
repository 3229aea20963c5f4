import { expect, test } from "vitest";
import { InputError } from "../../../core/errors/errors.ts";
import { isRefused } from "../../../entrypoints/shared/is-refused.ts";

test("isRefused() tells what core refuses, and hides no other error", () => {
  const throwing = (error: Error) => () => {
    throw error;
  };
  expect(isRefused(() => 7)).toBe(false);
  expect(isRefused(throwing(new InputError("invalid-id", "Cannot do it")))).toBe(true);
  expect(() => isRefused(throwing(new TypeError("no")))).toThrow(TypeError);
});

import { expect, test, vi } from "vitest";
import { InputError } from "../../../core/errors/errors.ts";
import { FAULT, failureOf, isFault, logName } from "../../../entrypoints/shared/fault.ts";

test("what is no error of core is a fault, of which nothing but a name is logged", () => {
  const error = new InputError("invalid-id", "Cannot do it");
  expect(failureOf(error)).toEqual(error.toJSON());
  expect(failureOf(new TypeError("secret"))).toBe(FAULT);
  expect([FAULT, error.toJSON()].map(isFault)).toEqual([true, false]);
  expect(FAULT).toMatchObject({ name: "Fault", retryable: true });
  const log = vi.spyOn(console, "error").mockReturnValue();
  for (const thrown of [new TypeError("secret"), "secret"]) logName(thrown);
  expect(log.mock.calls).toEqual([["TypeError"], ["unknown error"]]);
  log.mockRestore();
});

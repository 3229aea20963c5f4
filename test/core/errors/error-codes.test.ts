import { expect, test } from "vitest";
import {
  codeOfStatus,
  ERROR_CODES,
  type ErrorCode,
  errorFacts,
  isErrorCode,
} from "../../../core/errors/error-codes.ts";
import { errorFromRecord } from "../../../core/errors/errors.ts";

/** The states that errors of a class may leave behind. */
const KEPT = {
  InputError: ["nothing"],
  ServiceError: ["nothing", "asset", "unknown"],
  ConnectionError: ["nothing", "unknown"],
  UploadError: ["upload", "asset"],
};

test.each([
  [400, "rejected"],
  [401, "unauthorized"],
  [403, "forbidden"],
  [404, "wrong-address"],
  [404, "not-found", "requestUpload"],
  [404, "not-found", "terminate"],
  [404, "asset-not-found", "asset"],
  [429, "rate-limited"],
  [500, "service-error"],
  [200, "unexpected-answer"],
  [Number.NaN, "unexpected-answer"],
  [undefined, "unexpected-answer"],
] as const)("the status %s has the code %s", (status, code, call = undefined) =>
  expect(codeOfStatus(status, call)).toBe(code),
);

test.each(Object.keys(ERROR_CODES) as ErrorCode[])("%s is the code of one of the classes", (code) => {
  const { class: name, kept } = errorFacts(code);
  expect(errorFacts(code)).toBe(ERROR_CODES[code]);
  const error = errorFromRecord({ name: "UploadError", code, message: "Cannot do it", retryable: false });
  expect(error).toMatchObject({ name, code });
  expect(Object.keys(KEPT)).toContain(name);
  expect(KEPT[name]).toContain(kept);
});

test.each(Object.keys(ERROR_CODES))("%s can be repeated where its next step is the same call", (code) => {
  const { retryable, next } = errorFacts(code);
  const isSameCall = ["wait", "try-again", "check-connection", "reach-source"].includes(next);
  expect(retryable !== false).toBe(isSameCall);
});

test("a code that this version doesn't know counts as an interruption", () => {
  expect(["later-code", "constructor", 7].filter(isErrorCode)).toEqual([]);
  expect(errorFacts("later-code")).toBe(ERROR_CODES.interrupted);
});

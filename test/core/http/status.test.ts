import { expect, test } from "vitest";
import { isHttpStatus, isRedirect, isSuccess } from "../../../core/http/status.ts";

test("a status from 200 to 299 is a success, one from 300 to 399 leads elsewhere", () => {
  const statuses = [0, 100, 199, 200, 204, 299, 300, 301, 308, 399, 400, 404, 500];
  expect(statuses.filter((status) => isSuccess({ status }))).toEqual([200, 204, 299]);
  expect(statuses.filter((status) => isRedirect({ status }))).toEqual([300, 301, 308, 399]);
});

test.each([
  [200, true],
  [599, true],
  [199, false],
  [600, false],
  [0, false],
  [200.5, false],
])("isHttpStatus() of an answer with %d is %o", (status, is) => {
  expect(isHttpStatus({ status })).toBe(is);
});

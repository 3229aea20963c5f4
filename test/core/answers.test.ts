import { expect, test } from "vitest";
import { isHtmlAnswer } from "../../core/http/html.ts";
import { isHttpStatus } from "../../core/http/status.ts";

test.each([
  ["text/html", "", true],
  ["TEXT/HTML; charset=utf-8", "Sign in", true],
  ["application/xhtml+xml", "", false],
  [undefined, " <!DOCTYPE html>", true],
  ["text/plain", "<HTML lang=en>", true],
  ["application/json", '{"a":"<html>"}', false],
  [undefined, "", false],
])("isHtmlAnswer() of type %o and body %o is %o", (type, text, is) => {
  expect(isHtmlAnswer({ header: (name) => (name === "content-type" ? type : undefined), text })).toBe(is);
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

/** What every answer is asked first: its status, how long to wait, and whether it is a page. */
import { describe, expect, test } from "vitest";
import { isHtmlPage } from "../../core/http/html.ts";
import { readRetryAfter } from "../../core/http/retry-after.ts";
import { isRedirect, isSuccess } from "../../core/http/status.ts";

test("a status from 200 to 299 is a success, one from 300 to 399 leads elsewhere", () => {
  const statuses = [0, 100, 199, 200, 204, 299, 300, 301, 308, 399, 400, 404, 500];
  expect(statuses.filter((status) => isSuccess({ status }))).toEqual([200, 204, 299]);
  expect(statuses.filter((status) => isRedirect({ status }))).toEqual([300, 301, 308, 399]);
});

describe("isHtmlPage()", () => {
  test.each([
    "<html>",
    "<!doctype html>",
    "<!DOCTYPE html>",
    "<HTML lang=en>",
    " \r\n\t<html>",
    "\ufeff<html>",
  ])("knows %j", (text) => expect(isHtmlPage(text)).toBe(true));
  test.each([
    "",
    "html",
    "a <html>",
    "a<html>",
    '{"page":"<!doctype html>"}',
    "<body>",
    "< html>",
    "<?xml?><html>",
  ])("passes %j by", (text) => expect(isHtmlPage(text)).toBe(false));
});

describe("readRetryAfter()", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  const longest = 2 ** 31 - 1;

  test.each<[string, number | undefined]>([
    ["2147483", 2_147_483_000],
    ["2147484", longest],
    ["9".repeat(400), longest],
    ["Sun, 25 Jan 2026 20:31:23 GMT", 2_147_483_000],
    ["Sun, 25 Jan 2026 20:31:24 GMT", longest],
    ["Fri, 01 Jan 9999 00:00:00 GMT", longest],
    ["Thu, 01 Jan 2026 00:00:00 GMT", 0],
    ["\t 12\t ", 12_000],
    ["a12", undefined],
    ["12a", undefined],
    ["1 2", undefined],
    ["Thu, 01 Jan 2026", undefined],
    ["2026-01-02", undefined],
    ["99:99:99", undefined],
  ])("reads %j as %d", (value, wait) => expect(readRetryAfter(value, now)).toBe(wait));
});

import { expect, test } from "vitest";
import { readRetryAfter } from "../../core/http/status.ts";

const now = Date.parse("2026-01-01T00:00:00Z");
const longest = 2 ** 31 - 1;

test.each<[string | null | undefined, number | undefined]>([
  ["0", 0],
  [" 5 ", 5_000],
  ["Wed, 31 Dec 2025 23:00:00 GMT", 0],
  ["", undefined],
  ["-5", undefined],
  ["1.5", undefined],
  [null, undefined],
  [undefined, undefined],
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
])("readRetryAfter() reads %j as %d", (value, wait) => expect(readRetryAfter(value, now)).toBe(wait));

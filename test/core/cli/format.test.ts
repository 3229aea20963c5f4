import { expect, test } from "vitest";
import { bytes, jsonLine, plain, reasonOf, time } from "../../../core/cli/format.ts";

test.each([
  [59_001, "1 min 0 s"],
  [3_599_000, "59 min 59 s"],
  [3_600_000, "1 h 0 min"],
  [86_399_000, "23 h 59 min"],
  [86_400_000, "1 d 0 h"],
  [183_600_000, "2 d 3 h"],
])("%i milliseconds are %s", (milliseconds, expected) => {
  expect(time(milliseconds)).toBe(expected);
});

test.each([
  [0, "0 B"],
  // A speed.
  [919.02, "919 B"],
  [999_960, "1.0 MB"],
])("%d bytes are shown as %j", (count, shown) => {
  expect(bytes(count)).toBe(shown);
});

test("a reason for waiting has the status, and the time of day of the next try, where they are known", () => {
  const waiting = { attempt: 1, until: 0 };
  expect(reasonOf({ ...waiting, reason: "offline" })).toBe("there is no network");
  const tooMany = { ...waiting, reason: "rate-limited", httpStatus: 429, until: undefined } as const;
  expect(reasonOf(tooMany)).toBe("too many requests (429)");
  expect(reasonOf({ ...waiting, reason: "http-status", httpStatus: 503 })).toMatch(
    /^the service has a problem \(503\), tries again at \d\d:\d\d:\d\d$/,
  );
});

const EMOJI = ["👩🏽‍💻", "🏳️‍🌈", "❤️‍🔥", "👨‍👩‍👧‍👦"];
const UNSEEN =
  "\u061c\u00ad\u180e\u200b\u200c\u200d\u200e\u200f\u202e\u2060\u2066\u3164\ufeff\ufff9\u{e0001}\u{e0041}";

test("a text in a terminal has nothing that turns it around or isn't seen", () => {
  for (const sign of [...UNSEEN, "\u001b", "\u009b", "\n", "\u2028", "\ud800"])
    expect(plain(`pay${sign}pal.mp4`)).toBe("pay\ufffdpal.mp4");
  for (const text of [...EMOJI, "می\u200cخواهم", "क्\u200dष", "é", "日本語.mp4"])
    expect(plain(text)).toBe(text);
  expect(plain("🎬\u200da\u200d🎬")).toBe("🎬\ufffda\ufffd🎬");
});

test("a line of JSON shows emoji, and has what isn't seen as escapes", () => {
  const line = jsonLine({ name: `${EMOJI.join(" ")} ${UNSEEN}` });
  expect(line).toContain(EMOJI.join(" "));
  expect(line).toContain("\\u200b\\u200c\\u200d");
  expect(line).toContain("\\udb40\\udc41");
  expect(JSON.parse(line)).toEqual({ name: `${EMOJI.join(" ")} ${UNSEEN}` });
});

test("a line of JSON has nothing that a terminal obeys, and the same value", () => {
  const value = {
    name: "\u001b[31m\u007f\u0080\u009b\u009f\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069é😀",
  };
  const line = jsonLine(value);
  expect(line).toMatch(/^[^\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]*\n$/u);
  expect(line).toContain("é😀");
  expect(line).toContain("\\u009b");
  expect(JSON.parse(line)).toEqual(value);
});

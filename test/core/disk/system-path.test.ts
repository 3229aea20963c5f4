import { describe, expect, test } from "vitest";
import { pathText, shownPath, systemPath } from "../../../core/disk/system-path.ts";

const latin1 = (text: string) => Buffer.from(text, "latin1");

describe("a path whose bytes are no UTF-8", () => {
  test.each([
    ["caf\xe9.mp4", "caf\\xE9.mp4"],
    // The beginning of a character, a byte that goes on with none, an overlong form, half a surrogate pair, and too high.
    ["a\xc3", "a\\xC3"],
    ["\x80b", "\\x80b"],
    ["\xc0\xaf", "\\xC0\\xAF"],
    ["\xed\xb2\x80", "\\xED\\xB2\\x80"],
    ["\xf5\x80\x80\x80", "\\xF5\\x80\\x80\\x80"],
    ["\xc3\xa9\xe9", "é\\xE9"],
  ])("keeps them, and is shown with escapes: %j", (bytes, shown) => {
    const text = pathText(latin1(bytes));
    expect(systemPath(text, "linux")).toEqual(latin1(bytes));
    expect(shownPath(text)).toBe(shown);
  });

  test("is a text like any other without them", () => {
    for (const path of ["film.mp4", "/é/日本/🎬.mp4", "cafe\u0301"]) {
      expect(pathText(Buffer.from(path))).toBe(path);
      expect(systemPath(path, "darwin")).toBe(path);
      expect(shownPath(path)).toBe(path);
    }
  });
});

test.each([
  ["C:\\videos\\aux.mp4", "\\\\?\\C:\\videos\\aux.mp4"],
  [`C:\\${"long\\".repeat(80)}a.mp4`, `\\\\?\\C:\\${"long\\".repeat(80)}a.mp4`],
  ["\\\\server\\share\\a.mp4", "\\\\?\\UNC\\server\\share\\a.mp4"],
])("a path of Windows may be long, and end with a reserved name: %s", (path, taken) => {
  expect(systemPath(path, "win32")).toBe(taken);
});

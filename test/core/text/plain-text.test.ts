import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { plainText } from "../../../core/text/plain-text.ts";
import { expectLinear } from "../../support/linear-time.ts";

const INVISIBLE = [
  ..."\u202A\u202B\u202C\u202D\u202E\u2066\u2067\u2068\u2069\u200E\u200F\u061C",
  ..."\u200B\u2060\u2061\u2062\u2063\u2064\u206A\u206F\uFEFF\u00AD\u034F\u180E\u115F\u1160\u17B4\u3164\uFFA0\u2800",
  ..."\uFFF9\uFFFB\u{1D173}\u{E0001}\u{E0041}\u{E007F}\0\b\u001B\u007F\u0080\u009F",
];

describe("plainText()", () => {
  test("takes out what turns the reading direction around, and everything else that nobody sees", () => {
    for (const mark of INVISIBLE) expect(plainText(`launch${mark}4pm.exe`)).toBe("launch4pm.exe");
    expect(plainText(INVISIBLE.join(""))).toBe("");
  });

  test("takes out joiners and variation selectors where they join and vary nothing", () => {
    for (const mark of "\u200C\u200D\uFE0F\uFE0E\u{E0100}") expect(plainText(`pay${mark}pal`)).toBe("paypal");
  });

  test.each([
    "👨‍👩‍👧 ❤️ 1️⃣ 👩🏽‍🚀 🏳️‍🌈",
    "می‌خواهم",
    "क्‍ष",
    "葛\u{E0100}",
    "שלום עולם",
    "مرحبا",
    "naïve Ünïcode 日本語",
  ])("leaves %s as it is written", (text) => {
    expect(plainText(text)).toBe(text);
  });

  test("writes one line, and a replacement for half a character", () => {
    expect(plainText("one\r\ntwo\tthree\u2028four")).toBe("one two three four");
    expect(plainText("\ud800 and \udc00")).toBe("\ufffd and \ufffd");
  });

  test("gives a text that stays the same, is well formed and can be an address, for any text", () => {
    const mark = fc.constantFrom(...INVISIBLE, ..."\u200C\u200D\uFE0F\u{E0100}👨葛کक्1a \ud800");
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(fc.oneof(mark, fc.string({ unit: "grapheme", maxLength: 1 }))).map((all) => all.join("")),
    );
    fc.assert(
      fc.property(text, (given) => {
        const plain = plainText(given);
        expect(plainText(plain)).toBe(plain);
        expect(plain).not.toMatch(/[\p{Bidi_Control}\p{Cc}\p{Cs}\u2028\u2029]/u);
        encodeURIComponent(plain);
      }),
      { numRuns: 2000 },
    );
  });

  test("takes as long as the text is", () => {
    for (const part of ["\u202E", "\u200D", "👨\u200D", "\uFE0F", "ک\u200C", "\n", "\ud800"])
      expectLinear((size) => plainText(part.repeat(size)));
  });
});

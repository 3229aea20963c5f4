import { expect, test } from "vitest";
import { character, readingsOf } from "../../../core/redaction/readings.ts";

test.each([
  ["%41", "A"],
  ["%%2541", "A"],
  ["%u0041", "A"],
  ["=41", "A"],
  ["a=\r\nb=\nc", "abc"],
  ["&#65; &#x0041; &#65 &amp;#65;", "A A A A"],
  ["&percnt;41", "A"],
  ["&bsol;x41", "A"],
  ["&num;&equals;&semi;", "#=;"],
  ["&afr;&Bscr;&copf;", "aBc"],
  ["&eacute;", "_"],
  [String.raw`\x41\u0042\u{43}\U00000044\\x45`, "ABCDE"],
  [String.raw`a\nb\/c`, "a b/c"],
  ["&#x110000;", "_"],
])("%j may be read as %j", (text, reading) => expect([...readingsOf(text)].at(-1)).toBe(reading));

test("a text is read as it stands, without its tags, and after each round", () => {
  expect([...readingsOf("<b>a</b>%2541")]).toEqual(["<b>a</b>%2541", "a%2541", "<b>a</b>A"]);
  expect([...readingsOf("&#37;&#52;1")]).toEqual(["&#37;&#52;1", "%41", "A"]);
  expect([...readingsOf("plain")]).toEqual(["plain"]);
});

test("escapes of seven kinds inside one another are more than anybody reads", () => {
  let text = "A";
  const escapes = [(sign: string) => `%${sign}`, (sign: string) => `&#x${sign};`];
  for (let round = 0; round < 6; round++)
    text = [...text].map((sign) => escapes[round % 2]?.(sign.charCodeAt(0).toString(16))).join("");
  expect([...readingsOf(text)].at(-1)).toBe("A");
  const deeper = text.replaceAll("&", "%26");
  expect(() => readingsOf(deeper)).toThrow(RangeError);
});

test("the last number that has a character has it", () => {
  expect([character(0x10ffff), character(0x110000)]).toEqual(["\u{10ffff}", "_"]);
});

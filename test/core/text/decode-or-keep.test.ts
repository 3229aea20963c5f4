import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeOrKeep } from "../../../core/text/decode-or-keep.ts";

test("decodeOrKeep() decodes what is encoded, and keeps what is broken", () => {
  expect(["a%20b", "%C3%A9", "a+b", "", "%", "%zz", "%C3", "100% %20"].map(decodeOrKeep)).toEqual([
    "a b",
    "é",
    "a+b",
    "",
    "%",
    "%zz",
    "%C3",
    "100% %20",
  ]);
  fc.assert(fc.property(fc.string(), (text) => decodeOrKeep(encodeURIComponent(text)) === text));
});

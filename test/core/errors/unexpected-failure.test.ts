import { expect, test } from "vitest";
import { causeOf, kindOf } from "../../../core/errors/unexpected-failure.ts";

test.each([
  [new TypeError("a"), "TypeError"],
  [new DOMException("a", "AbortError"), "AbortError"],
  ["tok-secret", "string"],
  [undefined, "undefined"],
  [Object.assign(new Error("a"), { name: "Zq7-Secret" }), "Error"],
  [Object.assign(new Error("a"), { name: `A${"a".repeat(31)}` }), "Error"],
  [Object.assign(new Error("a"), { name: 7 }), "Error"],
])("kindOf(%s) shows one short word", (error, word) => {
  expect(kindOf(error)).toBe(word);
});

const coded = (code: unknown, more: object = {}) =>
  Object.assign(new TypeError("tok-secret"), { code, ...more });

test.each([
  ...["ENOENT", "ERR_SSL_WRONG_VERSION_NUMBER", "UND_ERR_CONNECT_TIMEOUT", "ERR_HTTP2_STREAM_ERROR"],
  ...["ConnectionRefused", "P2002", "23505", "08006", "SQLITE_BUSY", "ERR_SSL_SSL/TLS_ALERT"],
])("causeOf() keeps the code %s, and no text", (code) => {
  expect(causeOf(coded(code))).toEqual({ name: "TypeError", code });
  expect(causeOf(new Error("tok-secret", { cause: coded(code) }))).toEqual({ name: "Error", code });
});

test.each([
  ...["tok-secret", "", "a b", "enoent", 11, null, "AKIAIOSFODNN7EXAMPLE", "A1B2C3D4E5F6A7B8", "é"],
  ...["ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOPQRSTUVWXYZ", "https://video.example/", "ENOENT tok-secret"],
])("causeOf() leaves out the code %s, which may be anything", (code) => {
  expect(causeOf(coded(code))).toEqual({ name: "TypeError" });
});

test("causeOf() ends where causes go round", () => {
  const first = coded("");
  const second = coded(7, { cause: first });
  expect(causeOf(Object.assign(first, { cause: second }))).toEqual({ name: "TypeError" });
});

import { expect, test } from "vitest";
import {
  decodeOrKeep,
  fileNameOf,
  hostOf,
  isLoopback,
  isWebAddress,
  originOf,
} from "../../entrypoints/shared/web-address.ts";

test("origin, host and file name are empty where there is no address", () => {
  const address = "https://cdn.example:8443/a/launch%20day.mp4?signature=s";
  expect([originOf(address), hostOf(address), fileNameOf(address)]).toEqual([
    "https://cdn.example:8443",
    "cdn.example:8443",
    "launch day.mp4",
  ]);
  expect([originOf(""), hostOf("nothing"), fileNameOf("")]).toEqual(["", "", ""]);
});

test.each([
  ["https://a.example/b", true],
  ["http://localhost", true],
  ["blob:https://a.example/1", false],
  ["javascript:alert(1)", false],
  ["a.example", false],
  ["", false],
])("isWebAddress(%j) is %j", (address, expected) => {
  expect(isWebAddress(address)).toBe(expected);
});

test.each([
  ["localhost", true],
  ["127.0.0.1", true],
  ["[::1]", true],
  ["127.0.0.1.example", false],
  ["localhost.example", false],
])("isLoopback(%j) is %j", (hostname, expected) => {
  expect(isLoopback(hostname)).toBe(expected);
});

test("decodeOrKeep() keeps what is no encoding", () => {
  expect([decodeOrKeep("a%20b"), decodeOrKeep("100%")]).toEqual(["a b", "100%"]);
});

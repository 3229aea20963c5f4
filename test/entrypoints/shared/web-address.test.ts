import { expect, test } from "vitest";
import { fileNameOf, hostOf, isWebAddress, originOf } from "../../../entrypoints/shared/web-address.ts";

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

import { expect, test } from "vitest";
import { referrerOf } from "../../entrypoints/background/referrers.ts";

test.each([
  [
    "within its own origin whole, without fragment and password",
    "https://a:b@site.example/watch?v=1#t=5",
    "https://site.example/x.m3u8",
    "https://site.example/watch?v=1",
  ],
  [
    "to others by its origin",
    "https://site.example/watch?v=1",
    "https://cdn.example/1.ts",
    "https://site.example/",
  ],
  [
    "to another port by its origin",
    "https://site.example/watch",
    "https://site.example:8443/1.ts",
    "https://site.example/",
  ],
  ["from http to https", "http://site.example/watch", "https://cdn.example/1.ts", "http://site.example/"],
  ["not from https to http", "https://site.example/watch", "http://cdn.example/1.ts", undefined],
  [
    "not where it is no page of the web",
    "chrome-extension://abc/popup.html",
    "https://cdn.example/1.ts",
    undefined,
  ],
  ["not to what is no address", "https://site.example/watch", "1.ts", undefined],
])("a page is sent as the referrer %s", (_, page, address, referrer) => {
  expect(referrerOf(page, address)).toBe(referrer);
});

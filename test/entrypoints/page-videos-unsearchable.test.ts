import { expect, test } from "vitest";
import { whyUnsearchable } from "../../entrypoints/popup/page-videos/unsearchable.ts";

test.each([
  ["chrome://settings/", "", "browser"],
  ["edge://newtab/", "", "browser"],
  ["https://chrome.google.com/webstore/detail/x", "", "store"],
  [undefined, "Error: The extensions gallery cannot be scripted.", "store"],
  [undefined, 'Error: Cannot access contents of url "file:///a.mp4". Extension manifest must…', "file"],
  [undefined, "Error: Cannot access a chrome:// URL", "browser"],
  [undefined, "Error: Cannot access a chrome-extension:// URL of different extension", "extension"],
  ["https://a.example/", "Error: Frame with ID 0 is showing error page", "error"],
  [
    "https://a.example/",
    "Error: This page cannot be scripted due to an ExtensionsSettings policy.",
    "managed",
  ],
  ["https://a.example/", "Error: Cannot access contents of the page.", "closed"],
  [undefined, "Error: Cannot access contents of the page.", "unknown"],
])("a page at %s that answers %j is kept from us as %s", (address, refusal, why) => {
  expect(whyUnsearchable(address, refusal)).toBe(why);
});

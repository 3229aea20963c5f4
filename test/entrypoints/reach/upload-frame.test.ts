import { expect, test } from "vitest";
import { openUploadFrame } from "../../../entrypoints/reach/upload-frame.ts";

// Any other origin is given a frame, which there is none of here.
test.each([
  "http://[::1]:8787",
  "https://*.example",
  "https://a.example;script-src",
  'https://a"b.example',
  "https://*",
])("openUploadFrame() makes none for an origin that a policy can't name alone: %s", async (origin) => {
  expect(await openUploadFrame(origin)).toBeUndefined();
});

test("openUploadFrame() makes one for a host with a name or an IPv4 address", async () => {
  for (const origin of ["https://upload.example:8443", "http://127.0.0.1:8787"])
    await expect(openUploadFrame(origin)).rejects.toThrow("document");
});

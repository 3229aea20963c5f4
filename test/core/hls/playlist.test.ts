import { expect, test } from "vitest";
import { placeUrl } from "../../../core/hls/playlist.ts";

test.each([
  ["http://video.example/", "http://127.0.0.1/0.ts"],
  ["http://video.example/", "http://nas.local/0.ts"],
  ["https://video.example/", "http://video.example/0.ts"],
])("a playlist at %s may not name %s", (base, address) => {
  expect(() => placeUrl(address, new URL(base))).toThrow(
    expect.objectContaining({ code: "unsupported-video" }),
  );
});

test.each([
  ["http://127.0.0.1:8080/", "http://127.0.0.1/0.ts"],
  ["http://192.168.1.5/", "http://10.0.0.1/0.ts"],
  ["http://video.example/", "https://172.32.0.1/0.ts"],
])("a playlist at %s may name %s", (base, address) => {
  expect(placeUrl(address, new URL(base)).href).toBe(address);
});

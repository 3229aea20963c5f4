import { describe, expect, test } from "vitest";
import { menuPages, narrow, pagePattern, siteOf } from "../../../entrypoints/shared/stream-pages.ts";

const address = "https://api.video.example/v1";

describe("the pages on which the menu offers to end a stream", () => {
  test("are those of the service's site", () => {
    const service = (address: string) =>
      menuPages({ streamMenu: "service", streamMenuPages: ["other.example"], address });
    expect(service(address)).toEqual(["*://*.video.example/*"]);
    expect(service("http://localhost:8787")).toEqual(["*://localhost/*"]);
    expect(service("http://api.video.localhost:8787")).toEqual(["*://*.video.localhost/*"]);
    expect(service("")).toEqual([]);
  });

  test("are all pages where that is wanted", () => {
    expect(menuPages({ streamMenu: "everywhere", streamMenuPages: [], address })).toBeUndefined();
  });

  test("are those of the addresses named, without those that can't be read", () => {
    const named = { streamMenu: "listed", streamMenuPages: ["video.example", "no address"] } as const;
    expect(menuPages({ ...named, streamMenuPages: [...named.streamMenuPages], address })).toEqual([
      "*://*.video.example/*",
    ]);
  });
});

test.each([
  ["https://video.example", "video.example"],
  ["https://api.video.example/base", "video.example"],
  ["https://video.co.uk", "video.co.uk"],
  ["https://api.video.com.au", "video.com.au"],
  ["http://192.168.1.20:8080", "192.168.1.20"],
  ["http://[::1]:8080", "[::1]"],
  ["nonsense", ""],
])("siteOf() of %s is %j", (given, site) => {
  expect(siteOf(given)).toBe(site);
});

describe("pagePattern()", () => {
  test.each([
    ["video.example", "*://*.video.example/*"],
    [" *.video.example ", "*://*.video.example/*"],
    ["video.example:8443", "*://*.video.example/*"],
    ["video.example/org/1", "*://*.video.example/org/1*"],
    ["https://video.example", "https://video.example/*"],
    ["https://video.example/org/?tab=1#top", "https://video.example/org/*"],
    ["*://*.video.example/*", "*://*.video.example/*"],
    ["HTTP://Video.Example/a*", "http://video.example/a*"],
    ["https://bücher.example", "https://xn--bcher-kva.example/*"],
    ["localhost:3000", "*://localhost/*"],
    ["127.0.0.1", "*://127.0.0.1/*"],
    ["http://studio/live", "http://studio/live*"],
  ])("makes of %j the pattern %s", (line, pattern) => {
    expect(pagePattern(line)).toBe(pattern);
  });

  test.each([
    "",
    "<all_urls>",
    "studio",
    "two words.example",
    "ftp://video.example",
    "*://*/*",
    "https://user:pass@video.example",
    "https://video.*/",
    "video.example:port",
  ])("refuses %j", (line) => {
    expect(pagePattern(line)).toBeUndefined();
  });
});

test("narrow() puts the path of stream pages behind each host, and keeps a path that a person named", () => {
  expect(narrow(["*://*.video.example/*"], ["*://*/*stream*"])).toEqual(["*://*.video.example/*stream*"]);
  expect(narrow(["https://video.example/org*"], ["*://*/*stream*"])).toEqual(["https://video.example/org*"]);
  expect(narrow(undefined, ["*://*/*stream*"])).toEqual(["*://*/*stream*"]);
  expect(narrow(["*://*.video.example/*"], ["*://*/*"])).toEqual(["*://*.video.example/*"]);
  expect(narrow(["*://*.video.example/*"], [])).toEqual([]);
  expect(narrow([], ["*://*/*"])).toEqual([]);
});

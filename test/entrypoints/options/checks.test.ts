import { expect, test } from "vitest";
import { pathProblem, playbackPageProblem, streamPageProblem } from "../../../entrypoints/options/checks.ts";
import { needsOf } from "../../../entrypoints/options/permissions.ts";
import {
  addressProblem,
  isPlain,
  tokenProblem,
  withScheme,
} from "../../../entrypoints/shared/account-check.ts";
import { DEFAULT_SETTINGS, type Settings } from "../../../entrypoints/shared/settings.ts";

test.each([
  ["video.example", "https://video.example"],
  [" video.example:8443/base ", "https://video.example:8443/base"],
  ["localhost:4000", "http://localhost:4000"],
  ["127.0.0.1:4000", "http://127.0.0.1:4000"],
  ["LocalHost:4000", "http://LocalHost:4000"],
  ["ftp://video.example", "ftp://video.example"],
  ["no address", "no address"],
])("withScheme() makes of %j the address %j", (text, address) => {
  expect(withScheme(text)).toBe(address);
});

test("isPlain() warns of addresses that send the token in the clear", () => {
  expect(["http://video.example", "http://127.0.0.1.example"].map(isPlain)).toEqual([true, true]);
  expect(["https://video.example", "http://localhost:4000", "http://[::1]:1", "x"].filter(isPlain)).toEqual(
    [],
  );
  const thisComputer = ["video.localhost", "localhost.", "0.0.0.0", "[::]", "[::ffff:7f00:1]"];
  expect(thisComputer.map((host) => `http://${host}:4000`).filter(isPlain)).toEqual([]);
});

test.each([
  ["", /^Enter the address/],
  ["nonsense", /^This is not an address\. Enter one such as/],
  ["ftp://video.example", /^This address begins with ftp:/],
  ["https://user:pass@video.example", /^This address holds a user name or password/],
  ["https://video.example/?key=1", /^Leave out everything from the \?/],
])("addressProblem() of %j is for a person", (address, words) => {
  expect(addressProblem(address)).toMatch(words);
  expect(addressProblem(address)).not.toMatch(/baseUrl|create a client/);
});

test("what is right has no problem", () => {
  expect(addressProblem("https://video.example/base/")).toBeUndefined();
  expect(tokenProblem(" Bearer abc-123\n")).toBeUndefined();
  expect(pathProblem("terminate", "/api/stream/{id}/terminate")).toBeUndefined();
  expect(pathProblem("requestUpload", "")).toBeUndefined();
  expect(streamPageProblem("/live/([^/]+)")).toBeUndefined();
  expect(streamPageProblem("")).toBeUndefined();
  expect(playbackPageProblem("https://video.example/{assetId}?p={playbackId}")).toBeUndefined();
});

test("tokenProblem() never repeats the token", () => {
  expect(tokenProblem("abc 123")).toBe("The token contains a space or a line break. Paste it again.");
  expect(tokenProblem("Bearer ")).toBe("The token is empty. Paste it again.");
  expect(tokenProblem(" ")).toBe("Paste the token of your account.");
});

test.each([
  ["terminate", "/stream/terminate", "{id} once"],
  ["terminate", "stream/{id}", "has to begin with /"],
  ["requestUpload", "/a?b", "can't contain ?"],
  ["requestUpload", "/../a", "parts . and .."],
] as const)("pathProblem() of the path to %s %j", (name, path, words) => {
  expect(pathProblem(name, path)).toContain(words);
});

test.each(["/live/[^/]+", "(", "/live/(?:[^/]+)"])("streamPageProblem() finds one in %j", (pattern) => {
  expect(streamPageProblem(pattern)).toBeDefined();
});

test.each(["https://video.example/", "video.example/{playbackId}", "javascript:{playbackId}", "/{assetId}"])(
  "playbackPageProblem() finds one in %j",
  (page) => {
    expect(playbackPageProblem(page)).toMatch(
      page.includes("{") ? /whole address/ : /\{playbackId\} or \{assetId\}/,
    );
  },
);

test.each<[Partial<Settings>, string[]]>([
  [{ address: "https://video.example" }, ["https://video.example"]],
  [{ notifications: true }, ["notifications"]],
  [{ confirmTerminate: false }, ["notifications"]],
  [{ keepAwake: true }, ["power"]],
  [{}, []],
])("the settings %j need %j of the browser", (more, needed) => {
  const targets = needsOf({ ...DEFAULT_SETTINGS, ...more }).map(({ target }) => target);
  expect(targets.flatMap((target) => Object.values(target))).toEqual(needed);
});

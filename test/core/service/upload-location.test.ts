import { describe, expect, test } from "vitest";
import type { UploadLocation } from "../../../core/mod.ts";
import { readUploadLocation } from "../../../core/service/upload-location.ts";

const both = (url: unknown, tusEndpoint: unknown = url) => ({ asset: { id: "asset-1" }, url, tusEndpoint });
const BASE = "https://video.example";
const read = (answer: unknown, baseUrl = BASE) => readUploadLocation(answer, baseUrl) as UploadLocation;
const receive = (given: object) => readUploadLocation(given) as UploadLocation;
const ofLocations = ({ mismatches }: UploadLocation) =>
  mismatches.filter(({ path }) => path === "url" || path === "tusEndpoint");

describe("readUploadLocation() for an https base address", () => {
  test.each([
    "https://upload.example/direct?token=a",
    "https://upload.example:8443/a%2Fb?token=a+b%20c",
    "https://127.0.0.1:8788/direct",
  ])("takes %s as it is written", (address) => {
    const location = read(both(address));
    expect(location).toMatchObject({ url: address, tusEndpoint: address });
    expect(ofLocations(location)).toEqual([]);
  });

  test.each([
    "http://upload.example/direct",
    "http://127.0.0.1.example/direct",
    "http://localhost.example/direct",
    "http://10.0.0.1/direct",
  ])("leaves %s out, which gives its token away", (address) => {
    const location = read(both(address));
    expect("url" in location || "tusEndpoint" in location).toBe(false);
    const problem = { expected: "https address, as the base address is", found: "http address" };
    expect(ofLocations(location)).toEqual([
      { path: "url", ...problem },
      { path: "tusEndpoint", ...problem },
    ]);
  });
});

// own-network.test.ts has the other names of this machine.
describe.each([
  "http://localhost:8788/direct",
  "http://0x7f.1/direct",
  "http://0.0.0.0/direct",
  "http://[::]/direct",
  "http://[::ffff:127.0.0.1]/direct",
])("readUploadLocation() of %s", (address) => {
  test.each(["https://video.example", "http://192.168.0.7"])("leaves it out in an answer of %s", (base) => {
    const location = read(both(address), base);
    expect("url" in location || "tusEndpoint" in location).toBe(false);
    const problem = {
      expected: "address that is not on this machine",
      found: "http address on this machine",
    };
    expect(ofLocations(location)).toEqual([
      { path: "url", ...problem },
      { path: "tusEndpoint", ...problem },
    ]);
  });

  test.each(["http://127.0.0.1:8787", "https://localhost"])("takes it in an answer of %s", (base) => {
    expect(read(both(address), base)).toMatchObject({ url: address, tusEndpoint: address });
  });
});

describe("readUploadLocation() for an http base address", () => {
  test("takes http and https alike", () => {
    const location = read(
      both("http://upload.example/a", "https://upload.example/b"),
      "http://video.example",
    );
    expect(location).toMatchObject({
      url: "http://upload.example/a",
      tusEndpoint: "https://upload.example/b",
    });
    expect(ofLocations(location)).toEqual([]);
  });

  test.each<[unknown, string]>([
    ["javascript:alert(1)", "address of another kind"],
    ["blob:https://upload.example/a", "address of another kind"],
    ["sometoken:a", "address of another kind"],
    ["https://user:password@upload.example/a", "address with a user name or password"],
    ["http://:password@upload.example/a", "address with a user name or password"],
    ["//upload.example/a", "invalid address"],
    ["", "invalid address"],
  ])("leaves %j out", (address, found) => {
    const expected = "http or https address";
    const [direct, tus] = [
      both(address, "https://upload.example/b"),
      both("https://upload.example/b", address),
    ];
    const location = read(direct, "http://video.example");
    expect("url" in location).toBe(false);
    expect(location.tusEndpoint).toBe("https://upload.example/b");
    expect(ofLocations(location)).toEqual([{ path: "url", expected, found }]);
    const other = read(tus, "http://video.example");
    expect("tusEndpoint" in other).toBe(false);
    expect(other.url).toBe("https://upload.example/b");
    expect(ofLocations(other)).toEqual([{ path: "tusEndpoint", expected, found }]);
  });

  test.each<[unknown, string]>([
    [undefined, "nothing"],
    [null, "null"],
    [7, "number"],
    [{}, "object"],
    [["https://upload.example"], "list"],
  ])("leaves %j out, lists it once", (address, found) => {
    const location = read(both(address, "https://upload.example/b"), "http://video.example");
    expect("url" in location).toBe(false);
    expect(ofLocations(location)).toEqual([{ path: "url", expected: "string", found }]);
  });
});

describe("readUploadLocation() of what a requester gave", () => {
  test("takes over the mismatches of a requester and adds its own, leaving the given list alone", () => {
    const known = [{ path: "asset.size", expected: "integer", found: "nothing" }];
    const answer = { ...both("https://upload.example/a", "ftp://upload.example"), mismatches: known };
    const before = structuredClone(answer);
    expect(receive(answer).mismatches).toEqual([
      ...known,
      { path: "tusEndpoint", expected: "http or https address", found: "address of another kind" },
    ]);
    expect(answer).toEqual(before);
  });

  test("finds the mismatches itself where a requester gives none or nonsense", () => {
    const answer = both("https://upload.example/a");
    const expected = receive(answer).mismatches;
    expect(expected.length).toBeGreaterThan(0);
    const long = { path: "a", expected: "b".repeat(1_000_000), found: "c" };
    for (const mismatches of [null, "none", [7], [{ path: "a" }], [long]])
      expect(receive({ ...answer, mismatches }).mismatches).toEqual(expected);
  });

  test("takes over what a client of this module has read", () => {
    const profiles = Array.from({ length: 20 }, () => ({
      name: 7,
      width: "a",
      height: "a",
      bitrate: "a",
      fps: "a",
    }));
    const answer = both("https://upload.example/a", "ftp://upload.example");
    for (const asset of [{}, { profiles }]) {
      const location = read({ ...answer, asset: { ...answer.asset, ...asset } });
      expect(receive(location)).toEqual(location);
      expect(ofLocations(location)).toHaveLength(1);
    }
  });
});

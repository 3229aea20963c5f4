import { describe, expect, test } from "vitest";
import { idSegment, pathsBeside, readPaths, streamSegment } from "../../../core/service/paths.ts";
import { refusalOf } from "../../support/core/refusal.ts";

describe("readPaths()", () => {
  const documented = { requestUpload: "/api/asset/request-upload", terminate: "/stream/{id}/terminate" };

  test("takes the documented ones, except for what is given", () => {
    expect(readPaths(undefined)).toEqual(documented);
    expect(readPaths({ requestUpload: undefined, terminate: undefined })).toEqual(documented);
    expect(readPaths({ requestUpload: "/x" })).toEqual({ ...documented, requestUpload: "/x" });
    expect(readPaths({ terminate: "/api/{id}" })).toEqual({ ...documented, terminate: "/api/{id}" });
    expect(readPaths({ requestUpload: "/.a/b./...", terminate: "/{id}" })).toEqual({
      requestUpload: "/.a/b./...",
      terminate: "/{id}",
    });
    expect(readPaths({ requestUpload: "/{id}/{id}" }).requestUpload).toBe("/{id}/{id}");
    expect(readPaths(undefined)).toEqual(documented);
  });

  test.each<[unknown, string]>([
    [null, "paths is null, expected an object"],
    [7, "paths is 7, expected an object"],
    [{ requestupload: "/a" }, 'there is no path "requestupload", only requestUpload, terminate and asset'],
    [{ requestUpload: 7 }, 'paths.requestUpload is 7, expected a path that begins with "/"'],
    [{ terminate: "a/{id}" }, 'paths.terminate is "a/{id}", expected a path that begins with "/"'],
    ...["/a?b", "/a#b", "/a\\b", "/a b", "/a\n"].map((path): [unknown, string] => [
      { requestUpload: path },
      "expected a path without query, fragment, backslash and white space",
    ]),
    ...["/.", "/..", "/a/../b", "/./b"].map((path): [unknown, string] => [
      { requestUpload: path },
      'expected a path without "." and ".."',
    ]),
    ...["/stream", "/{id}/{id}", "/{ID}"].map((path): [unknown, string] => [
      { terminate: path },
      "expected a path that holds {id} once",
    ]),
  ])("refuses %j", (given, words) => expect(refusalOf(() => readPaths(given))).toContain(words));
});

describe("streamSegment()", () => {
  test.each([
    ["stream-1", "stream-1"],
    [" a b ", "a%20b"],
    ["a/b?c#d%", "a%2Fb%3Fc%23d%25"],
    ["...", "..."],
    [".a", ".a"],
    ["é\u00a0😀", "%C3%A9%C2%A0%F0%9F%98%80"],
  ])("makes of %j %j", (id, segment) => expect(streamSegment(id)).toBe(segment));

  test.each<[unknown, string]>([
    [undefined, "the id is undefined, expected a string"],
    [7, "the id is 7, expected a string"],
    ["", "the id is empty"],
    [" \t ", "the id is empty"],
    [".", 'the id is ".", which is not a path segment'],
    [" .. ", 'the id is "..", which is not a path segment'],
    ["a\u0000b", "holds a control character"],
    ["a\u001fb", "holds a control character"],
    ["a\u007fb", "holds a control character"],
    ["a\u009fb", "holds a control character"],
    ["a\ud800b", "half a character"],
  ])("refuses %j", (id, words) => expect(refusalOf(() => streamSegment(id as string))).toContain(words));
});

test.each([
  ["/v2/asset/request-upload", {}, { terminate: "/v2/stream/{id}/terminate", asset: "/v2/asset/{id}" }],
  ["/v2/asset/request-upload", { terminate: "/x/{id}" }, { asset: "/v2/asset/{id}" }],
  ["/asset/request-upload", {}, {}],
  ["/v2/asset/request-upload/x", {}, {}],
])("beside %s are other calls, where not given as %j", (requestUpload, given, beside) => {
  expect(pathsBeside(requestUpload, given)).toEqual(beside);
});

test("an id is one path segment of the thing that it names", () => {
  expect(idSegment("a/b", "read the asset", "asset")).toBe("a%2Fb");
  expect(refusalOf(() => idSegment("", "read the asset", "asset"))).toMatch(
    /^Cannot read the asset: .*asset/,
  );
});

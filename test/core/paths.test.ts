import { describe, expect, test } from "vitest";
import { readPaths } from "../../core/service/paths.ts";
import { caught } from "../caught.ts";

const DEFAULTS = { requestUpload: "/api/asset/request-upload", terminate: "/stream/{id}/terminate" };

describe("readPaths()", () => {
  test("fills in those of the interface document", () => {
    expect(readPaths(undefined)).toEqual(DEFAULTS);
    expect(readPaths({})).toEqual(DEFAULTS);
    expect(readPaths({ requestUpload: undefined, terminate: undefined })).toEqual(DEFAULTS);
    expect(readPaths({ requestUpload: "/v1/a.b/..c" })).toEqual({
      ...DEFAULTS,
      requestUpload: "/v1/a.b/..c",
    });
    expect(readPaths({ terminate: "/v1/{id}" })).toEqual({ ...DEFAULTS, terminate: "/v1/{id}" });
  });

  test.each<[unknown, string]>([
    [7, "paths is 7, expected an object"],
    [{ stop: "/a" }, 'there is no path "stop", only requestUpload and terminate'],
    [{ requestUpload: 7 }, 'paths.requestUpload is 7, expected a path that begins with "/"'],
    [{ terminate: "a/{id}" }, 'paths.terminate is "a/{id}", expected a path that begins with "/"'],
    ...["/a?b", "/a#b", "/a\\b", "/a b", "/a\tb"].map((path): [unknown, string] => [
      { requestUpload: path },
      "paths.requestUpload is",
    ]),
    [{ requestUpload: "/a b" }, "expected a path without query, fragment, backslash and white space"],
    [{ requestUpload: "/a/../b" }, 'paths.requestUpload is "/a/../b", expected a path without "." and ".."'],
    [{ terminate: "/./{id}" }, 'paths.terminate is "/./{id}", expected a path without "." and ".."'],
    [{ terminate: "/a" }, 'paths.terminate is "/a", expected a path that holds {id} once'],
    [{ terminate: "/{id}/{id}" }, "expected a path that holds {id} once"],
  ])("refuses %o", async (given, words) => {
    const error = await caught(() => readPaths(given));
    expect(error).toMatchObject({ code: "invalid-option" });
    expect(error.message).toContain(`Cannot create a client: `);
    expect(error.message).toContain(words);
  });
});

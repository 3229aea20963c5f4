import { describe, expect, test } from "vitest";
import { createClient } from "../../core/client.ts";
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

test.each([
  ["https://video.example", "/stream/{id}", "https://video.example/stream/a"],
  ["https://video.example/", "//stream//{id}/", "https://video.example//stream//a/"],
  ["https://video.example/api", "/{id}", "https://video.example/api/a"],
  ["https://video.example/api/", "/api/{id}", "https://video.example/api/api/a"],
  ["https://video.example", "/https://other.example/{id}", "https://video.example/https://other.example/a"],
])("terminateStream() of %s with the path %s asks %s", async (baseUrl, terminate, expected) => {
  const asked: unknown[] = [];
  const fetch = async (address: unknown) => {
    asked.push(address);
    return new Response(null, { status: 204 });
  };
  await createClient({ baseUrl, token: "a-token", paths: { terminate }, fetch }).terminateStream("a");
  expect(asked).toEqual([expected]);
});

test.each(["https://video.example", "https://video.example/api"])(
  "requestUpload() of %s with the path / asks for that path",
  async (baseUrl) => {
    const asked: unknown[] = [];
    const fetch = async (address: unknown) => {
      asked.push(address);
      return new Response(null, { status: 401 });
    };
    const client = createClient({ baseUrl, token: "a-token", paths: { requestUpload: "/" }, fetch });
    await expect(client.requestUpload()).rejects.toMatchObject({ code: "unauthorized" });
    expect(asked).toEqual([`${baseUrl}/`]);
  },
);

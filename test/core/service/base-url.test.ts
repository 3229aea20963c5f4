/** Base address, paths, token and stream id, as people write them, and the addresses that are made of them. */
import { describe, expect, test } from "vitest";
import { createClient } from "../../../core/client.ts";
import { isUpcutError } from "../../../core/errors/errors.ts";
import { readBaseUrl } from "../../../core/service/base-url.ts";
import { readPaths, streamSegment } from "../../../core/service/paths.ts";
import { readToken } from "../../../core/service/token.ts";

function refusalOf(read: () => unknown): string {
  try {
    return `accepted: ${JSON.stringify(read())}`;
  } catch (error) {
    return isUpcutError(error) ? error.message : `not ours: ${error}`;
  }
}

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

describe("the address of a call", () => {
  /** What is asked for, where each answer is this one. */
  async function addressOf(baseUrl: string | URL, paths: object, call: "terminate" | "requestUpload") {
    const asked: string[] = [];
    const fetch = async (address: unknown) => {
      asked.push(String(address));
      return new Response(null, { status: 401 });
    };
    const client = createClient({ baseUrl, token: "a-token", paths, fetch });
    const error = await (call === "terminate" ? client.terminateStream("a") : client.requestUpload()).catch(
      (failure: unknown) => failure,
    );
    expect(error).toMatchObject({ code: "unauthorized" });
    return asked.join();
  }

  test.each([
    ["https://video.example", "/stream/{id}", "https://video.example/stream/a"],
    ["https://video.example//", "//stream//{id}/", "https://video.example//stream//a/"],
    [new URL("https://video.example/"), "/{id}", "https://video.example/a"],
    ["https://video.example/api/", "/api/{id}", "https://video.example/api/api/a"],
    ["https://video.example", "/https://other.example/{id}", "https://video.example/https://other.example/a"],
  ])("of %s and the path %s is %s", async (baseUrl, terminate, expected) => {
    expect(await addressOf(baseUrl, { terminate }, "terminate")).toBe(expected);
  });

  test.each(["https://video.example", "https://video.example/api"])(
    "of %s and / ends so",
    async (baseUrl) => {
      expect(await addressOf(baseUrl, { requestUpload: "/" }, "requestUpload")).toBe(`${baseUrl}/`);
    },
  );
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

describe("readToken()", () => {
  test.each([
    ["abc", "abc"],
    ["  abc\n", "abc"],
    ["Bearer abc", "abc"],
    ["bearer \t abc ", "abc"],
    [" BEARER  abc", "abc"],
    ["abcBearer", "abcBearer"],
    ["Bearerabc", "Bearerabc"],
    ["!~", "!~"],
  ])("makes of %j %j", (token, clean) => expect(readToken(token)).toBe(clean));

  test.each<[unknown, string]>([
    [7, "it is not a string"],
    ["", "it is empty"],
    [" ", "it is empty"],
    ["Bearer", "it is empty"],
    ["a\u0000b", "it holds a control character or a line break"],
    ["a\nb", "it holds a control character or a line break"],
    ["a\u007fb", "it holds a control character or a line break"],
    ["a\u009fb", "it holds a control character or a line break"],
    ["a b", "it holds white space"],
    ["a\u00a0b", "it holds white space"],
    ["aéb", "it holds a character that no header can carry"],
    ["a\u00a1b", "it holds a character that no header can carry"],
  ])("refuses %j", (token, words) => expect(refusalOf(() => readToken(token))).toContain(words));
});

describe("readBaseUrl()", () => {
  test.each<[string | URL, string]>([
    ["https://a.example", "https://a.example"],
    ["\u00a0https://a.example\u00a0", "https://a.example"],
    [" https://a.example/ ", "https://a.example"],
    ["HTTPS://A.example:443/b//", "https://a.example/b"],
    ["http://a.example:81/b/c", "http://a.example:81/b/c"],
    [new URL("http://localhost"), "http://localhost"],
  ])("reads %s", (given, address) => expect(readBaseUrl(given)).toBe(address));

  test.each<[unknown, string]>([
    [undefined, "baseUrl is undefined, expected an address"],
    [{}, "baseUrl is an object, expected an address"],
    ["", 'baseUrl is "", expected an address'],
    ["/api", 'baseUrl is "/api", expected an address'],
    ["  /api", "/api"],
    ["video.example", 'baseUrl is "video.example", expected an address'],
    ["video.example:8080", "baseUrl begins with"],
    ["192.168.0.1:8080", 'baseUrl is "192.168.0.1:8080", expected an address'],
    ["my-host.example/path", 'baseUrl is "my-host.example/path", expected an address'],
    ["my-host.example?path", 'baseUrl is "my-host.example", expected an address'],
    ["my-host.example#path", 'baseUrl is "my-host.example", expected an address'],
    ["localhost", 'baseUrl is "localhost", expected an address'],
    ["LOCALHOST/api", 'baseUrl is "LOCALHOST/api", expected an address'],
    ["localhosts", "baseUrl is not an address"],
    ["http://", 'baseUrl is "http://", expected an address'],
    ["https://a.example:99999", "expected an address"],
    ["Zq7-Secret", "baseUrl is not an address, expected an address"],
    ["Zq7.Secret token", "baseUrl is not an address, expected an address"],
    ["!Zq7.Secret", "baseUrl is not an address, expected an address"],
    ["ftp://a.example", 'baseUrl begins with "ftp:", expected "https:" or "http:"'],
    ["https://user@a.example", "holds a user name or password"],
    ["https://:word@a.example", "holds a user name or password"],
    ["https://a.example?b", "baseUrl holds a query. Leave out all from ? on"],
    ["https://a.example/?", "baseUrl holds a query. Leave out all from ? on"],
    ["https://a.example#b", "baseUrl holds a fragment. Leave out all from # on"],
    ["https://a.example/#", "baseUrl holds a fragment. Leave out all from # on"],
    ["https://a.example/?#", "baseUrl holds a query. Leave out all from ? on"],
  ])("refuses %j", (given, words) => expect(refusalOf(() => readBaseUrl(given))).toContain(words));
});

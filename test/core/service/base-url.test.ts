import { describe, expect, test } from "vitest";
import { readBaseUrl } from "../../../core/service/base-url.ts";
import { refusalOf } from "../../support/core/refusal.ts";

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

import { describe, expect, test } from "vitest";
import { readUploadUrl } from "../../../core/transfer/resumable.ts";

const HOST = "https://upload.example:8443/files/";
const LOCAL = "http://127.0.0.1:1080/files/";

describe("readUploadUrl()", () => {
  test.each([
    ["https://store.example/a?key=b", HOST, "https://store.example/a?key=b"],
    ["/files/a", HOST, "https://upload.example:8443/files/a"],
    ["/files/a#part", HOST, "https://upload.example:8443/files/a"],
    ["https://store.example/a?key=b#part", HOST, "https://store.example/a?key=b"],
    ["a", HOST, "https://upload.example:8443/files/a"],
    ["http://upload.example/files/a?key=b", HOST, "https://upload.example:8443/files/a?key=b"],
    ["http://store.example/a", "http://upload.example/files/", "http://store.example/a"],
    ["http://localhost:1080/a", LOCAL, "http://localhost:1080/a"],
    ["http://127.0.0.1:1080/a", "https://localhost/files/", "http://127.0.0.1:1080/a"],
    ["https://upload.example/a", LOCAL, "https://upload.example/a"],
  ])("reads %j of %j", (location, endpoint, url) => {
    expect(readUploadUrl(location, endpoint)).toBe(url);
  });

  test.each([
    [undefined, HOST, "without telling its address"],
    [" ", HOST, "without telling its address"],
    ["#part", HOST, "without telling its address"],
    ["https://", HOST, "an invalid address"],
    ["ftp://upload.example/a", HOST, "an address of another kind"],
    ["https://user@upload.example/a", HOST, "a user name or password"],
    ["https://:word@upload.example/a", HOST, "a user name or password"],
    ["http://localhost/a", HOST, "an http address on this machine"],
    ["http://[::1]/a", "http://upload.example/files/", "an http address on this machine"],
    ["http://store.example/a", HOST, "an http address"],
  ])("refuses %j of %j", (location, endpoint, words) => {
    expect(() => readUploadUrl(location, endpoint)).toThrow(words);
  });
});
